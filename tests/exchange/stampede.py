"""Small databases of Pegasus for tests: the columns that are read, and rows given by name."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

COLUMNS = {
    "workflow": "wf_id dax_label parent_wf_id",
    "workflowstate": "wf_id state timestamp restart_count status",
    "job": "job_id wf_id exec_job_id type_desc max_retries",
    "task": "wf_id job_id abs_task_id transformation",
    "job_instance": "job_instance_id job_id job_submit_seq host_id site sched_id work_dir exitcode subwf_id",
    "jobstate": "job_instance_id state timestamp jobstate_submit_seq",
    "invocation": (
        "job_instance_id task_submit_seq start_time remote_duration remote_cpu_time exitcode transformation "
        "executable abs_task_id maxrss"
    ),
    "job_edge": "wf_id parent_exec_job_id child_exec_job_id",
    "task_edge": "wf_id parent_abs_task_id child_abs_task_id",
    "host": "host_id hostname uname",
}
Rows = dict[str, list[dict[str, Any]]]


def states(attempt: int, **moments: float) -> list[dict[str, Any]]:
    """Return the states of a try, in the order in which they are given."""
    return [
        {"job_instance_id": attempt, "state": state, "timestamp": at, "jobstate_submit_seq": order}
        for order, (state, at) in enumerate(moments.items(), start=1)
    ]


def simple() -> Rows:
    """Return a workflow in which data is staged for one job, which ran for 20 s after 5 s in the queue."""
    return {
        "workflow": [{"wf_id": 1, "dax_label": "diamond"}],
        "workflowstate": [
            {"wf_id": 1, "state": "WORKFLOW_STARTED", "timestamp": 1000, "restart_count": 0},
            {"wf_id": 1, "state": "WORKFLOW_TERMINATED", "timestamp": 1060, "restart_count": 0, "status": 0},
        ],
        "job": [
            {"job_id": 1, "wf_id": 1, "exec_job_id": "stage_in_0", "type_desc": "stage-in-tx"},
            {"job_id": 2, "wf_id": 1, "exec_job_id": "fit_ID1", "type_desc": "compute", "max_retries": 1},
        ],
        "task": [{"wf_id": 1, "job_id": 2, "abs_task_id": "ID1", "transformation": "fit"}],
        "job_instance": [
            {"job_instance_id": 11, "job_id": 1, "job_submit_seq": 1, "host_id": 1, "exitcode": 0},
            {"job_instance_id": 12, "job_id": 2, "job_submit_seq": 2, "host_id": 1, "exitcode": 0},
        ],
        "jobstate": [
            *states(11, SUBMIT=1001, EXECUTE=1002, JOB_TERMINATED=1005, JOB_SUCCESS=1006),
            *states(12, SUBMIT=1010, EXECUTE=1015, JOB_TERMINATED=1035, JOB_SUCCESS=1040),
        ],
        "invocation": [
            _invocation(11, 1002, 2.5, "pegasus::transfer"),
            {
                **_invocation(12, 1016, 18.25, "fit"),
                "abs_task_id": "ID1",
                "remote_cpu_time": 18.0,
                "maxrss": 2,
            },
        ],
        "job_edge": [{"wf_id": 1, "parent_exec_job_id": "stage_in_0", "child_exec_job_id": "fit_ID1"}],
        "task_edge": [],
        "host": [{"host_id": 1, "hostname": "node1", "uname": "linux"}],
    }


def _invocation(attempt: int, start: float, took: float, what: str) -> dict[str, Any]:
    return {
        "job_instance_id": attempt,
        "task_submit_seq": 1,
        "start_time": start,
        "remote_duration": took,
        "exitcode": 0,
        "transformation": what,
    }


def database(rows: Rows | None = None, *statements: str) -> bytes:
    """Return a database of these rows, after some statements more."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for table, columns in COLUMNS.items():
            connection.execute(f"CREATE TABLE {table} ({', '.join(columns.split())})")
        for table, some in (simple() if rows is None else rows).items():
            for row in some:
                marks = ", ".join("?" * len(row))
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values())
                )
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        return connection.serialize()
