"""Every rule of ours: first of all on what was planted for it, and silent on what is nearly the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

from longpole.analyse.rules.case import Rule
from longpole.analyse.rules.ours import OURS
from tests.analyse.planted import Planted
from tests.analyse.rules import (
    test_cpu_inference,
    test_data_loading,
    test_dispatch,
    test_imbalance,
    test_import_time,
    test_interference,
    test_lock,
    test_memory_pressure,
    test_queue,
    test_rereading,
    test_serial_trials,
    test_small_files,
    test_staging,
    test_straggler,
)
from tests.analyse.rules.seen import SEEDS, assert_readable
from tests.analyse.rules.training import gpu_busy, training

Make = Callable[[int], Planted]


class Plant(NamedTuple):
    """What a rule must find, and what it must not: runs by their seed."""

    case: Make
    near_miss: Make


def gpu_beside(seed: int, busy: float) -> Planted:
    """Return inference beside a GPU that is so busy."""
    run, _ = test_cpu_inference.inference(seed)
    gpu_busy(run, seed, 60.0, busy)
    return run


def training_on_gpu(seed: int, busy: float) -> Planted:
    """Return a training whose GPU is so busy."""
    planted = training(seed, data=0.1)
    gpu_busy(planted.run, seed, planted.total_s, busy)
    return planted.run


def full_memory(seed: int, stall: float) -> Planted:
    """Return a run on a host with full memory, where this share of the stalls is real."""
    stalls = test_memory_pressure.stalls_of(seed) * stall
    run = test_memory_pressure.planted_run(np.full(60, 0.98))
    for second, stalled in enumerate(stalls):
        run.sample("pressure", "memory some", second, second + 1.0, stalled, owner=1, capacity=1.0)
    return run


PLANTED = {
    "data-loading": Plant(
        lambda seed: test_data_loading.training(seed, wait_s=0.3, compute_s=0.2),
        lambda seed: test_data_loading.training(seed, wait_s=0.018, compute_s=0.2),
    ),
    "import-time": Plant(
        lambda seed: test_import_time.short_processes(seed, 4)[0],
        lambda seed: test_import_time.one_process(seed, 0.2)[0],
    ),
    "checkpoint": Plant(
        lambda seed: training(seed, save=2.0).run,
        lambda seed: training(seed, save=2.0, name="load").run,
    ),
    "serial-trials": Plant(
        lambda seed: test_serial_trials.search(seed)[0],
        lambda seed: test_serial_trials.search(seed, used_cores=4.5)[0],
    ),
    "idle-gpu": Plant(lambda seed: training_on_gpu(seed, 0.25), lambda seed: training_on_gpu(seed, 0.6)),
    "cpu-inference": Plant(lambda seed: gpu_beside(seed, 0.01), lambda seed: gpu_beside(seed, 0.1)),
    "staging": Plant(
        lambda seed: test_staging.jobs(seed, 4.0)[0], lambda seed: test_staging.jobs(seed, 0.2)[0]
    ),
    "queue": Plant(
        lambda seed: test_queue.few_slots(seed, 3)[0],
        lambda seed: test_queue.slow_queue(seed, 8.0, wait="hold")[0],
    ),
    "straggler": Plant(
        lambda seed: test_straggler.planted_run(test_straggler.times(seed, slow_s=25.0)[0]),
        lambda seed: test_straggler.planted_run(test_straggler.times(seed, slow_s=13.5)[0]),
    ),
    "imbalance": Plant(
        lambda seed: test_imbalance.planted_run(test_imbalance.uneven(seed)),
        lambda seed: test_imbalance.planted_run(np.random.default_rng(seed).normal(10.0, 0.3, 6)),
    ),
    "dispatch": Plant(
        lambda seed: test_dispatch.planted_run(*test_dispatch.noise(seed, 960, 0.22, 0.1)),
        lambda seed: test_dispatch.planted_run(*test_dispatch.noise(seed, 240, 22.0, 0.1)),
    ),
    "memory-pressure": Plant(lambda seed: full_memory(seed, 1.0), lambda seed: full_memory(seed, 0.02)),
    "small-files": Plant(
        lambda seed: test_small_files.planted_run(seed, cpu_in_data=0.1)[0],
        lambda seed: test_small_files.planted_run(seed, cpu_in_data=0.1, file_bytes=400_000)[0],
    ),
    "re-reading": Plant(
        lambda seed: test_rereading.planted_run(seed, storage_bytes=9_500_000_000)[0],
        lambda seed: test_rereading.planted_run(seed, storage_bytes=1_050_000_000)[0],
    ),
    "interference": Plant(
        lambda seed: test_interference.planted_run(seed, workers=4, others=2.0)[0],
        lambda seed: test_interference.planted_run(seed, workers=1, others=2.9)[0],
    ),
    "lock": Plant(
        lambda seed: test_lock.threads_of(seed, used=1.0)[0],
        lambda seed: test_lock.threads_of(seed, used=3.9)[0],
    ),
}
EVERY = pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.name)


def test_every_rule_has_a_planted_case() -> None:
    assert set(PLANTED) == {rule.name for rule in OURS}


@EVERY
def test_a_rule_is_first_of_all_on_what_was_planted_for_it(rule: Rule) -> None:
    found = [PLANTED[rule.name].case(seed).findings(*OURS) for seed in SEEDS]

    assert [findings[0].rule for findings in found if findings] == [rule.name] * len(SEEDS)
    for findings in found:
        assert_readable(findings[0])


@EVERY
def test_a_rule_is_silent_on_what_is_nearly_the_same(rule: Rule) -> None:
    assert [PLANTED[rule.name].near_miss(seed).findings(rule) for seed in SEEDS] == [()] * len(SEEDS)
