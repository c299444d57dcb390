"""Intervals of traced processes, by the million, as rows of a run's tables.

Every process becomes a phase from its first interval to its last; the others lie in it, or in the interval of
their lane that encloses them. As long, too, is the process taken to have lived: more is not known of it. Ids:
the n-th process and its phase have n, the intervals follow in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.exchange.enclosing import NONE, enclosing
from longpole.model.columns import Column, Columns, integers, texts
from longpole.model.execution import Status

UNKNOWN = -1
_NEVER = np.iinfo(np.int64).max

Whole = NDArray[np.int64]
Marks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class TracedProcess:
    """A process that was traced; what is not known is empty."""

    name: str
    pid: int | None = None
    host: str = ""
    rank: int | None = None
    world: int | None = None
    attributes: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals of one file, by column.

    Attributes:
        kinds: Of which kind of phase each is.
        names: What each is called.
        processes: The number of its process, from 1.
        lanes: Its thread or stream.
        devices: The number of its device, or ``UNKNOWN``.
        starts: When it began.
        ends: When it ended; ``UNKNOWN`` if it did not.
        nested: Whether it lies within others of its lane.
        attributes: What else is known of it, as JSON.
        launches: Pairs of rows: the first made the second begin.
    """

    kinds: Sequence[str]
    names: Sequence[str]
    processes: Whole
    lanes: Whole
    devices: Whole
    starts: Whole
    ends: Whole
    nested: Marks
    attributes: Sequence[str | None]
    launches: Whole


def tables_of(processes: Sequence[TracedProcess], parts: Sequence[Intervals]) -> dict[str, Columns]:
    """Return the tables of a run that these processes and their intervals make."""
    hosts = sorted({process.host for process in processes if process.host})
    every = _joined(parts)
    bounds = _bounds(len(processes), every)
    tables = {
        "processes": _process_rows(processes, hosts, bounds),
        "phases": _phase_rows(processes, every, bounds),
        "edges": _launch_rows(every.launches + len(processes) + 1),
    }
    if hosts:
        tables["hosts"] = Columns({"id": integers(range(1, len(hosts) + 1)), "name": texts(hosts)})
    return tables


def _joined(parts: Sequence[Intervals]) -> Intervals:
    firsts = np.cumsum([0, *(len(part.starts) for part in parts)])
    pairs = [part.launches + first for part, first in zip(parts, firsts, strict=False)]
    return Intervals(
        kinds=[kind for part in parts for kind in part.kinds],
        names=[name for part in parts for name in part.names],
        processes=np.concatenate([part.processes for part in parts]),
        lanes=np.concatenate([part.lanes for part in parts]),
        devices=np.concatenate([part.devices for part in parts]),
        starts=np.concatenate([part.starts for part in parts]),
        ends=np.concatenate([part.ends for part in parts]),
        nested=np.concatenate([part.nested for part in parts]),
        attributes=[one for part in parts for one in part.attributes],
        launches=np.concatenate(pairs),
    )


def _process_rows(
    processes: Sequence[TracedProcess], hosts: list[str], bounds: tuple[Whole, Whole]
) -> Columns:
    numbers = {host: number for number, host in enumerate(hosts, start=1)}
    return Columns(
        {
            "id": integers(range(1, len(processes) + 1)),
            "host": integers([numbers.get(one.host) for one in processes]),
            "pid": integers([one.pid for one in processes]),
            "start_ns": _numbers(bounds[0]),
            "end_ns": _numbers(bounds[1]),
            "name": texts([one.name for one in processes]),
            "rank": integers([one.rank for one in processes]),
            "world": integers([one.world for one in processes]),
        }
    )


def _launch_rows(pairs: Whole) -> Columns:
    return Columns(
        {
            "id": _numbers(np.arange(1, len(pairs) + 1)),
            "kind": texts(["launch"] * len(pairs)),
            "from_phase": _numbers(pairs[:, 0]),
            "to_phase": _numbers(pairs[:, 1]),
        }
    )


def _phase_rows(processes: Sequence[TracedProcess], every: Intervals, bounds: tuple[Whole, Whole]) -> Columns:
    """Return the phases, those of processes first: they are of no phase, lane or device."""
    count = len(processes)
    own, none = np.arange(1, count + 1), np.zeros(count, np.int64)
    known = np.arange(count + len(every.starts)) >= count
    starts, ends = (np.concatenate(both) for both in zip(bounds, (every.starts, every.ends), strict=True))
    devices, ended = np.concatenate([none + UNKNOWN, every.devices]), ends != UNKNOWN
    attributes = [*(one.attributes for one in processes), *every.attributes]
    return Columns(
        {
            "id": _numbers(np.arange(1, len(starts) + 1)),
            "parent": _numbers(np.concatenate([none, _parents(count, every)]), known),
            "kind": texts(["process"] * count + list(every.kinds)),
            "name": texts([one.name for one in processes] + list(every.names)),
            "process": _numbers(np.concatenate([own, every.processes])),
            "lane": _numbers(np.concatenate([none, every.lanes]), known),
            "device": _numbers(devices, devices != UNKNOWN),
            "start_ns": _numbers(starts),
            "end_ns": _numbers(ends, ended),
            "duration_ns": _numbers(ends - starts, ended),
            "count": _numbers(np.ones(len(starts), np.int64)),
            "status": texts([Status.OK.value if one else Status.UNFINISHED.value for one in ended.tolist()]),
            "attributes": texts(attributes),
        }
    )


def _bounds(count: int, every: Intervals) -> tuple[Whole, Whole]:
    """Return when the first interval of each process began, and when the last one ended."""
    first, last = np.full(count, _NEVER, np.int64), np.zeros(count, np.int64)
    np.minimum.at(first, every.processes - 1, every.starts)
    np.maximum.at(last, every.processes - 1, np.maximum(every.starts, every.ends))
    return first, last


def _parents(count: int, every: Intervals) -> Whole:
    """Return the phase that each interval is part of: what encloses it in its lane, or its process."""
    found = every.processes.copy()
    rows = np.flatnonzero(every.nested)
    ends = np.where(every.ends[rows] == UNKNOWN, _NEVER, every.ends[rows])
    within = enclosing([every.lanes[rows], every.processes[rows]], every.starts[rows], ends)
    inner = within != NONE
    found[rows[inner]] = rows[within[inner]] + count + 1
    return found


def _numbers(values: Whole, known: Marks | None = None) -> Column:
    """Return a column of an array, which is not copied."""
    marks = None if known is None or known.all() else known.astype(np.uint8).data
    return Column(np.ascontiguousarray(values, np.int64).data, known=marks)
