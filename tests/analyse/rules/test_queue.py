"""Jobs that wait in a queue."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.queue import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import SEEDS, first_of_ours, is_silent, makespan_on, starts_on

JOBS = 24


def job(run: Planted, ready_s: float, start_s: float, end_s: float, wait: str = "queue") -> None:
    """Put down a job that is ready, then starts, then ends."""
    one = run.phase("job", "align", ready_s, end_s, task=1)
    if start_s > ready_s:
        run.phase(wait, "align", ready_s, start_s, parent=one, task=1)
    run.phase("exec", "align", start_s, end_s, parent=one, task=1)


def few_slots(seed: int, slots: int) -> tuple[Planted, float]:
    """Jobs that are all ready at once and run so many at a time; what twice as many would save."""
    rng = np.random.default_rng(seed)
    ran, gaps = rng.uniform(8.0, 12.0, JOBS), rng.uniform(0.01, 0.1, JOBS)
    total = makespan_on(ran + gaps, slots)
    run = Planted(total, cores=16)
    for at, start in enumerate(starts_on(ran + gaps, slots)):
        job(run, 0.0, start + gaps[at], start + gaps[at] + ran[at])
    return run, total - makespan_on(ran + gaps, 2 * slots)


def slow_queue(seed: int, queue_s: float, wait: str = "queue", wave: int = 4) -> tuple[Planted, float]:
    """Waves of jobs, each ready when the last has ended, and waiting though nothing runs; what that costs."""
    rng = np.random.default_rng(seed)
    waited, ran = queue_s * rng.uniform(0.5, 1.5, (5, wave)), rng.uniform(20.0, 30.0, (5, wave))
    lengths = (waited + ran).max(axis=1)
    run = Planted(float(lengths.sum()))
    ready = 0.0
    for number in range(5):
        for one, two in zip(waited[number], ran[number], strict=True):
            job(run, ready, ready + one, ready + one + two, wait)
        ready += float(lengths[number])
    return run, float(lengths.sum() - ran.max(axis=1).sum())


@SEEDS
@pytest.mark.parametrize("slots", [1, 3])
def test_jobs_that_wait_for_each_other_come_first(seed, slots):
    run, truth = few_slots(seed, slots)

    found = first_of_ours(run)

    assert (found.rule, found.phase) == ("queue", "align")
    assert found.saving_s == pytest.approx(truth, rel=0.03)
    assert f"{2 * slots} instead of {slots}" in found.advice


@SEEDS
def test_a_machine_whose_cores_are_busy_has_no_room_for_more_jobs(seed):
    run, _ = few_slots(seed, 3)
    total_s = run.case().makespan_ns / 1e9
    run.facts(cpu_user_s=14.0 * total_s, cpu_system_s=0.0)

    assert is_silent(run, RULE)


@SEEDS
def test_a_slow_queue_comes_first(seed):
    run, truth = slow_queue(seed, 8.0, wave=1)

    found = first_of_ours(run)

    assert (found.rule, found.phase) == ("queue", "align")
    assert found.saving_s == pytest.approx(truth, rel=0.01)
    assert "sbatch" in found.advice


@SEEDS
def test_a_slow_queue_of_many_jobs_comes_first(seed):
    run, truth = slow_queue(seed, 8.0, wave=4)

    found = first_of_ours(run)

    # gaps are drawn, never each job's own: so is the run as it was
    assert (found.rule, found.phase) == ("queue", "align")
    assert found.saving_s == pytest.approx(truth, abs=0.05 * run.case().makespan_ns / 1e9)


@SEEDS
def test_a_short_queue_is_not_named(seed):
    run, _ = slow_queue(seed, 0.5)

    assert list(RULE.look(run.case())) == []


@SEEDS
def test_waiting_for_what_a_job_depends_on_is_no_queue(seed):
    run, _ = slow_queue(seed, 8.0, wait="hold")

    assert is_silent(run, RULE)


@SEEDS
def test_a_queue_beside_a_longer_job_is_not_named(seed):
    rng = np.random.default_rng(seed)
    run = Planted(100.0)
    job(run, 0.0, 0.0, 100.0)
    for start in range(5, 45, 10):
        begin = start + rng.uniform(10.0, 20.0)
        job(run, start, begin, begin + rng.uniform(5.0, 15.0))

    assert is_silent(run, RULE)


@pytest.mark.parametrize("made", [few_slots(1, 3), slow_queue(1, 8.0, wave=1)])
def test_jobs_of_our_own_workflows_are_told_our_own_means(made):
    run, _ = made
    run.facts(workflow="tiles")

    found = first_of_ours(run)

    assert found.rule == "queue"
    assert "resources:" in found.advice
    assert not any(
        word in f"{found.title} {found.advice}" for word in ("snakemake", "sbatch", "batch system")
    )
