"""Sums of phases and steps: exact counts, times and histograms, whatever slots claim."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from longpole.log import slots
from longpole.log.slots import STEP_NONE, bin_of
from longpole.record.client.ring import private_ring
from longpole.record.rings import RingReader
from longpole.record.samplers.sums import Sums, owed_facts

DURATIONS = st.integers(0, 1 << 40) | st.integers(0, 1000)


def phase(start: int, end: int, name: int = 3, kind: int = 2, status: int = slots.OK) -> bytes:
    return slots.PHASE_LAYOUT.pack(slots.PHASE, status, 0, 1, 0, name, kind, 0, start, end, 0, 0, 0, 1)


def step(start: int, took: int, *times: int, label: int = 3 << 8) -> bytes:
    given_times = (*times, *(STEP_NONE, 0, STEP_NONE, 0, STEP_NONE, 0, STEP_NONE)[len(times) :])
    return slots.STEP_LAYOUT.pack(slots.STEP, slots.OK, 0, 0, 1, label, start, took, *given_times, 1)


def summed(*some: bytes) -> list[dict[str, Any]]:
    sums = Sums()
    assert sums.take(b"".join(some)) == b""
    return list(sums.changes())


@given(st.lists(st.tuples(st.integers(0, 1 << 50), DURATIONS, st.sampled_from([3, 4])), max_size=50))
def test_counts_times_and_bins_are_those_of_the_phases(phases: list[tuple[int, int, int]]) -> None:
    found = {facts["name"]: facts for facts in summed(*(phase(at, at + took, n) for at, took, n in phases))}

    for name, facts in found.items():
        own = [(start, took) for start, took, label in phases if label == name]
        assert (facts["count"], facts["total_ns"]) == (len(own), sum(took for _, took in own))
        assert (facts["start"], facts["end"]) == (min(own)[0], max(start + took for start, took in own))
        places = [bin_of(took) for _, took in own]
        assert facts["bins"] == sorted({(place, places.count(place)) for place in places})
    assert sum(facts["count"] for facts in found.values()) == len(phases)


def test_names_kinds_and_statuses_are_kept_apart() -> None:
    some = [phase(1, 2), phase(1, 2, name=4), phase(1, 2, kind=5), phase(1, 2, status=slots.FAILED)]

    found = summed(*some, phase(3, 4))

    assert [(facts["name"], facts["kind"], facts["status"], facts["count"]) for facts in found] == [
        (3, 2, 0, 2),
        (4, 2, 0, 1),
        (3, 5, 0, 1),
        (3, 2, 1, 1),
    ]


def test_steps_are_summed_with_their_parts() -> None:
    found = summed(
        step(1000, 900, 100, 100, 300, 400, 200, 600, 50),
        step(2000, 500, 50),
        step(3000, 700, label=3 << 8 | 1),
    )

    assert [(facts["kind_name"], facts["name"], facts["count"], facts["parts"]) for facts in found] == [
        ("step", 3, 2, [150, 300, 200, 50]),
        ("inference", 3, 1, [0, 0, 0, 0]),
    ]
    assert (found[0]["total_ns"], found[0]["start"], found[0]["end"]) == (1400, 1000, 2500)


def test_parts_never_go_beyond_their_step() -> None:
    [facts] = summed(step(0, 100, 500, 90, 90, 500, 500, 0, 100))

    assert facts["parts"] == [100, 10, 0, 100]


def test_times_that_cannot_be_are_counted_only() -> None:
    odd = [phase(5, 3), phase(-5, 3), phase(3, 1 << 61), phase(-(1 << 63), (1 << 63) - 1)]
    [facts] = summed(*odd, phase(10, 20))
    [of_steps] = summed(step(-1, 10), step((1 << 60) - 1, 10), step(10, 20))

    assert (facts["count"], facts["total_ns"], facts["start"], facts["end"]) == (5, 10, 10, 20)
    assert (of_steps["count"], of_steps["total_ns"], of_steps["start"], of_steps["end"]) == (3, 20, 10, 30)


def test_slots_of_other_kinds_are_kept_in_their_order() -> None:
    texts = [slots.TEXT_LAYOUT.pack(slots.TEXT, 1, 0, number, 1, b"x", number) for number in (1, 2)]

    kept = Sums().take(texts[0] + phase(1, 2) + texts[1] + step(1, 2))

    assert kept == texts[0] + texts[1]


def test_only_what_has_changed_is_told_again_and_as_it_stands() -> None:
    sums = Sums()
    sums.take(phase(1, 2) + phase(1, 2, name=4))
    first = [(facts["name"], facts["count"]) for facts in sums.changes()]
    settled = sums.changed
    sums.take(phase(1, 2))

    assert (first, settled, sums.changed) == ([(3, 1), (4, 1)], False, True)
    assert [(facts["name"], facts["count"]) for facts in sums.changes()] == [(3, 2)]
    assert list(sums.changes()) == []


def test_tallies_are_told_when_they_have_changed() -> None:
    ring = private_ring(512)
    reader, sums = RingReader(ring.memory), Sums()
    tally = ring.tally("step", "step")
    assert tally is not None
    tally.add(1000, 1300)
    tally.add(2000, 3000)

    [facts] = sums.tally_changes(reader.tallies())

    assert (facts["origin"], facts["count"], facts["total_ns"]) == ("tally", 2, 1300)
    assert (facts["start"], facts["end"]) == (1000, 3000)
    assert facts["bins"] == [(bin_of(300), 1), (bin_of(1000), 1)]
    assert list(sums.tally_changes(reader.tallies())) == []


def test_steps_that_were_never_written_are_told_by_kind() -> None:
    found = list(owed_facts([3, 0, 1], 50))

    assert [(facts["kind_name"], facts["count"], facts["start"]) for facts in found] == [
        ("step", 3, 50),
        ("batch", 1, 50),
    ]
