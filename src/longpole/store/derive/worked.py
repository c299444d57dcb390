"""What a warm worker marked while it executed a task: part of that execution, not of the worker.

Method: a worker executes one task at a time, so that what it marked within an execution belongs to it. Sums
of a worker over many tasks cannot be divided, and stay with its process; so do processes that it started,
whose begin is known too roughly for tasks of milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.store.derive.arrays import Arrays, Marks, Part, Whole, hidden, stacked

_EXECUTION = "exec"
_COLUMNS = ("id", "process", "task", "attempt", "start_ns", "end_ns")


def with_executions(parts: Sequence[Part], processes: range) -> list[Part]:
    """Return the table of phases with what workers marked in its place.

    Args:
        parts: The table, with ids in order.
        processes: The phases of processes; an execution by a worker comes before them and names its process.
    """
    found = list(parts)
    told = [part for part in parts if _first(part) < processes.start]
    executions = stacked([rows for part in told if (rows := _executions(part)) is not None])
    if executions:
        order = np.lexsort((executions["start_ns"], executions["process"]))
        executions = {name: values[order] for name, values in executions.items()}
        for at, part in enumerate(parts):
            if _first(part) >= processes.stop and "lane" in part:
                found[at] = _settled(part, executions, processes)
    return found


def _executions(part: Part) -> Arrays | None:
    """Return the executions by workers that a part has, if any."""
    kind = part.get("kind")
    if not isinstance(kind, np.ndarray) or "process" not in part:
        return None
    columns = {name: _numbers(part, name) for name in _COLUMNS}
    chosen = (kind == _EXECUTION) & columns["process"][1] & columns["end_ns"][1]
    return {name: values[chosen] for name, (values, _) in columns.items()} if chosen.any() else None


def _settled(part: Part, executions: Arrays, processes: range) -> Part:
    """Return a part whose rows lie in the executions in which they began."""
    parent, start = _numbers(part, "parent")[0], _numbers(part, "start_ns")
    on_top = (parent >= processes.start) & (parent < processes.stop)
    process, known = _numbers(part, "process")
    at = _around(executions, process, start[0])
    inside = (at >= 0) & known & start[1]
    if not inside.any():
        return part
    moved = {"parent": np.where(inside & on_top, executions["id"][at], parent)}
    for name in ("task", "attempt"):
        values, told = _numbers(part, name)
        moved[name] = hidden(np.where(inside, executions[name][at], values), ~(told | inside))
    return {**part, **moved}


def _around(executions: Arrays, process: Whole, moment: Whole) -> Whole:
    """Return the place of the execution by each process at each moment, or -1."""
    found = np.full(len(process), -1, np.int64)
    for worker in np.unique(executions["process"]).tolist():
        first = int(np.searchsorted(executions["process"], worker))
        last = int(np.searchsorted(executions["process"], worker, side="right"))
        rows = np.flatnonzero(process == worker)
        at = first - 1 + np.searchsorted(executions["start_ns"][first:last], moment[rows], side="right")
        fits = (at >= first) & (executions["end_ns"][at] >= moment[rows])
        found[rows[fits]] = at[fits]
    return found


def _first(part: Part) -> int:
    return int(_numbers(part, "id")[0][0])


def _numbers(part: Part, name: str) -> tuple[Whole, Marks]:
    """Return a column as numbers, and which of them are known."""
    ids, values = part["id"], part.get(name)
    assert isinstance(ids, np.ndarray)
    if not isinstance(values, np.ndarray):
        return np.full(len(ids), values or 0, np.int64), np.full(len(ids), values is not None, np.bool_)
    return np.ma.getdata(values).astype(np.int64, copy=False), ~np.ma.getmaskarray(values)
