"""Tasks by type: counts, waits and executions, those first that took longest."""

from __future__ import annotations

from longpole.analyse.tasks import task_uses
from tests.analyse.evidence import SECOND, table


def test_types_are_listed_by_the_time_they_took():
    short = {"type": "make", "tasks": 20, "attempts": 20, "failed": 0, "exec_ns": 3 * SECOND}
    long = {
        "type": "work",
        "tasks": 20,
        "attempts": 21,
        "failed": 1,
        "queue_ns": 9 * SECOND,
        "exec_ns": 7 * SECOND,
    }
    never = {"type": "report", "tasks": 1, "never": 1, "attempts": 1}

    uses = task_uses(table("tasks", short, never, long))

    assert [(use.type, use.tasks, use.attempts, use.failed) for use in uses] == [
        *(("work", 20, 21, 1), ("make", 20, 20, 0), ("report", 1, 1, 0))
    ]
    assert (uses[0].queue_s, uses[0].exec_s, uses[0].hold_s) == (9.0, 7.0, None)
    assert (uses[2].never, uses[2].exec_s) == (1, None)


def test_a_run_without_tasks_has_none():
    assert task_uses(table("tasks")) == ()
