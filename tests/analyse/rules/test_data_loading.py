"""Training that waits for its data."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.data_loading import RULE
from tests.analyse.planted import Planted

SEEDS = range(20)
STEPS = 40


def training(seed: int, wait_s: float, compute_s: float, workers: int = 0, cores: int = 8) -> Planted:
    """A training whose steps wait and compute about so long."""
    rng = np.random.default_rng(seed)
    waits, computes = (rng.normal(mean, mean / 10, STEPS).clip(mean / 2) for mean in (wait_s, compute_s))
    length = 2.0 + float(waits.sum() + computes.sum())
    run = Planted(length, cores=cores)
    main = run.phase("process", "train.py", 0.0, length, process=1)
    for number in range(workers):
        run.phase("process", "worker", 1.0, length - 0.5, parent=main, process=number + 2)
    epoch = run.phase("epoch", "epoch", 1.0, length - 1.0, parent=main, process=1)
    now = 1.0
    for wait, compute in zip(waits.tolist(), computes.tolist(), strict=True):
        step = run.phase("step", "step", now, now + wait + compute, parent=epoch, process=1)
        run.phase("data", "data", now, now + wait, parent=step, process=1)
        now += wait + compute
    return run


@pytest.mark.parametrize("seed", SEEDS)
def test_loading_in_the_training_process_is_found_and_its_gain_is_that_of_workers(seed):
    [found] = training(seed, wait_s=0.3, compute_s=0.2).findings(RULE)

    assert found.phase == "step: data"
    # with two workers batches come every 0.15 s, and steps take 0.2 s: all but the first wait is gone
    assert found.saving_s == pytest.approx(0.3 * (STEPS - 1), rel=0.1)
    assert found.step_s == pytest.approx(0.2, rel=0.1)
    assert found.saving_low_s <= found.saving_s <= found.saving_high_s
    assert "num_workers=2" in found.advice
    assert "itself" in found.evidence[2]


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_that_hardly_wait_are_no_finding(seed):
    assert not training(seed, wait_s=0.01, compute_s=0.2).findings(RULE)


@pytest.mark.parametrize("seed", SEEDS)
def test_more_workers_help_where_there_are_too_few(seed):
    [found] = training(seed, wait_s=0.3, compute_s=0.1, workers=1).findings(RULE)

    assert "1 worker process " in found.evidence[2]
    assert found.saving_s > 0


def test_workers_gain_no_more_than_the_cores_allow():
    run = training(0, wait_s=0.3, compute_s=0.2, cores=1)
    run.facts(cpu_user_s=0.5 * STEPS + 2.0, cpu_system_s=0.0)  # one core, busy throughout

    assert not run.findings(RULE)


def test_nothing_is_said_of_a_run_without_steps():
    assert not Planted(10.0).findings(RULE)
