"""Traced phases put where they belong: into what their recorded process had marked at that time.

Method: what a trace has put into nothing is part of the innermost mark of its process that holds it from its
begin to its end, else of the process. So is what a trace has put into a step of the profiler or a Python
frame, unless the same mark holds that as a whole: a step of the profiler and one of ours begin and end at
slightly different moments, and what lies in one of ours is shown there. What lies in an operator or an
annotation stays in it. Threads of a trace and of marks have nothing in common but time: where marks of
several threads hold a phase, that which began last does. What ran on a device is part of the process.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.store.derive.arrays import Arrays, Marks, Part, Whole, places, stacked
from longpole.store.derive.origins import RUN_ID

# What traces put around phases that may hold marks of ours as well.
_LOOSE = ("step", "python")
_NONE = -1
_WANTED = {"parent", "process", "kind", "start_ns", "end_ns"}
_NEEDED = ("id", "process", "lane", "start_ns", "end_ns")


def placed(parts: Sequence[Part], processes: range) -> list[Part]:
    """Return the table of phases with traced ones in their places; ``processes`` are the phases of those.

    Traced are phases that come before those of the processes and are of one of them.
    """
    traced = [at for at, part in enumerate(parts) if _is_traced(part, processes)]
    found = list(parts)
    for at in traced:
        rows = {name: values for name, values in parts[at].items() if isinstance(values, np.ndarray)}
        holders = _holders(parts, processes, rows)
        found[at] = {**parts[at], "parent": _parents(rows, holders, processes)}
    return found


def _is_traced(part: Part, processes: range) -> bool:
    if not part.keys() >= _WANTED or int(_ids(part)[0]) >= processes.start:
        return False
    own, known = _known(part, "process")
    return bool((known & (own <= len(processes))).any())


def _parents(rows: Arrays, holders: Arrays, processes: range) -> Whole:
    """Return the phase that each traced one is part of."""
    process, of_process = _known(rows, "process")
    mark = _innermost(rows, holders)
    told: Whole = np.ma.getdata(rows["parent"]).astype(np.int64)
    ids = _ids(rows)
    order = np.argsort(ids, kind="stable")
    at = places(ids[order], told)
    around = np.where(at >= 0, order[at], _NONE)
    loose = (around >= 0) & np.isin(rows["kind"][around].astype(str), _LOOSE) & (mark != mark[around])
    moved = of_process & ((told == RUN_ID) | loose)
    home = np.where(mark >= 0, mark, processes.start + process - 1)
    return np.where(moved, home, told)


def _innermost(rows: Arrays, holders: Arrays) -> Whole:
    """Return the mark that holds each traced phase, or -1."""
    process, lasts = _known(rows, "process")
    start, begun = _known(rows, "start_ns")
    end, ended = _known(rows, "end_ns")
    lasts &= begun & ended & ~_known(rows, "device")[1]
    found, since = np.full(len(start), _NONE, np.int64), np.full(len(start), _NONE, np.int64)
    lanes = np.stack([holders["process"], holders["lane"]])
    for lane in np.unique(lanes, axis=1).T:
        own = {name: values[(lanes == lane[:, None]).all(axis=0)] for name, values in holders.items()}
        chosen = np.flatnonzero(lasts & (process == lane[0]))
        at, own = _around(own, start[chosen], end[chosen])
        later = (at >= 0) & (own["start_ns"][at] >= since[chosen])
        found[chosen[later]] = own["id"][at[later]]
        since[chosen[later]] = own["start_ns"][at[later]]
    return found


def _around(marks: Arrays, start: Whole, end: Whole) -> tuple[Whole, Arrays]:
    """Return the place of the innermost mark of a lane around each phase, or -1, and marks in order."""
    order = np.lexsort((-marks["end_ns"], marks["start_ns"]))
    marks = {name: values[order] for name, values in marks.items()}
    up = _outer(marks["start_ns"].tolist(), marks["end_ns"].tolist())
    at = np.searchsorted(marks["start_ns"], start, side="right") - 1
    while (short := np.flatnonzero((at >= 0) & (marks["end_ns"][at] < end))).size:
        at[short] = up[at[short]]
    return at, marks


def _outer(starts: list[int], ends: list[int]) -> Whole:
    """Return the place of the mark that each lies in, or -1; they are in order, the longer first."""
    found: list[int] = []
    stack: list[int] = []
    for place, (start, end) in enumerate(zip(starts, ends, strict=True)):
        while stack and ends[stack[-1]] <= start:
            stack.pop()
        found.append(next((outer for outer in reversed(stack) if ends[outer] >= end), _NONE))
        stack.append(place)
    return np.array(found, np.int64)


def _holders(parts: Sequence[Part], processes: range, rows: Arrays) -> Arrays:
    """Return the marks of processes that went on at some time of the traced phases, and on no device."""
    start, begun = _known(rows, "start_ns")
    since, until = (int(start[begun].min()), int(start[begun].max())) if begun.any() else (0, 0)
    marks = [part for part in parts if _ids(part)[0] >= processes.stop and "lane" in part]
    found = [_some(part, since, until) for part in marks]
    return stacked(found) if found else {name: np.zeros(0, np.int64) for name in _NEEDED}


def _some(part: Part, since: int, until: int) -> Arrays:
    columns = {name: _known(part, name) for name in _NEEDED}
    known = np.all([marks for _, marks in columns.values()], axis=0) & ~_known(part, "device")[1]
    known &= (columns["start_ns"][0] <= until) & (columns["end_ns"][0] >= since)
    return {name: values[known] for name, (values, _) in columns.items()}


def _known(part: Part, name: str) -> tuple[Whole, Marks]:
    """Return a column as numbers, and which of them are known."""
    rows = len(_ids(part))
    values = part.get(name)
    if not isinstance(values, np.ndarray):
        return np.full(rows, values or 0, np.int64), np.full(rows, values is not None, np.bool_)
    return np.ma.getdata(values).astype(np.int64), ~np.ma.getmaskarray(values)


def _ids(part: Part) -> Whole:
    values = part["id"]
    assert isinstance(values, np.ndarray)
    return np.ma.getdata(values).astype(np.int64, copy=False)
