"""Imported runs as cases for a roofline: there always is one, and what is not known is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.analyse.roofline import roofline
from longpole.app.importers import read_files
from longpole.app.imports import keep
from longpole.app.roofline_run import case_of_run
from longpole.app.run_machine import case_here, machine_of_run
from longpole.exchange.rows import Row, as_columns, times
from longpole.model.case import Case
from longpole.model.told import Told, Wishes
from longpole.store.run import open_run
from tests.exchange.foreign import real_trace
from tests.exchange.sparklog import began, job, job_end, stage

TRACES = {
    "wfformat/1000genome-chameleon-2ch-100k-001.json": (52, 28),
    "wfformat/blast-chameleon-large-001.json": (103, 100),
    "wfformat/helloworld-chain-5-chameleon.json": (5, 1),
    "wfformat/helloworld-forkjoin-10-chameleon.json": (10, 8),
    "wfformat/rnaseq-dirt02-001.json": (197, 115),
    "nextflow/openproblems-2021-03-04_execution_trace.txt": (209, None),
    "pegasus/hierarchical_wf_success.stampede.db": (26, 7),
    "pegasus/process_wf_failure.stampede.db": (2, 1),
    "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz": (1, None),
    "hta/trace_diff/control/control.json.gz": (1, None),
}
S = 1_000_000_000
SACCT = """\
JobID|JobName|State|Submit|Start|End|AllocCPUS|NNodes|TotalCPU|NodeList|SubmitLine
7|prep|COMPLETED|1000|1100|1200|4|2|00:05:00|n[1-2]|sbatch prep.sh
8|fit|COMPLETED|1000|1300|1500|8|2|00:20:00|n[1-2]|sbatch -d afterok:7 fit.sh
"""


NEXTFLOW = """\
task_id\thash\tname\tstatus\texit\tsubmit\tstart\tcomplete\trealtime\t%cpu\tattempt
1\t09/f4\tA\tFAILED\t1\t1000000\t1000000\t1100000\t100s\t100.0%\t1
2\t0a/f5\tA\tCOMPLETED\t0\t1100000\t1100000\t1110000\t10s\t100.0%\t2
3\t0b/f6\tB\tCOMPLETED\t0\t1110000\t1110000\t1120000\t10s\t100.0%\t1
"""


def case_of_file(path: str, runs: Path) -> Case:
    with open_run(keep(read_files([path], Wishes()), runs)) as run:
        return case_of_run(run, machine_of_run(run), projected=False)


@pytest.mark.parametrize("name", TRACES)
def test_real_traces_are_cases_that_say_what_is_not_known(name: str, tmp_path: Path) -> None:
    case = case_of_file(real_trace(name).path, tmp_path)

    assert (case.tasks, case.could) == TRACES[name]
    assert case.unknown
    [dot] = case.dots
    for ceiling in roofline(case).ceilings:
        assert ceiling.workflow_seconds <= dot.makespan_s * 1.001, ceiling.name


def test_exact_gpu_time_of_a_trace_is_a_volume(tmp_path: Path) -> None:
    name = "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz"

    [kind] = case_of_file(real_trace(name).path, tmp_path).kinds

    assert kind.node["gpu"].amount == pytest.approx(0.503, abs=0.001)


def test_jobs_of_slurm_have_their_nodes_and_wait_in_a_queue(tmp_path: Path) -> None:
    (tmp_path / "jobs.txt").write_text(SACCT)

    case = case_of_file(str(tmp_path / "jobs.txt"), tmp_path / "runs")

    assert {kind.name: (kind.nodes, kind.cores, kind.after) for kind in case.kinds} == {
        "prep": (2, 2, ()),
        "fit": (2, 4, ("prep",)),
    }
    assert (case.levels, case.path_s) == (2, 300.0)
    assert case.queue_s == pytest.approx(200.0)
    assert [dot.makespan_s for dot in case.dots] == [300.0]


def test_attempts_that_failed_are_in_the_makespan_and_in_no_volume(tmp_path: Path) -> None:
    (tmp_path / "trace.txt").write_text(NEXTFLOW)

    case = case_of_file(str(tmp_path / "trace.txt"), tmp_path / "runs")

    assert [dot.makespan_s for dot in case.dots] == [120.0]
    assert {kind.name: kind.seconds for kind in case.kinds} == {"A": 10.0, "B": 10.0}
    cpu = {kind.name: kind.node["cpu"].amount for kind in case.kinds}
    assert cpu == pytest.approx({"A": 10.0, "B": 10.0})
    assert any("1 failed attempt took 100 s" in word for word in case.unknown)


def case_of_executions(runs: Path, *executions: Row) -> Case:
    tasks: list[Row] = [{"id": one, "name": "a", "type": "a"} for one in {row["task"] for row in executions}]
    phases: list[Row] = [
        {"id": at, "kind": "exec", "name": "a", "count": 1, **row}
        for at, row in enumerate(executions, start=1)
    ]
    tables = {"tasks": as_columns("tasks", tasks), "phases": as_columns("phases", phases)}
    with open_run(keep(Told("somebody", "made", tables, ()), runs)) as run:
        return case_here(run)


def test_several_executions_of_one_attempt_are_one_from_begin_to_end(tmp_path: Path) -> None:
    parts = [(1, 0, 2), (2, 5, 6), (2, 9, 11)]

    case = case_of_executions(
        tmp_path,
        *({"task": 1, "attempt": attempt, **times(begin * S, end * S)} for attempt, begin, end in parts),
    )

    assert ([kind.seconds for kind in case.kinds], case.dots[0].makespan_s) == ([6.0], 11.0)


def test_the_times_of_some_tasks_are_no_makespan_of_all(tmp_path: Path) -> None:
    case = case_of_executions(
        tmp_path, {"task": 1, **times(0, 10 * S)}, *({"task": at, "duration_ns": 10 * S} for at in (2, 3, 4))
    )

    assert (case.tasks, case.dots) == (4, ())
    assert any("there is no dot" in word for word in case.unknown)


def test_machine_of_a_run_that_tells_nothing_of_it_is_as_its_tasks_used_it(tmp_path: Path) -> None:
    trace = real_trace("wfformat/helloworld-chain-5-chameleon.json").path

    with open_run(keep(read_files([trace], Wishes()), tmp_path)) as run:
        both, one_by_one = case_here(run), case_of_run(run, machine_of_run(run))

    assert both == one_by_one


def test_an_application_of_spark_is_a_case(tmp_path: Path) -> None:
    lines = [*began(), job(0, 1100, 0), stage(0, 1110), stage(0, 1110, end=1500), job_end(0, 1600)]
    (tmp_path / "app-1").write_text("\n".join(lines))

    case = case_of_file(str(tmp_path / "app-1"), tmp_path / "runs")

    assert case.tasks >= 1
    assert case.unknown
