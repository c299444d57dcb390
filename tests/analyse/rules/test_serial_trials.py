"""Trials of a search that run one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.serial_trials import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import SEEDS, first_of_ours, is_silent, makespan_on
from tests.analyse.rules.training import gpu_busy, gpu_memory

TRIALS = 24


def search(seed: int, used_cores: float = 1.0) -> tuple[Planted, float, np.ndarray]:
    """A search whose trials run one after the other, how long it was, and its trials with the gaps before."""
    rng = np.random.default_rng(seed)
    trials, gaps = rng.uniform(5.0, 9.0, TRIALS), rng.uniform(0.01, 0.1, TRIALS)
    total = float((trials + gaps).sum()) + 2.0
    run = Planted(total, cores=8)
    process = run.phase("process", "python", 0.0, total, process=1)
    study = run.phase("search", "study", 1.0, total - 1.0, parent=process, process=1)
    at = 1.0
    for number in range(TRIALS):
        at += float(gaps[number])
        run.phase("trial", f"trial {number}", at, at + trials[number], parent=study, process=1)
        at += float(trials[number])
    run.facts(cpu_user_s=0.9 * used_cores * total, cpu_system_s=0.1 * used_cores * total)
    return run, total, trials + gaps


@SEEDS
@pytest.mark.parametrize(("used_cores", "at_once"), [(1.0, 8), (0.3, 8), (2.5, 3)])
def test_trials_one_at_a_time_come_first(seed, used_cores, at_once):
    run, total, trials = search(seed, used_cores)

    found = first_of_ours(run)

    assert (found.rule, found.phase) == ("serial-trials", "study")
    assert found.saving_s == pytest.approx(total - 2.0 - makespan_on(trials, at_once), rel=0.03)
    assert found.saving_low_s == pytest.approx(total - 2.0 - makespan_on(trials, 2), rel=0.03)
    assert f"n_jobs={at_once}" in found.advice


@SEEDS
def test_a_gpu_bounds_how_many_fit(seed):
    run, total, trials = search(seed)
    gpu_busy(run, seed, total, 0.15, scope="tree")
    gpu_memory(run, total, 0.3, scope="tree")

    found = first_of_ours(run)

    assert found.rule == "serial-trials"
    assert "n_jobs=3" in found.advice
    assert found.saving_s == pytest.approx(total - 2.0 - makespan_on(trials, 3), rel=0.03)


@SEEDS
@pytest.mark.parametrize(("busy", "memory"), [(0.7, 0.1), (0.2, 0.6), (0.2, None)])
def test_a_gpu_without_room_is_left_alone(seed, busy, memory):
    run, total, _ = search(seed)
    gpu_busy(run, seed, total, busy)
    if memory is not None:
        gpu_memory(run, total, memory)

    assert is_silent(run, RULE)


@SEEDS
def test_cores_without_room_are_left_alone(seed):
    run, _, _ = search(seed, used_cores=4.5)

    assert is_silent(run, RULE)


def test_nothing_is_said_where_the_cores_in_use_are_not_known():
    run, _, _ = search(0)
    run.facts(cpu_user_s=None)

    assert is_silent(run, RULE)


@SEEDS
def test_trials_that_overlap_are_left_alone(seed):
    rng = np.random.default_rng(seed)
    run = Planted(60.0, cores=16)
    study = run.phase("search", "study", 0.0, 60.0)
    for number in range(20):
        start = 2.5 * number + rng.uniform(0.0, 0.5)
        run.phase("trial", f"trial {number}", start, start + rng.uniform(4.0, 8.0), parent=study)
    run.facts(cpu_user_s=60.0, cpu_system_s=0.0)

    assert is_silent(run, RULE)
