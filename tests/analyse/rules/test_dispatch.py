"""Many short tasks with a gap before each."""

from __future__ import annotations

from heapq import heapreplace

import numpy as np
import pytest

from longpole.analyse.rules.dispatch import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first

_SLOTS = 4


def _starts(took: np.ndarray, gaps: np.ndarray, slots: int) -> np.ndarray:
    """When tasks start that take the next free slot after a gap."""
    free = [0.0] * slots
    starts = np.zeros(len(took))
    for at, (one, gap) in enumerate(zip(took, gaps, strict=True)):
        starts[at] = free[0] + gap
        heapreplace(free, starts[at] + one)
    return starts


def planted_run(took: np.ndarray, gaps: np.ndarray, slots: int = _SLOTS) -> Planted:
    starts = _starts(took, gaps, slots)
    planted = Planted(float((starts + took).max()))
    for number, (start, one) in enumerate(zip(starts, took, strict=True)):
        planted.phase("job", "convert", start, start + one, task=number + 1)
    return planted


def noise(seed: int, count: int, task_s: float, gap_s: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.normal(task_s, 0.1 * task_s, count), rng.normal(gap_s, 0.1 * gap_s, count)


def _saved_by_five(took: np.ndarray, gaps: np.ndarray) -> float:
    """What is saved if five tasks are one job; 10 gaps of 0.1 s are five tasks."""
    before = float((_starts(took, gaps, _SLOTS) + took).max())
    grouped = took.reshape(-1, 5).sum(axis=1)
    return before - float((_starts(grouped, gaps[::5], _SLOTS) + grouped).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_short_jobs_on_slots_are_found_first_with_their_saving(seed: int):
    took, gaps = noise(seed, 960, 0.22, 0.1)

    found = first(planted_run(took, gaps))

    assert found.rule == "dispatch"
    assert "Put about 5 tasks" in found.advice
    assert_near(found.saving_s, _saved_by_five(took, gaps), 0.05)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_saving_of_fewer_jobs_is_within_the_range(seed: int):
    took, gaps = noise(seed, 240, 0.22, 0.1)

    found = first(planted_run(took, gaps))

    # Larger jobs end less evenly than the replay has it: a job of 1.2 s is a quarter of the saving.
    assert found.rule == "dispatch"
    assert_near(found.saving_s, _saved_by_five(took, gaps), 0.1)
    assert found.saving_low_s < _saved_by_five(took, gaps) < found.saving_high_s


@pytest.mark.parametrize("seed", SEEDS)
def test_short_processes_one_after_the_other_are_found_first(seed: int):
    took, gaps = noise(seed, 100, 0.22, 0.1)
    starts = _starts(took, gaps, 1)
    end = float(starts[-1] + took[-1])
    planted = Planted(end)
    shell = planted.phase("process", "bash -c", 0.0, end, process=1)
    for number, (start, one) in enumerate(zip(starts, took, strict=True)):
        planted.phase("process", "gzip", start, start + one, parent=shell, process=number + 2)
    planted.sample("cpu", "used", 0.0, end, 0.02, scope="process", owner=1, capacity=4.0)

    found = first(planted)

    assert (found.rule, found.phase) == ("dispatch", "bash -c")
    assert_near(found.saving_s, float(gaps.sum()) * (1 - 1 / 5), 0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_on_long_tasks(seed: int):
    took, gaps = noise(seed, 240, 22.0, 0.1)

    assert list(RULE.look(planted_run(took, gaps).case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_on_few_tasks(seed: int):
    took, gaps = noise(seed, 40, 0.22, 0.1)

    assert list(RULE.look(planted_run(took, gaps).case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_the_process_computes_between_its_children(seed: int):
    took, gaps = noise(seed, 100, 0.2, 0.5)
    starts = _starts(took, gaps, 1)
    end = float(starts[-1] + took[-1])
    planted = Planted(end)
    python = planted.phase("process", "python fit.py", 0.0, end, process=1)
    for number, (start, one) in enumerate(zip(starts, took, strict=True)):
        planted.phase("process", "plot", start, start + one, parent=python, process=number + 2)
        planted.sample("cpu", "used", start - gaps[number], start, 0.97, scope="process", owner=1)

    assert list(RULE.look(planted.case())) == []


def test_silent_if_there_are_too_few_tasks_for_the_slots():
    took, gaps = noise(0, 60, 0.22, 0.1)

    assert list(RULE.look(planted_run(took, gaps, slots=30).case())) == []
