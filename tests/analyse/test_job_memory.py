"""Memory of the largest job of a kind: of all its processes at one moment, and of no other job's."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.job_memory import MemoryEvidence, largest_jobs
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Units, units_of
from longpole.model.columns import Columns, floats, integers
from tests.analyse.run_tables import S, mark, process, tables, task

MB = 1_000_000
Reading = tuple[int, float, int]


def _evidence(units: Units, readings: list[Reading], **known: Any) -> MemoryEvidence:
    """Return readings of processes (which, when, how much), their kept peaks, and what was told."""
    kept: dict[int, int] = known.get("kept", {})
    ends: dict[int, float] = known.get("ends", {})
    ids = sorted({*kept, *ends, *(one for one, _, _ in readings)})
    return MemoryEvidence(
        readings=Columns(
            {
                "process": integers([one for one, _, _ in readings]),
                "at_ns": integers([round(at * S) for _, at, _ in readings]),
                "resident": floats([float(size) for _, _, size in readings]),
                "proportional": floats([None] * len(readings)),
            }
        ),
        processes=Columns(
            {
                "id": integers(ids),
                "end_ns": integers([round(ends[one] * S) if one in ends else None for one in ids]),
                "peak": floats([kept.get(one) for one in ids]),
                "exact": integers([int(one in kept) for one in ids]),
            }
        ),
        told=np.array(known.get("told", [np.nan] * len(units)), np.float64),
        marked=np.array(known.get("marked", [0] * len(units)), np.int64),
    )


def _two_jobs() -> RunTables:
    inside = [{"process": one, "task": owner} for one, owner in ((11, 1), (12, 1), (21, 2))]
    return tables(10.0, tasks=[task(1, "fit", 0, 5), task(2, "fit", 5, 5)], inside=inside)


def test_the_processes_of_a_job_count_together_and_jobs_of_a_kind_do_not():
    units = units_of(_two_jobs())
    readings = [(11, 1.0, 100 * MB), (12, 1.0, 50 * MB), (21, 6.0, 120 * MB)]

    assert largest_jobs(units, _evidence(units, readings)) == {0: 150 * MB}


def test_processes_that_follow_each_other_do_not_add_up():
    units = units_of(_two_jobs())
    readings = [(11, 1.0, 100 * MB), (12, 3.0, 90 * MB)]

    assert largest_jobs(units, _evidence(units, readings, ends={11: 2.0})) == {0: 100 * MB}


def test_a_peak_that_the_kernel_kept_or_somebody_told_counts():
    units = units_of(_two_jobs())

    kept = largest_jobs(units, _evidence(units, [(11, 1.0, 100 * MB)], kept={11: 130 * MB}))
    told = largest_jobs(units, _evidence(units, [], told=[np.nan, 7 * MB]))

    assert (kept, told) == ({0: 130 * MB}, {0: 7 * MB})


def test_a_kind_of_which_nothing_is_known_is_missing():
    units = units_of(_two_jobs())

    assert largest_jobs(units, _evidence(units, [])) == {}


def test_a_mark_has_the_memory_of_its_process_while_it_went_on():
    run = tables(
        10.0,
        processes=[process(1, 0, 10)],
        marks=[mark(1, "clean", 0, 4), mark(2, "fit", 4, 10)],
    )
    units = units_of(run)
    readings = [(1, 2.0, 10 * MB), (1, 6.0, 80 * MB)]

    found = largest_jobs(units, _evidence(units, readings, kept={1: 95 * MB}, marked=[1, 1]))

    assert {units.names[kind]: size for kind, size in found.items()} == {"clean": 10 * MB, "fit": 80 * MB}


@given(
    st.lists(
        st.tuples(st.sampled_from([11, 12, 21]), st.floats(0, 9), st.integers(1, 1000)),
        min_size=1,
        max_size=30,
    )
)
def test_the_largest_job_has_at_least_its_largest_process_and_at_most_their_sum(readings: list[Reading]):
    units = units_of(_two_jobs())
    of_job = {1: (11, 12), 2: (21,)}
    largest = {one: max((size for who, _, size in readings if who == one), default=0) for one in (11, 12, 21)}

    [found] = largest_jobs(units, _evidence(units, readings)).values()

    assert found >= max(largest.values())
    assert found <= max(sum(largest[one] for one in some) for some in of_job.values())
