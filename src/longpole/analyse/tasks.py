"""Tasks by type: how many, how they ended, how long they waited and how long they ran.

Method: sums and quantiles over the attempts of all tasks of a type. Waiting is per attempt: ``hold`` before
anything could start it (it depended on another, or had a time to begin), ``queue`` from then to its start.
Types are listed by the time that their execution took in all.
"""

from __future__ import annotations

from collections.abc import Collection

from longpole.analyse.values import Cell, number, whole, word
from longpole.model.columns import Columns
from longpole.model.overview import TaskUse


def task_uses(tasks: Columns, auxiliary: Collection[str] = ()) -> tuple[TaskUse, ...]:
    """Return each type of task, those first that took longest, and auxiliary ones last.

    Args:
        tasks: Columns ``type``, ``tasks``, ``never``, ``attempts``, ``failed``, ``hold_ns``, ``queue_ns``,
            ``exec_ns`` (sums), ``p50_ns``, ``p95_ns`` (of executions) and ``peak_bytes``.
        auxiliary: Types of what the runner itself did.
    """
    uses = [
        TaskUse(
            type=word(row["type"]) or "?",
            tasks=whole(row["tasks"]) or 0,
            never=whole(row["never"]) or 0,
            attempts=whole(row["attempts"]) or 0,
            failed=whole(row["failed"]) or 0,
            hold_s=_seconds(row["hold_ns"]),
            queue_s=_seconds(row["queue_ns"]),
            exec_s=_seconds(row["exec_ns"]),
            exec_p50_s=_seconds(row["p50_ns"]),
            exec_p95_s=_seconds(row["p95_ns"]),
            peak_memory_bytes=whole(row["peak_bytes"]),
            auxiliary=word(row["type"]) in auxiliary,
        )
        for row in tasks.records()
    ]
    return tuple(sorted(uses, key=lambda use: (use.auxiliary, -(use.exec_s or 0.0), use.type)))


def _seconds(cell: Cell) -> float | None:
    nanoseconds = number(cell)
    return None if nanoseconds is None else nanoseconds / 1e9
