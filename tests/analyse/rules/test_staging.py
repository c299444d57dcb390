"""Tasks that wait while data is moved."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.staging import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.shapes import SEEDS, chain, first_of_ours, is_silent, makespan_on, starts_on

JOBS, SLOTS = 18, 3


def jobs(seed: int, moved_s: float) -> tuple[Planted, float]:
    """Jobs on some slots that stage data in and out, and how much sooner they end without."""
    rng = np.random.default_rng(seed)
    before, after = moved_s * rng.uniform(0.8, 1.2, JOBS), 0.4 * moved_s * rng.uniform(0.8, 1.2, JOBS)
    ran, gaps = rng.uniform(8.0, 12.0, JOBS), rng.uniform(0.01, 0.1, JOBS)
    whole = before + ran + after + gaps
    total = makespan_on(whole, SLOTS)
    run = Planted(total)
    for at, start in enumerate(starts_on(whole, SLOTS)):
        begin = start + float(gaps[at])
        job = run.phase("job", "align", begin, start + whole[at], task=at + 1)
        parts = [
            ("stage_in", "align", before[at]),
            ("exec", "align", ran[at]),
            ("stage_out", "align", after[at]),
        ]
        chain(run, job, begin, parts, task=at + 1)
    return run, total - makespan_on(ran + gaps, SLOTS)


@SEEDS
def test_staging_on_the_critical_path_comes_first(seed):
    run, truth = jobs(seed, 4.0)

    found = first_of_ours(run)

    assert (found.rule, found.phase) == ("staging", "align")
    assert found.saving_s == pytest.approx(truth, rel=0.05)
    assert "to stage data in" in found.evidence[0]


@SEEDS
def test_short_staging_is_not_named(seed):
    run, _ = jobs(seed, 0.2)

    assert list(RULE.look(run.case())) == []


@SEEDS
def test_staging_beside_a_longer_job_is_not_named(seed):
    rng = np.random.default_rng(seed)
    run = Planted(60.0)
    chain(run, run.phase("job", "fold", 0.0, 60.0, task=1), 0.0, [("exec", "fold", 60.0)], task=1)
    for start in range(0, 50, 10):
        job = run.phase("job", "align", start, start + 9.0, task=2)
        moved = rng.uniform(3.0, 6.0)
        chain(run, job, start, [("transfer", "align", moved), ("exec", "align", 9.0 - moved)], task=2)

    assert is_silent(run, RULE)
