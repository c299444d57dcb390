"""Times of trace events are exact, and what is broken gets a sentence."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal

import msgspec
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from longpole.exchange.trace_events import Event, Lanes, decoded, nanoseconds, times_of, whole
from longpole.exchange.unreadable import UnreadableFileError
from tests.exchange.foreign import given

DECODER = msgspec.json.Decoder(list[Event])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"0", 0),
        (b"25", 25_000),
        (b"1712195495519689.047", 1_712_195_495_519_689_047),
        (b"4458676983543.1", 4_458_676_983_543_100),
        (b"1.5e3", 1_500_000),
        (b"2e-3", 2),
        (b"0.0004", 0),
        (b"0.0006", 1),
        (b"-0.5", -500),
        (b'"12.5"', 12_500),
    ],
)
def test_microseconds_become_nanoseconds_from_their_text(text: bytes, expected: int) -> None:
    assert nanoseconds(msgspec.Raw(text)) == expected


@examples(st.decimals(min_value=0, max_value=Decimal(10) ** 15, places=3))
def test_three_digits_are_always_exact(value: Decimal) -> None:
    exact = int((value * 1000).to_integral_value(ROUND_HALF_EVEN))

    assert nanoseconds(msgspec.Raw(f"{value:f}".encode())) == exact


@pytest.mark.parametrize("text", [b"", b"null", b"true", b'"x"', b"[1]", b"1e30", b"1e999999999", b'"NaN"'])
def test_what_is_no_number_of_microseconds_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError, match="no "):
        nanoseconds(msgspec.Raw(text))


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{}", "no ts"),
        ('{"ts": -1}', "the ts -1"),
        ('{"ts": null}', "the ts null"),
        ('{"ts": 99999999999999999999}', "the ts 9999"),
        ('{"ts": 4e15}', ""),
    ],
)
def test_the_first_event_without_a_usable_time_is_named(bad: str, said: str) -> None:
    file = given(f'[{{"ts": 1, "name": "good"}}, {bad.replace("{", _named(bad))}]', "some.file")
    events = decoded(file, DECODER)

    if not said:
        assert times_of("some.file", events, "ts").tolist() == [1000, 4 * 10**18]
        return
    with pytest.raises(UnreadableFileError, match=rf"some\.file .*event 'bad' has {said}"):
        times_of("some.file", events, "ts")


def _named(bad: str) -> str:
    return '{"name": "bad"' + ("" if bad == "{}" else ", ")


def test_no_events_have_no_times() -> None:
    assert times_of("some.file", [], "ts").tolist() == []


def test_numbers_that_json_does_not_have_are_mended() -> None:
    text = '[{"name": "a: inf, b", "ts": 1, "args": {"blocks per SM": inf, "x": -nan}}, {"ts": NaN}]'

    assert [event.name for event in decoded(given(text), DECODER)] == ["a: inf, b", None]


def test_a_list_that_was_not_closed_is_closed() -> None:
    assert len(decoded(given('[{"ts": 1},\n{"ts": 2},\n'), DECODER)) == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('[{"ts": 1', "cut off"),
        ("nothing", "is no JSON"),
        ("[3]", "is no trace of events: .*'object'"),
        ('[{"ph": 3}]', r"ph"),
        ("[" * 100_000, "is no"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(content: str, said: str) -> None:
    with pytest.raises(UnreadableFileError, match=rf"^some\.file .*{said}") as caught:
        decoded(given(content, "some.file"), DECODER)

    assert str(caught.value).endswith(".")


def test_threads_and_streams_have_numbers() -> None:
    lanes = Lanes()

    assert [lanes.number(label) for label in (7, "7", "stream 7", 3.0, -1)] == [7, 7, 7, 3, -1]
    named = [lanes.number(label) for label in ("main", "render", "main", None)]
    assert named[0] == named[2]
    assert len(set(named)) == 3


def test_numbers_too_large_for_a_table_are_none() -> None:
    assert whole(2**63) is None
    assert whole(1.8e19) is None
    assert whole(float("nan")) is None
    assert whole(True) is None
