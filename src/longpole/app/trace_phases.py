"""The phases of a run that are a task's and no process's, as a trace draws them."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.exchange.tables import Cell, chunks
from longpole.model.execution import CONTAINERS
from longpole.store.run import StoredRun

# What others told may end before it began, or lack its count.
_PHASES = f"""
    SELECT phases.id, parent, task, attempt, start_ns, end_ns, kind, phases.name,
        coalesce(tasks.name, '?') AS task_name, coalesce(tasks.type, tasks.name, '?') AS type,
        status, attributes, resources
    FROM phases LEFT JOIN tasks ON task = tasks.id
    WHERE task IS NOT NULL AND process IS NULL AND lane IS NULL AND kind NOT IN {CONTAINERS}
        AND start_ns IS NOT NULL AND coalesce(end_ns >= start_ns, true) AND coalesce(count, 1) = 1
    ORDER BY start_ns, phases.id
"""
_NUMBERS = 6


@dataclass(frozen=True, slots=True)
class TaskPhase:
    """A phase of a task, and what is known of that."""

    id: int
    parent: int | None
    task: int
    attempt: int | None
    start_ns: int
    end_ns: int | None
    kind: str
    name: str
    task_name: str
    type: str
    status: str
    attributes: str
    resources: str


def task_phases(run: StoredRun) -> list[TaskPhase]:
    """Return those that have a place on a time line, in the order of their begins."""
    return [_phase(*row) for chunk in chunks(run.query(_PHASES)) for row in chunk]


def _phase(*row: Cell) -> TaskPhase:
    identity, parent, task, attempt, start_ns, end_ns = map(_whole, row[:_NUMBERS])
    words = [str(cell) if cell is not None else "" for cell in row[_NUMBERS:]]
    return TaskPhase(identity or 0, parent, task or 0, attempt, start_ns or 0, end_ns, *words)


def _whole(cell: Cell) -> int | None:
    return cell if isinstance(cell, int) else None
