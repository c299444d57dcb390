"""Stragglers among jobs that run side by side."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.straggler import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first, rules_of

_JOBS = 12


def times(seed: int, slow_s: float) -> tuple[np.ndarray, int]:
    rng = np.random.default_rng(seed)
    took, slow = rng.normal(10.0, 0.4, _JOBS), int(rng.integers(_JOBS))
    took[slow] = slow_s + rng.normal(0.0, 0.2)
    return took, slow


def planted_run(took: np.ndarray, beside_s: float = 0.0) -> Planted:
    """Jobs between a begin and an end of 2 and 3 seconds; perhaps something else beside them."""
    end = 2.0 + max(float(took.max()), beside_s)
    planted = Planted(end + 3.0)
    planted.phase("phase", "prepare", 0.0, 2.0)
    for number, one in enumerate(took):
        planted.phase("job", f"align {number}", 2.0, 2.0 + one)
    if beside_s:
        planted.phase("phase", "simulate", 2.0, 2.0 + beside_s)
    planted.phase("phase", "join", end, end + 3.0)
    return planted


@pytest.mark.parametrize("seed", SEEDS)
def test_one_slow_job_is_found_first_with_its_saving(seed: int):
    took, slow = times(seed, slow_s=25.0)

    found = first(planted_run(took))

    assert (found.rule, found.phase) == ("straggler", "align")
    assert_near(found.saving_s, took[slow] - np.delete(took, slow).max(), 0.03)
    assert "1 of 12" in found.evidence[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_off_the_critical_path(seed: int):
    took, _ = times(seed, slow_s=25.0)

    assert "straggler" not in rules_of(planted_run(took, beside_s=40.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_none_is_far_from_the_others(seed: int):
    took, _ = times(seed, slow_s=13.5)

    assert list(RULE.look(planted_run(took).case())) == []


def test_silent_if_many_are_slow():
    took = np.array([10.0] * 8 + [25.0] * 4)

    assert list(RULE.look(planted_run(took).case())) == []


def test_silent_if_the_slow_one_ends_before_others():
    planted = Planted(40.0)
    for number in range(8):
        planted.phase("job", "align", 0.0 + 20.0 * (number > 0), 30.0 + 0.1 * number)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_stragglers_of_many_rounds_are_one_finding(seed: int):
    rng = np.random.default_rng(seed)
    rounds = rng.normal(2.0, 0.05, (6, 8))
    rounds[:, 3] = rng.normal(5.0, 0.1, 6)
    planted = Planted(float(rounds.max(axis=1).sum()) + 1.2)
    begin = 0.1
    for took in rounds:
        for one in took:
            planted.phase("phase", "rank", begin, begin + one)
        begin += took.max() + 0.2

    found = first(planted)

    assert found.rule == "straggler"
    assert_near(found.saving_s, float((rounds[:, 3] - np.delete(rounds, 3, axis=1).max(axis=1)).sum()), 0.03)
