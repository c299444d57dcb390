"""GPUs of jobs: shares of time that add up to what GPUs were busy, and reasons where nothing is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.job_gpus import NOT_SAMPLED, NOT_TIMED, NOT_USED, gpu_uses
from longpole.analyse.run_units import Units, units_of
from longpole.model.columns import Columns, floats, integers, texts
from tests.analyse.run_tables import S, tables, task

Sample = tuple[str, str, float, float, float]
NAMES = ("gpu", "scope", "metric", "start_ns", "end_ns", "value")


def _samples(*rows: Sample, gpus: Sequence[int] = ()) -> Columns:
    """Return samples: scope, metric, begin, end, value; of one GPU, unless it is said which each is of."""
    return Columns(
        {
            "gpu": integers(gpus or [1] * len(rows)),
            "scope": texts([row[0] for row in rows]),
            "metric": texts([row[1] for row in rows]),
            "start_ns": integers([round(row[2] * S) for row in rows]),
            "end_ns": integers([round(row[3] * S) for row in rows]),
            "value": floats([row[4] for row in rows]),
        }
    )


def _jobs(*times: tuple[float, float], **facts: Any) -> Units:
    return units_of(
        tables(
            100.0, tasks=[task(at, "job", start, took, **facts) for at, (start, took) in enumerate(times, 1)]
        )
    )


OURS = ("tree", "processes", 0.0, 10.0, 1.0)


def test_a_job_alone_has_all_that_its_gpu_did():
    units = _jobs((0, 10))
    samples = _samples(OURS, ("tree", "busy", 0, 5, 0.8), ("tree", "busy", 5, 10, 0.2))

    found = gpu_uses(units, samples, np.array([1.0]))

    assert found.busy_s.tolist() == pytest.approx([5.0])
    assert found.had_s.tolist() == pytest.approx([10.0])
    assert not found.anybodys


def test_jobs_that_have_no_gpu_get_nothing_of_it():
    units = _jobs((0, 10), (0, 10))
    samples = _samples(OURS, ("tree", "busy", 0, 10, 0.6), ("tree", "memory used", 0, 5, 4e9))

    found = gpu_uses(units, samples, np.array([1.0, 0.0]))

    assert found.busy_s.tolist() == pytest.approx([6.0, 0.0])
    assert found.memory[0] == 4e9
    assert np.isnan(found.memory[1])
    assert found.assigned.tolist() == [True, False]


def test_where_nothing_is_declared_all_have_the_gpus_that_were_used():
    units = _jobs((0, 10))
    idle = _samples(OURS, ("tree", "busy", 0, 10, 0.5))

    found = gpu_uses(units, idle, np.array([np.nan]))

    assert (found.busy_s[0], found.had_s[0]) == (pytest.approx(5.0), pytest.approx(10.0))


def test_the_share_is_of_the_time_that_was_sampled():
    found = gpu_uses(_jobs((0, 10)), _samples(OURS, ("tree", "busy", 4, 8, 1.0)), np.array([1.0]))

    assert (found.busy_s[0], found.had_s[0]) == (pytest.approx(4.0), pytest.approx(4.0))


def test_figures_of_the_device_count_where_the_driver_tells_of_no_process():
    samples = _samples(("tree", "busy", 0, 10, np.nan), ("device", "busy", 0, 10, 0.7))

    found = gpu_uses(_jobs((0, 10)), samples, np.array([np.nan]))

    assert found.anybodys
    assert found.busy_s[0] == pytest.approx(7.0)


def test_the_use_of_others_is_not_that_of_a_run_that_was_on_no_gpu():
    samples = _samples(
        ("tree", "busy", 0, 10, 0.0), ("tree", "processes", 0, 10, 0.0), ("device", "busy", 0, 10, 0.9)
    )

    assert gpu_uses(_jobs((0, 10)), samples, np.array([np.nan])).reason == NOT_USED


def test_without_samples_or_times_there_is_a_reason():
    assert gpu_uses(_jobs((0, 10)), _samples(), np.array([1.0])).reason == NOT_SAMPLED
    untimed = units_of(tables(100.0, tasks=[task(1, "job", None, 3)]))
    assert gpu_uses(untimed, _samples(OURS), np.array([1.0])).reason == NOT_TIMED


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(1, 50)), min_size=1, max_size=6),
    st.lists(st.floats(0, 1), min_size=100, max_size=100),
)
def test_busy_time_of_jobs_adds_up_to_that_of_the_gpu_while_any_ran(
    times: list[tuple[int, int]], busy: list[float]
):
    units = _jobs(*((float(start), float(took)) for start, took in times))
    rows: list[Sample] = [("tree", "busy", at, at + 1, value) for at, value in enumerate(busy)]

    found = gpu_uses(units, _samples(OURS, *rows), np.ones(len(times)))

    ran = {second for start, took in times for second in range(start, start + took)}
    assert found.busy_s.sum() == pytest.approx(sum(busy[second] for second in ran), abs=1e-6)


def test_a_job_of_three_gpus_gets_three_times_as_much_as_one_beside_it():
    rows = [OURS, *(("tree", "busy", 0.0, 10.0, 1.0) for _ in range(4))]
    samples = _samples(*rows, gpus=(1, 1, 2, 3, 4))

    found = gpu_uses(_jobs((0, 10), (0, 10)), samples, np.array([3.0, 1.0]))

    assert found.busy_s.tolist() == pytest.approx([30.0, 10.0])
    assert found.had_s.tolist() == pytest.approx([30.0, 10.0])
