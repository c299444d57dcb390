"""What kinds of job used: sums over executions that agree with the whole, worked by hand and by chance."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.kind_use import UseEvidence, run_use
from longpole.analyse.run_tables import RunTables
from longpole.analyse.use_reasons import Teller
from longpole.model.columns import Columns, floats, integers, texts
from longpole.model.kind_use import RunUse
from longpole.model.overview import Overview
from tests.analyse.run_tables import S, columns, mark, process, samples, tables, task
from tests.present.samples import FULL

NOTHING = replace(FULL, gpus=(), process_list=(), recording=None)
_TASKS = (
    *("id", "name", "type", "resources", "start_ns", "end_ns", "duration_ns", "task", "cpu_ns", "read"),
    *("written", "storage_read", "storage_written", "peak"),
)
_NO_READINGS = Columns(
    {
        "process": integers([]),
        "at_ns": integers([]),
        "resident": floats([]),
        "proportional": floats([]),
    }
)
_NO_PEAKS = Columns({"id": integers([]), "end_ns": integers([]), "peak": floats([]), "exact": integers([])})
_NO_GPUS = Columns(
    {
        **{name: integers([]) for name in ("gpu", "start_ns", "end_ns")},
        **{name: texts([]) for name in ("scope", "metric")},
        "value": floats([]),
    }
)


def _use(run: RunTables, overview: Overview = NOTHING, **facts: Any) -> RunUse:
    known = {"auxiliary": (), "teller": Teller(), "gpus": _NO_GPUS, "end_to_end_s": 10.0, **facts}
    return run_use(UseEvidence(run=run, overview=overview, memory=_NO_READINGS, peaks=_NO_PEAKS, **known))


def _executions(*rows: dict[str, Any]) -> RunTables:
    """Return a run whose tasks are executions; ``of`` is the task that each is of."""
    made = tables(10.0)
    numbered = [{**row, "id": at, "task": row.pop("of", at)} for at, row in enumerate(rows, 1)]
    return replace(made, tasks=columns(_TASKS, *numbered))


def test_executions_of_a_kind_add_up_and_attempts_of_a_task_are_one_job():
    run = _executions(
        {**task(1, "fit", 0, 4, cpu_s=2.0), "of": 7, "read": 100.0, "peak": 50},
        {**task(2, "fit", 4, 6, cpu_s=6.0), "of": 7, "read": 300.0, "peak": 90},
        {**task(3, "cut", 0, 1, cpu_s=1.0), "read": 5.0},
    )

    found = _use(run)

    fit, cut = found.kinds
    assert (fit.name, fit.jobs, fit.attempts, fit.time_s, fit.cpu_s) == ("fit", 1, 2, 10.0, 8.0)
    assert (fit.cpu_percent, fit.read_bytes, fit.peak_memory_bytes) == (80.0, 400, 90)
    assert (cut.name, cut.cpu_percent, cut.peak_memory_bytes) == ("cut", 100.0, None)
    assert found.remarks == ("Attempts beyond the first count as well: 1.",)


def test_what_a_runner_does_itself_is_no_kind():
    run = _executions(task(1, "fit", 0, 4), task(2, "stage_out", 4, 1))

    found = _use(run, auxiliary=("stage_out",))

    assert [kind.name for kind in found.kinds] == ["fit"]
    assert found.whole.jobs == 1


def test_an_execution_of_which_nothing_is_known_makes_a_figure_the_least_it_can_be():
    run = _executions(task(1, "fit", 0, 4, cpu_s=2.0), task(2, "fit", 4, 4))

    found = _use(run)

    assert found.kinds[0].partial["cpu_s"] == 1
    assert "fit: CPU time of 1 of 2 executions is not known: it is more than is said." in found.remarks


def test_a_function_that_ran_in_a_worker_says_why_nothing_is_known():
    [kind] = _use(_executions(task(1, "call", 0, 4)), teller=Teller(workflow=True)).kinds

    assert kind.cpu_s is None
    assert kind.reasons["cpu_s"] == "what a function used is not told apart from what its worker did"


def test_what_another_system_did_not_tell_is_its_silence():
    told = Teller(("Nextflow",), recorded=False)
    quiet = replace(NOTHING, cpu_user_s=None, cpu_system_s=None, read_bytes=None, peak_memory_bytes=None)

    found = _use(_executions({**task(1, "fit", 0, 4, cpu_s=3.0), "peak": 9}), quiet, teller=told)

    assert found.kinds[0].reasons["read_bytes"] == "Nextflow told nothing of it"
    assert found.kinds[0].reasons["gpu_percent"] == "Nextflow told nothing of it"
    assert found.whole.cpu_s == 3.0
    assert found.whole.reasons["peak_memory_bytes"] == "memory of tasks does not tell that of all together"
    assert found.told_by == "Nextflow"


def test_a_command_that_marks_nothing_and_starts_nothing_is_one_job():
    run = replace(
        tables(10.0, processes=[process(1, 0, 10, cpu_s=4.0)]), whole={"cpu_ns": 5 * S, "read": 70.0}
    )

    found = _use(run)

    assert (found.unit, len(found.kinds)) == ("command", 1)
    assert (found.kinds[0].cpu_s, found.kinds[0].read_bytes) == (5.0, 70)


def test_marks_that_cover_most_of_a_command_are_its_kinds():
    run = tables(
        10.0,
        processes=[process(1, 0, 10, cpu_s=6.0)],
        marks=[mark(1, "clean", 0, 4), mark(2, "fit", 4, 10)],
        used=samples((1, 0.0, 4.0, 0.5), (1, 4.0, 10.0, 1.0)),
    )

    found = _use(run)

    assert found.unit == "mark"
    assert [(kind.name, kind.cpu_s) for kind in found.kinds] == [("fit", 6.0), ("clean", 2.0)]
    assert "What the program did outside of its marks is in the whole run only." in found.remarks


def test_the_whole_run_is_its_overview():
    found = _use(_executions(task(1, "fit", 0, 4)), FULL, end_to_end_s=10.43)

    whole = found.whole
    assert whole.cpu_s == pytest.approx(15.2)
    assert (whole.read_bytes, whole.peak_memory_bytes) == (130_000_000, 212_000_000)
    assert whole.gpu_percent == pytest.approx(34.2)
    assert whole.peak_gpu_memory_bytes == 1_200_000_000


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(0.01, 5), st.floats(0, 9), st.integers(0, 1 << 30)),
        min_size=1,
        max_size=20,
    )
)
def test_kinds_together_used_what_all_executions_did(rows: list[tuple[str, float, float, int]]):
    run = _executions(
        *(
            {**task(at, name, 0, took, cpu_s=cpu), "read": float(read)}
            for at, (name, took, cpu, read) in enumerate(rows, 1)
        )
    )

    found = _use(run)

    assert sum(kind.cpu_s or 0.0 for kind in found.kinds) == pytest.approx(sum(row[2] for row in rows))
    assert sum(kind.read_bytes or 0 for kind in found.kinds) == sum(row[3] for row in rows)
    assert sum(kind.jobs for kind in found.kinds) == len(rows) == found.whole.jobs
    for kind in found.kinds:
        assert kind.cpu_percent is not None
        assert kind.cpu_percent / 100 * (kind.time_s or 0.0) == pytest.approx(kind.cpu_s)
