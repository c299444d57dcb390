"""Workers that do not end together."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.imbalance import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first, rules_of


def planted_run(took: np.ndarray, beside_s: float = 0.0) -> Planted:
    end = 1.0 + max(float(took.max()), beside_s)
    planted = Planted(end + 1.0)
    planted.phase("phase", "split", 0.0, 1.0)
    for number, one in enumerate(took):
        planted.phase("phase", f"worker-{number}", 1.0, 1.0 + one, lane=number + 1)
    if beside_s:
        planted.phase("job", "other", 1.0, 1.0 + beside_s)
    planted.phase("phase", "merge", end, end + 1.0)
    return planted


def uneven(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(rng.permutation(np.linspace(6.0, 14.0, 6)) + rng.normal(0.0, 0.2, 6))


@pytest.mark.parametrize("seed", SEEDS)
def test_uneven_workers_are_found_first_with_their_saving(seed: int):
    took = uneven(seed)

    found = first(planted_run(took))

    assert (found.rule, found.phase) == ("imbalance", "worker")
    assert_near(found.saving_s, took.max() - took.mean(), 0.02)


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_workers_end_together(seed: int):
    took = np.random.default_rng(seed).normal(10.0, 0.3, 6)

    assert list(RULE.look(planted_run(took).case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_off_the_critical_path(seed: int):
    assert "imbalance" not in rules_of(planted_run(uneven(seed), beside_s=30.0))


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_on_a_queue_that_keeps_all_slots_busy(seed: int):
    rng = np.random.default_rng(seed)
    free = [0.0] * 4
    jobs = []
    for took in rng.uniform(0.5, 1.5, 200):
        begin = min(free)
        free[free.index(begin)] = begin + took
        jobs.append((begin, begin + took))
    planted = Planted(max(free))
    for begin, end in jobs:
        planted.phase("job", "piece", begin, end)

    assert "imbalance" not in rules_of(planted)


def test_a_straggler_is_left_to_its_rule():
    assert list(RULE.look(planted_run(np.array([10.0, 10.1, 9.9, 10.0, 10.2, 25.0])).case())) == []


@pytest.mark.parametrize("shims", [1, 3, 12])
def test_silent_on_shells_beside_the_program_that_they_start(shims: int):
    planted = Planted(20.0)
    shell = planted.phase("process", "make", 0.0, 20.0, process=1)
    planted.phase("process", "bash", 0.0, 19.9, parent=shell, process=2)
    for number in range(shims):
        planted.phase("process", "bash", 0.01, 0.02 + 0.001 * number, parent=shell, process=number + 3)

    assert not {"imbalance", "straggler"} & rules_of(planted)


def test_threads_without_work_are_found():
    planted = planted_run(np.array([10.0, 9.8, 0.01, 0.01]))

    assert first(planted).rule == "imbalance"
