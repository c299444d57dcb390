"""Traces in Chrome's event format, whatever tool wrote them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from longpole.exchange.chrome import CHROME
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Told, Wishes
from tests.exchange.events import Row, by_name, rows
from tests.exchange.foreign import given

US = 1000


def one(ph: str, ts: float, name: str = "a", **more: Any) -> Row:
    return {"ph": ph, "ts": ts, "name": name, "pid": 1, "tid": 2, **more}


def told(*events: Row) -> Told:
    return CHROME.read([given(json.dumps(list(events)))], Wishes())


def ends(found: Told) -> list[tuple[Any, ...]]:
    """Name, begin, end and status of what ran in processes."""
    return [
        (row["name"], row["start_ns"], row["end_ns"], row["status"])
        for row in rows(found)
        if row["kind"] != "process"
    ]


def test_complete_events_become_phases_of_their_first_category() -> None:
    found = told(one("X", 1, dur=5, cat="blink,v8", args={"url": "x"}), one("X", 2, "b", dur=1))

    assert [(row["kind"], row["lane"], row["attributes"]) for row in rows(found)] == [
        ("process", None, None),
        ("blink", 2, '{"url": "x"}'),
        ("phase", 2, None),
    ]
    assert by_name(found)["b"]["parent"] == by_name(found)["a"]["id"]


def test_the_object_form_and_the_open_list_are_read_too() -> None:
    event = json.dumps(one("X", 1, dur=5))

    for text in (f'{{"traceEvents": [{event}], "other": 1}}', f"[{event},\n"):
        assert len(rows(CHROME.read([given(text)], Wishes()))) == 2


def test_an_end_closes_the_last_begin_of_its_thread() -> None:
    found = told(
        one("B", 1, "out"), one("B", 2, "in"), one("B", 2, "other", tid=9), one("E", 4, ""), one("E", 7)
    )

    assert ends(found) == [
        ("out", 1 * US, 7 * US, "ok"),
        ("in", 2 * US, 4 * US, "ok"),
        ("other", 2 * US, None, "unfinished"),
    ]
    assert by_name(found)["in"]["parent"] == by_name(found)["out"]["id"]
    assert any("without an end in the trace: 1." in gap for gap in found.gaps)


def test_ends_may_stand_before_their_begins_in_the_file() -> None:
    assert ends(told(one("E", 7), one("B", 1))) == [("a", 1 * US, 7 * US, "ok")]


def test_asynchronous_events_are_joined_by_their_id_and_lie_in_the_process() -> None:
    found = told(
        one("X", 0, "all", dur=100),
        one("b", 1, cat="net", id=1),
        one("b", 2, cat="net", id=2, tid=3),
        one("e", 5, cat="net", id=1, tid=8),
        one("e", 9, cat="net", id=2),
    )

    assert ends(found)[1:] == [("a", 1 * US, 5 * US, "ok"), ("a", 2 * US, 9 * US, "ok")]
    process = rows(found)[0]["id"]
    assert [row["parent"] for row in rows(found)[2:]] == [process, process]


def test_a_complete_event_without_a_length_has_not_ended() -> None:
    assert ends(told(one("X", 1))) == [("a", 1 * US, None, "unfinished")]


def test_processes_and_threads_are_called_as_metadata_says() -> None:
    found = told(
        one("X", 1, dur=1),
        one("X", 1, dur=1, pid="gpu"),
        one("M", 0, "process_name", args={"name": "browser"}),
        one("M", 0, "thread_name", args={"name": "main"}),
        one("M", 0, "process_sort_index", args={"sort_index": 3}),
        one("M", 0, "thread_name", args=None),
    )

    assert [(row["pid"], row["name"]) for row in rows(found, "processes")] == [(1, "browser"), (None, "gpu")]
    assert json.loads(rows(found)[0]["attributes"]) == {"threads": {"2": "main"}}


def test_what_is_left_out_is_counted_and_named() -> None:
    gaps = told(
        *(one("i", at) for at in range(3)),
        one("C", 1),
        one("E", 0),
        one("X", 1_800_000_000_000_000, dur=1, args={"long": "x" * 5000}),
    ).gaps

    assert gaps == (
        "Events that do not last were left out, by their ph: 3 i, 1 C.",
        "Ends without a begin were left out: 1.",
        "Arguments of more than 4,096 letters were left out: 1.",
    )


def test_times_that_are_no_times_of_day_are_said() -> None:
    assert any("no times of day" in gap for gap in told(one("X", 1, dur=1)).gaps)


def test_processes_of_different_files_are_different() -> None:
    file = given(json.dumps([one("X", 1, dur=1)]))
    found = CHROME.read([file, file], Wishes())

    assert len(rows(found, "processes")) == 2
    assert len({row["process"] for row in rows(found)}) == 2


@pytest.mark.parametrize("category", ["run", "process", "job"])
def test_a_category_that_is_a_word_of_ours_is_a_plain_phase(category: str) -> None:
    assert by_name(told(one("X", 1, dur=1, cat=category)))["a"]["kind"] == "phase"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([one("i", 1)], "no event that lasted"),
        ([one("X", -1, dur=1)], "event 'a' has the ts -1"),
        ([one("X", 1, dur=-1)], "event 'a' has the dur -1"),
        ([one("X", 4.5e15, dur=4.5e15)], "cannot be"),
        ([7], "object"),
    ],
)
def test_what_cannot_be_is_refused_by_name(events: list[Any], said: str) -> None:
    with pytest.raises(UnreadableFileError, match=rf"some\.file .*{said}"):
        CHROME.read([given(json.dumps(events), "some.file")], Wishes())


@pytest.mark.parametrize(
    ("content", "own"),
    [
        ('[{"ph": "X", "ts": 1}]', True),
        ('{"traceEvents": [{"ph":"B"', True),
        ('{"traceEvents": []}', True),
        ('{"ph": 3, "ts": 1}', False),
        ('"ph": "X", "ts": 1', False),
    ],
)
def test_it_is_recognised_by_its_events(content: str, own: bool) -> None:
    assert CHROME.recognises(given(content)) is own
