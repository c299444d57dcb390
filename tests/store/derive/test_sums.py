"""Sums: the last note counts, logs add up, tallies do not; full rows and sums tell the same."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longpole.log import slots
from longpole.log.files import LogWriter
from longpole.log.slots import STEP_NONE, bin_of, bin_start
from longpole.record.client.ring import create_ring
from longpole.record.journal import Journal
from longpole.record.samplers.phases import PhaseCollector
from longpole.record.samplers.tree import Tree
from tests.builders import OFFSET, HandmadeLog, HandmadeRun, ms, utc


@pytest.fixture
def run(tmp_path):
    return HandmadeRun(tmp_path)


@pytest.fixture
def log(run):
    with run.log() as log:
        log.process(1)
        log.ring(2, 1, tag="aa")
        yield log


def second_log(run: HandmadeRun) -> HandmadeLog:
    """Begin another log of the same ring."""
    log = run.log(bare=True)
    log.note("clock", at=ms(10), offset=OFFSET)
    log.note("process", number=1, pid=101, start=0, comm="p1")
    log.ring(1, 1, tag="aa")
    return log


def sums(run: HandmadeRun) -> list[dict[str, Any]]:
    return [row for row in run.open().table("phases").records() if row["kind"] not in ("run", "process")]


def test_a_sum_has_its_histogram_and_parts(run, log):
    parts = [ms(1), ms(2), 0, ms(4), ms(5)]
    log.sum(2, "step", 7, (1, 9), kind="step", total=6, bins=[[0, 3], [4, 4]], parts=parts)
    log.flush()

    [row] = sums(run)

    assert (row["kind"], row["name"], row["count"], row["duration_ns"]) == ("step", "step", 7, ms(6))
    assert (row["start_ns"], row["end_ns"], row["process"]) == (utc(1), utc(9), 1)
    assert json.loads(row["attributes"]) == {
        "bins": [[256, 3], [512, 4]],
        "parts_ns": dict(zip(("data", "forward", "backward", "optimizer", "checkpoint"), parts, strict=True)),
    }


def test_a_sum_of_an_earlier_version_has_no_histogram(run, log):
    log.sum(2, "step", 7, (1, 9), kind="train")
    log.flush()

    [row] = sums(run)

    assert (row["count"], row["attributes"]) == (7, None)
    assert run.open().recording.summed_up == 7


def test_parts_of_which_none_took_time_are_left_out(run, log):
    log.sum(2, "step", 7, (1, 9), bins=[[5, 7]], parts=[0, 0])
    log.flush()

    assert json.loads(sums(run)[0]["attributes"]) == {"bins": [[bin_start(5), 7]]}


def test_steps_go_by_the_name_of_their_kind(run, log):
    log.sum(2, "Net", 7, (1, 9), kind_name="inference")
    log.note(
        "sum", source=2, name=0, kind=0, kind_name="step", count=2, total_ns=0, start=1, end=1, origin="owed"
    )
    log.flush()

    assert [(row["kind"], row["name"]) for row in sums(run)] == [("inference", "Net"), ("step", "step")]


def test_the_last_note_of_a_log_is_the_one_that_counts(run, log):
    log.sum(2, "a", 5, (1, 9))
    log.sum(2, "b", 50, (1, 9))
    log.sum(2, "a", 7, (1, 19), total=30)
    log.sum(2, "a", 1, (3, 4), status=1)
    log.flush()

    found = [(row["name"], row["status"], row["count"], row["end_ns"]) for row in sums(run)]

    assert sorted(found) == [
        ("a", "failed", 1, utc(4)),
        ("a", "ok", 7, utc(19)),
        ("b", "ok", 50, utc(9)),
    ]
    assert run.open().recording.summed_up == 58


def test_sums_of_two_logs_of_a_ring_add_up(run, log):
    log.sum(2, "a", 5, (1, 9), total=5, bins=[[0, 2], [3, 3]], parts=[1, 2])
    log.flush()
    with second_log(run) as other:
        other.sum(1, "a", 7, (10, 12), total=2, bins=[[3, 7]], parts=[1, 0, 1])

    [row] = sums(run)

    assert (row["count"], row["duration_ns"], row["start_ns"], row["end_ns"]) == (12, ms(7), utc(1), utc(12))
    told = json.loads(row["attributes"])
    assert told["bins"] == [[256, 2], [bin_start(3), 10]]
    assert list(told["parts_ns"].values()) == [2, 2, 1, 0, 0]


@pytest.mark.parametrize("counts", [(5, 7), (7, 5)])
def test_of_a_tally_in_two_logs_the_larger_counts(run, log, counts):
    log.sum(2, "a", counts[0], (1, 9), origin="tally", bins=[[0, counts[0]]])
    log.flush()
    with second_log(run) as other:
        other.sum(1, "a", counts[1], (1, 12), origin="tally", bins=[[0, counts[1]]])

    [row] = sums(run)

    assert (row["count"], json.loads(row["attributes"])["bins"]) == (7, [[256, 7]])
    assert run.open().recording.counted == 7


def test_a_tally_and_a_sum_of_one_name_are_two_rows(run, log):
    log.sum(2, "a", 5, (1, 9))
    log.sum(2, "a", 7, (1, 9), origin="tally")
    log.flush()

    assert sorted(row["count"] for row in sums(run)) == [5, 7]
    assert (run.open().recording.summed_up, run.open().recording.counted) == (5, 7)


@pytest.mark.parametrize(
    "odd",
    [
        {"bins": [[112, 1]]},
        {"bins": [[-1, 1]]},
        {"bins": [[0, -1]]},
        {"bins": [[0, 1]] * 113},
        {"bins": "x"},
        {"bins": [[0, 1, 2]]},
        {"parts": [1] * 6},
        {"parts": [-1]},
        {"parts": [1e300]},
        {"count": -1},
        {"count": 1 << 63},
        {"total_ns": -5},
        {"start": 1 << 61},
    ],
)
def test_a_sum_that_cannot_be_is_left_out_and_said(run, log, odd):
    facts = {"source": 2, "name": 1, "kind": 1, "count": 1, "total_ns": 1, "start": 1, "end": 2, **odd}
    log.note("sum", **facts)
    log.flush()

    assert sums(run) == []
    assert any("could not be understood" in problem for problem in run.open().reading.problems)


def test_sums_beyond_all_reason_do_not_overflow(run, log):
    most = {"count": 1 << 60, "total_ns": 1 << 60, "start": 1 << 60, "end": 5, "bins": [[0, 1 << 60]] * 9}
    log.note("sum", source=2, name=1, kind=1, **most)
    log.flush()
    for _ in range(9):
        with second_log(run) as other:
            other.note("sum", source=1, name=1, kind=1, **most)

    [row] = sums(run)

    assert row["count"] == row["duration_ns"] == 1 << 62
    assert row["end_ns"] == row["start_ns"]


SLOT = struct.Struct("<56sQ")
Slots = list[tuple[int, int, int, bool]]


def pack(number: int, one: tuple[int, int, int, bool]) -> bytes:
    """Return a slot of a phase or of a step with data and forward."""
    start, took, name, is_step = one
    if is_step:
        times = (took, took // 4, took // 3, took // 2, 0, STEP_NONE, 0, STEP_NONE)
        fields = (slots.STEP, 0, 0, 0, number, name << 8, start, *times, number)
        return slots.STEP_LAYOUT.pack(*fields)
    return slots.PHASE_LAYOUT.pack(
        slots.PHASE, 0, 0, number, 0, name, 1, 0, start, start + took, 0, 0, 0, number
    )


def recorded(runs: Path, limit_bytes: int, some: Slots) -> HandmadeRun:
    """Return a run of a ring with these slots, as an agent with so much disk keeps it."""
    run = HandmadeRun(runs)
    folder = runs / "rings"
    folder.mkdir()
    ring = create_ring(str(folder), slots=1024)
    names = [ring.text(text) for text in ("phase", "a", "b")]
    for number, (start, took, name, is_step) in enumerate(some, start=1):
        data = pack(number, (start, took, names[name], is_step))
        ring.slot(SLOT, data[:56])
    ring.close()
    log = LogWriter(str(run.path), OFFSET)
    journal = Journal(log, limit_bytes)
    journal.note("clock", at=0, offset=OFFSET, error=1)
    PhaseCollector(journal, Tree(journal, 0, 0), str(folder)).finish()
    journal.flush()
    log.close()
    return run


def told(run: HandmadeRun) -> dict[tuple[str, str], list[int]]:
    """Return count, total, first start, last end, parts and histogram of each kind and name."""
    found: dict[tuple[str, str], list[Any]] = {}
    rows = sums(run)
    names = {row["id"]: (row["kind"], row["name"]) for row in rows}
    for row in rows:
        if row["kind"] in slots.STEP_PARTS:
            found[names[row["parent"]]][4 + slots.STEP_PARTS.index(row["kind"])] += row["duration_ns"]
            continue
        known = found.setdefault((row["kind"], row["name"]), [0, 0, 1 << 63, 0, 0, 0, 0, 0, {}])
        known[0] += row["count"]
        known[1] += row["duration_ns"]
        known[2], known[3] = min(known[2], row["start_ns"]), max(known[3], row["end_ns"])
        facts = json.loads(row["attributes"] or "{}")
        bins = facts.get("bins") or [[bin_start(bin_of(row["duration_ns"])), 1]]
        for start, count in bins:
            known[8][start] = known[8].get(start, 0) + count
        for at, part in enumerate(slots.STEP_PARTS):
            known[4 + at] += facts.get("parts_ns", {}).get(part, 0)
    return found


SOME = st.tuples(
    st.integers(0, 1 << 40), st.integers(0, STEP_NONE - 1), st.sampled_from([1, 2]), st.booleans()
)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(SOME, min_size=1, max_size=60))
def test_sums_and_full_rows_tell_the_same(tmp_path_factory, some):
    full = recorded(tmp_path_factory.mktemp("full"), 1 << 30, some)
    summed = recorded(tmp_path_factory.mktemp("summed"), 0, some)

    assert told(summed) == told(full)
    assert summed.open().recording.summed_up == len(some)
    assert full.open().recording.summed_up == 0
