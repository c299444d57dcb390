"""From a stored run to a trace: processes with their threads, tasks, phases on them, samples as counters.

Every phase with a begin becomes a slice of the same length, to the nanosecond; every sample becomes one value
of a counter, at the begin of its interval, or at its end for amounts such as memory, which are read there.
Rows that sum up many phases are no intervals and are left out, as are phases whose begin is not known or
after their end, and those that are neither a process's nor a task's; all are counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import BinaryIO

from longpole.app.trace_tasks import trace_tasks
from longpole.exchange.perfetto import Count, CounterTrack, LaneTrack, ProcessTrack, Slice, Track, write_trace
from longpole.exchange.tables import Cell, chunks
from longpole.model.execution import CONTAINERS, Scope
from longpole.store.run import StoredRun

_PROCESSES = "SELECT id, pid, coalesce(command, name, '?') AS name FROM processes ORDER BY id"
_COUNTERS = """
    SELECT DISTINCT resource, samples.scope, owner, kind, resources.name, metric, unit, hosts.name AS host
    FROM samples JOIN resources ON resource = resources.id LEFT JOIN hosts ON hosts.id = resources.host
    ORDER BY ALL
"""
# A row without a lane, but for those that hold all others, stands for many, even where these are one.
_INTERVAL = f"start_ns IS NOT NULL AND count = 1 AND (lane IS NOT NULL OR kind IN {CONTAINERS})"
_LANES = f"""
    SELECT DISTINCT process, lane FROM phases WHERE lane IS NOT NULL AND {_INTERVAL}
    ORDER BY process, lane
"""
_PHASES = f"""
    SELECT kind, name, process, lane, start_ns, end_ns, attributes FROM phases WHERE {_INTERVAL}
    ORDER BY start_ns, end_ns DESC NULLS FIRST, id
"""
_ALL_PHASES = "SELECT count(*) AS rows FROM phases"
_SAMPLES = """
    SELECT resource, samples.scope, owner, if(unit = 'bytes', end_ns, start_ns) AS at_ns, value
    FROM samples JOIN resources ON resource = resources.id
"""
_LONGEST_NAME = 200
# Threads are known by their order in a process; these stand for their numbers, above any of Linux.
_FIRST_THREAD = 1 << 24


@dataclass(frozen=True, slots=True)
class TraceCounts:
    """How much of a run is in its trace."""

    tracks: int
    slices: int
    counts: int
    left_out: int
    arrows: int
    arrows_left_out: int


def trace_rows(run: StoredRun) -> int:
    """Return how many rows a trace of this run is made from."""
    rows = run.query("SELECT (SELECT count(*) FROM phases) + (SELECT count(*) FROM samples) AS rows")
    return _whole(rows["rows"][0]) or 0


def write_run_trace(run: StoredRun, out: BinaryIO, done: Callable[[int], None]) -> TraceCounts:
    """Write a run as a Perfetto trace, telling ``done`` now and then how many rows were written since."""
    uuids = count(1)
    tracks = _Tracks(run, uuids)
    tasks = trace_tasks(run, uuids)
    phases, samples = run.query(_PHASES), run.query(_SAMPLES)
    slices = (tracks.slice_of(row) for chunk in chunks(phases) for row in _telling(chunk, done))
    counts = (tracks.count_of(row) for chunk in chunks(samples) for row in _telling(chunk, done))
    write_trace(out, [*tracks.all, *tasks.tracks], slices, counts, tasks.slices)
    drawn = phases.rows + len(tasks.slices)
    done(len(tasks.slices))
    return TraceCounts(
        tracks=len(tracks.all) + len(tasks.tracks),
        slices=drawn,
        counts=samples.rows,
        left_out=(_whole(run.query(_ALL_PHASES)["rows"][0]) or 0) - drawn,
        arrows=tasks.arrows,
        arrows_left_out=tasks.arrows_left_out,
    )


class _Tracks:
    """The tracks of a run, and where each of its rows belongs."""

    def __init__(self, run: StoredRun, uuids: Iterator[int]) -> None:
        self._uuids = uuids
        self._run = LaneTrack(next(uuids), run.manifest.name)
        self.all: list[Track] = [self._run]
        self._processes: dict[Cell, ProcessTrack] = {}
        self._lanes: dict[tuple[Cell, Cell], int] = {}
        self._counters: dict[tuple[Cell, Cell, Cell], int] = {}
        for row in _rows(run, _PROCESSES):
            self._add_process(*row)
        for row in _rows(run, _LANES):
            self._add_lane(*row)
        for row in _rows(run, _COUNTERS):
            self._add_counter(row)

    def slice_of(self, row: tuple[Cell, ...]) -> Slice:
        kind, name, process, lane, start_ns, end_ns, attributes = row
        if kind == "run":
            track = self._run.uuid
        elif kind == "process" and process in self._processes:
            track = self._processes[process].uuid
        else:
            track = self._lanes.get((process, lane), self._run.uuid)
        return Slice(
            track, str(name), str(kind), _whole(start_ns) or 0, _whole(end_ns), str(attributes or "")
        )

    def count_of(self, row: tuple[Cell, ...]) -> Count:
        resource, scope, owner, at_ns, value = row
        return Count(self._counters[resource, scope, owner], _whole(at_ns) or 0, float(value or 0.0))

    def _add_process(self, identity: Cell, pid: Cell, name: Cell) -> None:
        track = ProcessTrack(next(self._uuids), str(name)[:_LONGEST_NAME], _whole(pid))
        self._processes[identity] = track
        self.all.append(track)

    def _add_lane(self, process: Cell, lane: Cell) -> None:
        uuid = next(self._uuids)
        holder = self._processes.get(process)
        first = not lane and holder is not None
        thread = (holder.pid if first and holder else None) or _FIRST_THREAD + uuid
        name = "main thread" if first else f"thread {lane}"
        self.all.append(LaneTrack(uuid, name, holder.uuid if holder else None, thread if holder else None))
        self._lanes[process, lane] = uuid

    def _add_counter(self, row: tuple[Cell, ...]) -> None:
        resource, scope, owner, kind, name, metric, unit, host = row
        uuid = next(self._uuids)
        parent = self._processes.get(owner) if scope == Scope.PROCESS else None
        label = f"{kind} {metric}" if parent else f"{host}: {name} {metric}"
        if scope == Scope.TREE:
            label += " (this run)"
        self.all.append(CounterTrack(uuid, label, parent.uuid if parent else None, str(unit or "")))
        self._counters[resource, scope, owner] = uuid


def _rows(run: StoredRun, sql: str) -> Iterator[tuple[Cell, ...]]:
    for chunk in chunks(run.query(sql)):
        yield from chunk


def _telling(chunk: list[tuple[Cell, ...]], done: Callable[[int], None]) -> list[tuple[Cell, ...]]:
    done(len(chunk))
    return chunk


def _whole(cell: Cell) -> int | None:
    return cell if isinstance(cell, int) else None
