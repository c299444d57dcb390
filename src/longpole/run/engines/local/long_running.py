"""Processes that have run for a while: told of before they end, so that they are known if we should die."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longpole.run.engines.opened import Execution, OpenJob
from longpole.store.derive.workflow_notes import Part
from longpole.units import Nanoseconds

_LONG_NS = 1_000_000_000

StartedFor = Callable[[int], tuple[int, Nanoseconds]]
"""Returns the process that a worker has started for a request, by its key, and when; zeros if none was."""


def long_parts(
    jobs: Iterable[OpenJob], started_for: StartedFor, now_ns: Nanoseconds
) -> list[tuple[OpenJob, Part]]:
    """Return processes that have run for a while and were not told of yet, as phases without an end."""
    found = []
    for job in jobs:
        for task, execution in job.executing.items():
            if not _is_due(execution, now_ns):
                continue
            started = execution.pid, execution.start_ns
            pid, start_ns = started_for(execution.key) if execution.key else started
            if pid:
                execution.told = True
                of_task = job.task_ids(task) if job.shared else 0
                found.append((job, Part("exec", start_ns, 0, task=of_task, pid=pid, own=1)))
    return found


def _is_due(execution: Execution, now_ns: Nanoseconds) -> bool:
    """Return whether a task is to be told of: a function is none, for it has no process of its own."""
    return not execution.told and now_ns - execution.start_ns >= _LONG_NS and execution.order.call is None
