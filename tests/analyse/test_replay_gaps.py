"""Replays in which the gaps before tasks change."""

from __future__ import annotations

from longpole.analyse.change import Change
from longpole.analyse.replay import Replay
from tests.analyse.planted import Planted, S


def _two_slots() -> Replay:
    """Six tasks of 2.2 s on two slots; most start 0.9 s after their slot was free."""
    planted = Planted(9.4)
    for begin in (0.0, 1.0, 3.1, 4.1, 6.2, 7.2):
        planted.phase("job", "a", begin, begin + 2.2)
    return Replay(planted.tree())


def test_gaps_of_a_phase_are_multiplied():
    replay = _two_slots()

    as_it_was = replay.unchanged.makespan_ns
    half = replay.replay(Change(gaps={0: 0.5})).makespan_ns
    without = replay.replay(Change(gaps={0: 0.0})).makespan_ns

    assert without == round(6.6 * S)
    assert without < half < as_it_was


def test_gaps_of_another_phase_stay():
    replay = _two_slots()

    assert replay.replay(Change(gaps={1: 0.0})).draws_ns == replay.unchanged.draws_ns


def test_a_factor_of_one_changes_nothing():
    replay = _two_slots()

    assert replay.replay(Change(gaps={0: 1.0})).draws_ns == replay.unchanged.draws_ns


def test_with_a_length_by_hand():
    planted = Planted(9.0)
    planted.phase("phase", "main", 0.0, 9.0)
    planted.phase("job", "a", 0.0, 4.0)
    planted.phase("job", "b", 5.0, 9.0)
    replay = Replay(planted.tree())

    # 'main' makes room after a second, and 'b' takes it at once
    assert replay.unchanged.makespan_ns == 9 * S
    assert replay.replay(Change(lengths_ns={1: S}, gaps={0: 0.0})).makespan_ns == 5 * S
