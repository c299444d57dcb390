from __future__ import annotations

import pytest

from longpole.measure.cores import Ticks
from longpole.measure.probe import LEAST_REPEATS, UnmeasurableError
from longpole.measure.rounds import Turns, sentence, take_turns
from tests.measure.probes import Clock, Made

IDLE = Ticks(0.0, 0.0, 2)


def turns_of(*probes):
    return [Turns((probe.name,), probe) for probe in probes]


def test_repeats_of_each_probe_are_spread_over_the_whole_time():
    clock = Clock()
    quick, slow = Made(clock, 0.5), Made(clock, 2.0)

    take_turns(turns_of(quick, slow), 40.0, lambda _: None, clock, lambda: IDLE)

    for probe in (quick, slow):
        assert min(probe.begun) < 4
        assert max(probe.begun) > 36
    assert len(quick.begun) > 3 * len(slow.begun)


def test_each_probe_has_its_fewest_repeats_however_short_the_time():
    clock = Clock()
    probes = [Made(clock, 1.0), Made(clock, 50.0, least=2)]

    take_turns(turns_of(*probes), 0.0, lambda _: None, clock, lambda: IDLE)

    assert [len(probe.begun) for probe in probes] == [LEAST_REPEATS, 2]


def test_a_probe_that_fails_ends_alone_and_keeps_what_it_had():
    clock = Clock()
    failing, other = Made(clock, fails_after=2), Made(clock)
    all_turns = turns_of(failing, other)

    take_turns(all_turns, 20.0, lambda _: None, clock, lambda: IDLE)

    assert (all_turns[0].repeats, all_turns[0].failure) == (2, "It failed: No space left on device.")
    assert all_turns[1].repeats > LEAST_REPEATS


def test_what_others_held_is_a_share_of_all_cores():
    clock = Clock()
    all_turns = turns_of(Made(clock, 1.0))

    take_turns(all_turns, 10.0, lambda _: None, clock, lambda: Ticks(clock.now * 1.5, clock.now * 0.5, 2))

    assert all_turns[0].others == pytest.approx(0.5)


def test_a_probe_that_needs_no_cores_feels_nobody():
    clock = Clock()
    all_turns = turns_of(Made(clock, 1.0, on_cores=False))

    take_turns(all_turns, 10.0, lambda _: None, clock, lambda: Ticks(clock.now, 0.0, 2))

    assert all_turns[0].others == 0.0


def test_time_is_told_as_it_goes_by():
    clock = Clock()
    told: list[float] = []

    take_turns(turns_of(Made(clock, 1.0)), 6.0, told.append, clock, lambda: IDLE)

    assert told == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (UnmeasurableError("No room."), "No room."),
        (OSError(13, "Permission denied"), "It failed: Permission denied."),
        (OSError("cut short"), "It failed: cut short."),
        (MemoryError(), "There is not enough memory for it."),
    ],
)
def test_a_failure_is_a_sentence(error, said):
    assert sentence(error) == said
