"""Inference on the CPU, beside a GPU that does nothing."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.cpu_inference import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import SEEDS, chain, first_of_ours, is_silent
from tests.analyse.rules.training import gpu_busy


def inference(
    seed: int, kind: str = "inference", name: str = "Net", cores: float = 3.5
) -> tuple[Planted, float]:
    """A run that is mostly inference, and how long that computed."""
    rng = np.random.default_rng(seed)
    data, forward = rng.uniform(0.02, 0.06, 50), rng.uniform(0.4, 0.8, 50)
    total = float((data + forward).sum()) + 4.0
    run = Planted(total)
    process = run.phase("process", "python", 0.0, total, process=1)
    at = chain(run, process, 0.0, [("phase", "prepare", 3.0)], process=1)
    for one, two in zip(data, forward, strict=True):
        step = run.phase(kind, name, at, at + one + two, parent=process, process=1)
        at = chain(run, step, at, [("data", "data", one), ("forward", "forward", two)], process=1)
    run.facts(cpu_user_s=cores * total, cpu_system_s=0.0)
    return run, float(forward.sum())


@SEEDS
@pytest.mark.parametrize(
    ("kind", "name"), [("inference", "Net"), ("predict", "SVC"), ("phase", "run_Inference")]
)
def test_inference_beside_an_idle_gpu_comes_first(seed, kind, name):
    run, forward_s = inference(seed, kind, name)
    gpu_busy(run, seed, 60.0, 0.01)

    found = first_of_ours(run)

    assert (found.rule, found.phase) == ("cpu-inference", name)
    assert found.saving_s == pytest.approx(0.9 * forward_s, rel=0.01)
    assert found.saving_low_s == pytest.approx(0.5 * forward_s, rel=0.01)
    assert found.saving_high_s == pytest.approx(0.98 * forward_s, rel=0.01)
    assert "assumption" in found.advice
    assert "assumption" in found.change


@SEEDS
def test_a_gpu_that_works_is_left_alone(seed):
    run, _ = inference(seed)
    gpu_busy(run, seed, 60.0, 0.3)

    assert is_silent(run, RULE)


@SEEDS
def test_a_program_that_waits_for_a_server_is_left_alone(seed):
    run, _ = inference(seed, cores=0.1)
    gpu_busy(run, seed, 60.0, 0.0)

    assert is_silent(run, RULE)


@SEEDS
def test_a_host_that_was_idle_meanwhile_is_left_alone(seed):
    run, _ = inference(seed)
    gpu_busy(run, seed, 60.0, 0.0)
    run.sample("cpu", "user", 0.0, 3.0, 30.0, owner=1)
    run.sample("cpu", "user", 3.0, 60.0, 0.1, owner=1)

    assert is_silent(run, RULE)


def test_nothing_is_said_of_a_host_without_a_gpu():
    run, _ = inference(0)

    assert is_silent(run, RULE)


@SEEDS
def test_inference_beside_the_critical_path_is_not_named(seed):
    rng = np.random.default_rng(seed)
    run = Planted(40.0)
    process = run.phase("process", "python", 0.0, 40.0, process=1)
    run.phase("phase", "simulate", 0.0, 39.0, parent=process, process=1)
    for start in range(1, 35, 4):
        run.phase("inference", "Net", start, start + rng.uniform(1.0, 3.0), parent=process, process=1, lane=2)
    run.facts(cpu_user_s=100.0, cpu_system_s=0.0)
    gpu_busy(run, seed, 40.0, 0.0)

    assert is_silent(run, RULE)


def test_a_phase_that_trains_is_no_inference():
    run = Planted(20.0)
    both = run.phase("phase", "train_and_predict", 0.0, 20.0)
    run.phase("step", "step", 1.0, 19.0, parent=both)
    run.facts(cpu_user_s=60.0, cpu_system_s=0.0)
    gpu_busy(run, 0, 20.0, 0.0)

    assert is_silent(run, RULE)
