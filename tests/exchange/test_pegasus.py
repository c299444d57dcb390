"""Workflows of Pegasus: jobs, tries, invocations, edges and workflows inside workflows."""

from __future__ import annotations

from typing import Any

import pytest

from longpole.exchange.pegasus import PEGASUS
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import Given, given, real_trace
from tests.exchange.stampede import Rows, database, simple, states
from tests.exchange.told_rows import facts, phases, rows, used

S = 1_000_000_000


def told(some: Rows | None = None) -> Told:
    return PEGASUS.read([given(database(some), "wf.db")], Wishes())


def real(name: str) -> Told:
    return PEGASUS.read([real_trace(f"pegasus/{name}*.db")], Wishes())


def invocations(tale: Told) -> list[dict[str, Any]]:
    return [row for row in rows(tale, "phases") if "invocation" in facts(row)]


def names(tale: Told) -> dict[int, str]:
    return {row["id"]: row["name"] for row in rows(tale, "tasks")}


def test_task_is_its_job_and_a_job_that_pegasus_added_is_one_too() -> None:
    tasks = rows(told(), "tasks")

    assert [(row["name"], row["type"], row["outcome"]) for row in tasks] == [
        ("stage_in_0", "stage_in", "ran"),
        ("fit_ID1", "fit", "ran"),
    ]
    assert [facts(row, "resources").get("task") for row in tasks] == [None, "ID1"]


def test_try_has_its_queue_execution_and_invocation() -> None:
    tale = told()

    mine = [row for row in rows(tale, "phases") if row["task"] == 2]
    found = [(row["kind"], row["start_ns"], row["duration_ns"]) for row in mine]
    assert found == [
        ("job", 1010 * S, 30 * S),
        ("queue", 1010 * S, 5 * S),
        ("exec", 1015 * S, 20 * S),
        ("jobstep", 1016 * S, 18_250_000_000),
    ]
    job, _, execution, step = mine
    [workflow] = phases(tale, "workflow")
    assert (job["parent"], execution["parent"], step["parent"]) == (
        workflow["id"],
        job["id"],
        execution["id"],
    )
    assert used(tale, step["id"]) == {"cpu_user_ns": 18.0 * S, "peak_memory_bytes": 2048.0}
    assert used(tale, None) == {"cpu_user_ns": 18.0 * S}
    assert facts(job)["host"] == "node1"


def test_what_a_transfer_job_executes_is_staging() -> None:
    [row] = phases(told(), "stage_in")

    assert (row["name"], row["duration_ns"]) == ("pegasus::transfer", 2_500_000_000)


def test_edges_between_jobs_are_control_and_between_tasks_data() -> None:
    some = simple()
    some["job"].append({"job_id": 3, "wf_id": 1, "exec_job_id": "end_ID2", "type_desc": "compute"})
    some["task"].append({"wf_id": 1, "job_id": 3, "abs_task_id": "ID2", "transformation": "end"})
    some["task_edge"] = [{"wf_id": 1, "parent_abs_task_id": "ID1", "child_abs_task_id": "ID2"}]
    tale = told(some)

    found = [
        (row["kind"], names(tale)[row["from_task"]], names(tale)[row["to_task"]])
        for row in rows(tale, "edges")
    ]
    assert found == [("control", "stage_in_0", "fit_ID1"), ("data", "fit_ID1", "end_ID2")]
    assert [row["outcome"] for row in rows(tale, "tasks")] == ["ran", "ran", "never"]


def test_clustered_job_is_a_task_and_so_is_each_in_it() -> None:
    some = simple()
    some["task"].append({"wf_id": 1, "job_id": 2, "abs_task_id": "ID2", "transformation": "end"})
    some["invocation"].append({**some["invocation"][1], "task_submit_seq": 2, "abs_task_id": "ID2"})
    tale = told(some)

    found = [(row["name"], row["type"]) for row in rows(tale, "tasks")]
    assert found == [
        ("stage_in_0", "stage_in"),
        ("fit_ID1", "clustered"),
        ("fit_ID1", "fit"),
        ("end_ID2", "end"),
    ]
    assert [row["task"] for row in phases(tale, "exec")] == [1, 2]
    assert [row["task"] for row in phases(tale, "jobstep")] == [3, 4]


def test_task_without_a_job_was_skipped() -> None:
    some = simple()
    some["task"].append({"wf_id": 1, "job_id": None, "abs_task_id": "ID2", "transformation": "end"})

    assert rows(told(some), "tasks")[-1]["outcome"] == "skipped"


def test_workflow_inside_another_lies_in_the_job_that_ran_it() -> None:
    some = simple()
    some["workflow"].append({"wf_id": 2, "dax_label": "inner", "parent_wf_id": 1})
    some["workflowstate"].append({"wf_id": 2, "state": "WORKFLOW_STARTED", "timestamp": 1016})
    some["job"].append({"job_id": 3, "wf_id": 2, "exec_job_id": "in_ID1", "type_desc": "compute"})
    some["job_instance"][1]["subwf_id"] = 2
    tale = told(some)

    outer, inner = phases(tale, "workflow")
    execution = phases(tale, "exec")[1]
    assert (outer["parent"], inner["parent"]) == (None, execution["id"])
    assert (inner["end_ns"], inner["status"]) == (None, "unfinished")
    assert "1 workflow of wf.db had not ended when it was written." in tale.gaps
    assert tale.name == "diamond"


def test_workflow_that_runs_itself_lies_in_none() -> None:
    some = simple()
    some["job_instance"][1]["subwf_id"] = 1

    assert [row["parent"] for row in phases(told(some), "workflow")] == [None]


def test_workflows_that_run_each_other_do_not_go_round() -> None:
    some = simple()
    some["workflow"].append({"wf_id": 2, "dax_label": "inner", "parent_wf_id": 1})
    some["job"][1]["wf_id"] = 2
    some["job_instance"][0]["subwf_id"] = 2
    some["job_instance"][1]["subwf_id"] = 1
    tale = told(some)

    parents = {row["id"]: row["parent"] for row in rows(tale, "phases")}
    for first in parents:
        phase: int | None = first
        for _ in parents:
            phase = parents.get(phase) if phase is not None else None
        assert phase is None


def test_workflow_that_was_started_again_is_a_phase_each_time() -> None:
    some = simple()
    some["workflowstate"] += [
        {"wf_id": 1, "state": "WORKFLOW_STARTED", "timestamp": 2000, "restart_count": 1},
        {"wf_id": 1, "state": "WORKFLOW_TERMINATED", "timestamp": 2050, "restart_count": 1, "status": 1},
    ]
    some["job_instance"].append({"job_instance_id": 13, "job_id": 2, "job_submit_seq": 3, "exitcode": 0})
    some["jobstate"] += states(13, SUBMIT=2001, EXECUTE=2002, JOB_TERMINATED=2003, JOB_SUCCESS=2003)
    tale = told(some)

    first, again = phases(tale, "workflow")
    assert (first["status"], again["status"]) == ("ok", "failed")
    assert phases(tale, "job")[-1]["parent"] == again["id"]


def test_what_belongs_to_nothing_is_left_out_and_said() -> None:
    some = simple()
    some["invocation"].append({**some["invocation"][0], "job_instance_id": 99})
    some["job_edge"].append({"wf_id": 1, "parent_exec_job_id": "fit_ID1", "child_exec_job_id": "nothing"})
    tale = told(some)

    assert tale.gaps == (
        "Left out, since one of their ends is not in wf.db: 1 edge.",
        "Left out, since their job is not in wf.db: 1 invocation.",
    )


def test_two_databases_are_one_run() -> None:
    tale = PEGASUS.read([given(database(), "a.db"), given(database(), "b.db")], Wishes())

    assert [row["id"] for row in rows(tale, "tasks")] == [1, 2, 3, 4]
    assert [(row["from_task"], row["to_task"]) for row in rows(tale, "edges")] == [(1, 2), (3, 4)]
    assert len(rows(tale, "hosts")) == 1
    assert tale.name == "pegasus"


def test_database_without_a_job_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match=r"wf\.db is a Pegasus database without any job"):
        told({"workflow": [{"wf_id": 1}]})


def test_database_is_known_by_its_words_or_its_name() -> None:
    magic = b"SQLite format 3\x00"

    assert PEGASUS.recognises(given(database()))
    assert PEGASUS.recognises(Given(magic + b"x", "run0001.stampede.db"))
    assert not PEGASUS.recognises(Given(magic + b"x", "other.db"))
    assert PEGASUS.recognises(real_trace("pegasus/hierarchical*.db"))


def test_real_workflow_inside_a_workflow() -> None:
    tale = real("hierarchical")

    tasks = rows(tale, "tasks")
    described = [row for row in tasks if "task" in facts(row, "resources")]
    kinds = [row["kind"] for row in rows(tale, "edges")]
    assert (len(phases(tale, "workflow")), len(described), len(tasks)) == (2, 7, 28)
    assert (kinds.count("control"), kinds.count("data")) == (37, 6)
    assert len(invocations(tale)) == 50
    assert [row["name"] for row in tasks if row["outcome"] == "never"] == [
        "cleanup_hierarchical-workflow_0_local",
        "register_local_2_0",
    ]
    assert tale.name == "hierarchical-workflow"


def test_real_inner_workflow_lies_in_the_job_that_planned_it() -> None:
    tale = real("hierarchical")

    outer, inner = phases(tale, "workflow")
    [holder] = [row for row in rows(tale, "phases") if row["id"] == inner["parent"]]
    assert (holder["kind"], holder["name"]) == ("exec", "pegasus-plan_diamond_subworkflow")
    assert (inner["duration_ns"], inner["status"], outer["status"]) == (186 * S, "ok", "unfinished")
    inside = [row for row in phases(tale, "job") if row["parent"] == inner["id"]]
    assert len(inside) == 15


def test_real_job_waited_for_a_slot() -> None:
    tale = real("hierarchical")

    task = next(number for number, name in names(tale).items() if name == "findrange_ID0000002")
    mine = {row["kind"]: row["duration_ns"] / S for row in rows(tale, "phases") if row["task"] == task}
    assert mine == {"job": 50.0, "queue": 23.0, "exec": 21.0, "jobstep": 20.005, "post": 1.0}


def test_real_script_of_dagman_has_no_cpu_time() -> None:
    tale = real("hierarchical")

    scripts = [row["id"] for row in phases(tale, "pre", "post")]
    assert len(phases(tale, "pre")) == 1
    assert not any(used(tale, phase) for phase in scripts)


def test_real_failure_has_both_tries_of_the_job_that_failed() -> None:
    tale = real("process")

    assert (len(phases(tale, "workflow")), len(rows(tale, "tasks")), len(invocations(tale))) == (1, 5, 6)
    assert [row["kind"] for row in rows(tale, "edges")] == ["control"] * 4
    tries = [row for row in phases(tale, "job") if row["name"] == "ls_ID0000001"]
    assert [(row["attempt"], row["status"], facts(row)["exit_code"]) for row in tries] == [
        (1, "failed", 1),
        (2, "failed", 1),
    ]
    steps = [row for row in phases(tale, "jobstep") if row["name"] == "ls"]
    assert [(row["status"], facts(row)["exit_code"]) for row in steps] == [("failed", 2)] * 2
    outcomes = [row["outcome"] for row in rows(tale, "tasks")]
    assert (outcomes.count("ran"), outcomes.count("never")) == (2, 3)
    assert phases(tale, "workflow")[0]["status"] == "failed"
