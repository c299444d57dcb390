"""Imported runs as cases for a roofline: there always is one, and what is not known is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.analyse.roofline import roofline
from longpole.app.importers import read_files
from longpole.app.imports import keep
from longpole.app.roofline_run import case_of_run
from longpole.app.run_machine import machine_of_run
from longpole.model.case import Case
from longpole.model.told import Wishes
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
SACCT = """\
JobID|JobName|State|Submit|Start|End|AllocCPUS|NNodes|TotalCPU|NodeList|SubmitLine
7|prep|COMPLETED|1000|1100|1200|4|2|00:05:00|n[1-2]|sbatch prep.sh
8|fit|COMPLETED|1000|1300|1500|8|2|00:20:00|n[1-2]|sbatch -d afterok:7 fit.sh
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


def test_an_application_of_spark_is_a_case(tmp_path: Path) -> None:
    lines = [*began(), job(0, 1100, 0), stage(0, 1110), stage(0, 1110, end=1500), job_end(0, 1600)]
    (tmp_path / "app-1").write_text("\n".join(lines))

    case = case_of_file(str(tmp_path / "app-1"), tmp_path / "runs")

    assert case.tasks >= 1
    assert case.unknown
