from __future__ import annotations

import pytest

from longpole.analyse.observations import idle_between, observations, readings, stacked
from longpole.model.attribution import AttributionError
from tests.analyse.workloads import SECOND, listed, ns, samples


def test_samples_are_sorted_and_those_that_say_nothing_left_out():
    found = observations(samples((2, 3, 1.0), (0, 1, 4.0), (1, 2, None), (5, 5, 9.0)))

    assert (found.start / SECOND).tolist() == [0, 2]
    assert found.mass.tolist() == [4.0, 1.0]


def test_a_sample_that_the_window_cuts_keeps_its_share_of_the_mass():
    # 2 a second over 10 s; the window holds the last 3 s of it
    found = observations(samples((0, 10, 2.0), (20, 30, 5.0)), (ns(7), ns(15)))

    assert found.mass.tolist() == [6.0]


def test_samples_that_overlap_are_refused_and_can_be_added_up():
    both = samples((0, 2, 1.0), (1, 3, 2.0))

    with pytest.raises(AttributionError, match=r"overlap at 1000000000 ns.*stacked"):
        observations(both)
    assert listed(stacked(both), "start_ns", "end_ns", "value") == [
        (ns(0), ns(1), 1.0),
        (ns(1), ns(2), 3.0),
        (ns(2), ns(3), 2.0),
    ]


def test_stacking_leaves_gaps_as_they_are_and_keeps_samples_of_zero():
    assert listed(stacked(samples((0, 1, 0.0), (4, 5, 2.0))), "start_ns", "value") == [
        (0, 0.0),
        (ns(4), 2.0),
    ]
    assert stacked(samples()).rows == 0


def test_a_rate_below_zero_is_refused():
    with pytest.raises(AttributionError, match=r"-1\.0"):
        readings(samples((0, 1, -1.0)))


def test_what_is_left_out_of_a_recording_can_be_zero():
    found = idle_between(samples((1, 2, 3.0), (2, 4, 1.0)), (ns(0), ns(6)))

    assert listed(found, "start_ns", "end_ns", "value") == [
        (ns(0), ns(1), 0.0),
        (ns(1), ns(2), 3.0),
        (ns(2), ns(4), 1.0),
        (ns(4), ns(6), 0.0),
    ]
    assert listed(idle_between(samples(), (0, 5)), "start_ns", "end_ns", "value") == [(0, 5, 0.0)]
