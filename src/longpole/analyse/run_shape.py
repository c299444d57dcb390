"""The shape of a run: how many tasks ran at once and could have, its makespan, its waits and its dispatch."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, column, known, places, whole
from longpole.analyse.at_once import at_once, processes_at_once
from longpole.analyse.dispatching import Waits, at_most, gaps_s
from longpole.analyse.graph import Graph
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units
from longpole.analyse.structure import Structure, structure
from longpole.analyse.unions import union
from longpole.errors import CyclicGraphError
from longpole.model.columns import Columns, texts

# How late the end of a process may be noted.
_LATE_NS = 20_000_000
# A makespan that was told may be rounded by so much of itself.
_ROUNDED = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """The shape of a run.

    Attributes:
        parallel: Tasks that ran at once.
        could: Tasks that could have; None where nobody knows what depends on what.
        levels: Tasks of the longest chain; None where nobody knows.
        path_s: The longest chain by the times of its tasks; None where nobody knows.
        makespan_s: From begin to end, attempts that failed included, waits in a queue not; 0 where it is not
            known.
        queue_s: Waits in a queue in which nothing ran; None where there was no queue.
        dispatch_s: Of each task.
        graph: Who depends on whom, by place; None where nobody knows.
        shrink: How much of their noted time tasks can have taken at the most: ticks add up.
    """

    parallel: int
    could: int | None
    levels: int | None
    path_s: float | None
    makespan_s: float
    queue_s: float | None
    dispatch_s: Numbers
    graph: Graph | None
    shrink: float


def shape_of(run: RunTables, units: Units) -> Shape:
    """Return the shape of a run."""
    graph = _structure(run, units)
    span = _span(run, units)
    makespan_s, queue_s = _makespan(run, units, span)
    parallel = _parallel(units, makespan_s, graph)
    total_s = float(np.nansum(units.took_s))
    shrink = min(1.0, parallel * makespan_s / total_s) if total_s and makespan_s else 1.0
    edges = graph.graph if graph is not None else None
    dispatch = np.zeros(len(units))
    if len(units) > 1 and units.timed.all() and makespan_s:
        waits = Waits(edges, _in_queue(run, units))
        gaps = gaps_s(_first_begins(run, units), units.end_ns, parallel, span, waits)
        dispatch = at_most(gaps, parallel * makespan_s - total_s)
    return Shape(
        parallel=parallel,
        could=graph.antichain.tasks if graph is not None else None,
        levels=graph.levels if graph is not None else None,
        path_s=min(graph.forward.length_ns / 1e9, makespan_s or math.inf) if graph is not None else None,
        makespan_s=makespan_s,
        queue_s=queue_s,
        dispatch_s=dispatch,
        graph=edges,
        shrink=shrink,
    )


def _structure(run: RunTables, units: Units) -> Structure | None:
    """Return the graph of tasks; nothing where no dependency is known, or they go round in a circle."""
    if units.unit not in (Unit.TASK, Unit.PROGRAM) or not run.edges.rows:
        return None
    took_ns = np.nan_to_num(units.took_s * 1e9).astype(np.int64)
    names = texts([units.names[at] for at in units.kind.tolist()])
    table = Columns({"id": column(units.ids), "name": names, "duration_ns": column(took_ns)})
    try:
        found = structure(table, run.edges if units.unit is Unit.TASK else _between(run.edges, units))
    except CyclicGraphError:
        return None
    return found if len(found.graph.before) else None


def _between(edges: Columns, units: Units) -> Columns:
    """Return which tasks took a file from which, given processes that did."""
    ends = [
        np.array([units.owners.get(process, -1) for process in whole(edges[name]).tolist()], np.int64)
        for name in ("from_task", "to_task")
    ]
    before, after = ends
    fits = (before >= 0) & (after >= 0) & (before != after)
    before, after = before[fits], after[fits]
    over = units.end_ns[before] <= units.start_ns[after] + _LATE_NS
    over &= units.end_ns[before] < units.end_ns[after]
    pairs = {"from_task": column(units.ids[before[over]]), "to_task": column(units.ids[after[over]])}
    return Columns(pairs)


def _span(run: RunTables, units: Units) -> tuple[int, int]:
    if units.unit is Unit.TASK and units.timed.any():
        start, end = _ran(run, units)
        return int(start.min()), int(end.max())
    return run.span


def _ran(run: RunTables, units: Units) -> tuple[Whole, Whole]:
    """Return when tasks began and ended, in all of their attempts."""
    before = known(run.earlier["start_ns"]) & known(run.earlier["end_ns"])
    start, end = (whole(run.earlier[name])[before] for name in ("start_ns", "end_ns"))
    return (
        np.concatenate((units.start_ns[units.timed], start)),
        np.concatenate((units.end_ns[units.timed], end)),
    )


def _first_begins(run: RunTables, units: Units) -> Whole:
    """Return when the first attempt of each task began."""
    first = units.start_ns.copy()
    if units.unit is Unit.TASK:
        place = places(units.ids, whole(run.earlier["task"]))
        some = (place >= 0) & known(run.earlier["start_ns"])
        np.minimum.at(first, place[some], whole(run.earlier["start_ns"])[some])
    return first


def _makespan(run: RunTables, units: Units, span: tuple[int, int]) -> tuple[float, float | None]:
    """Return how long the run took without waits in a queue, and how long these were, while nothing ran."""
    length_s = (span[1] - span[0]) / 1e9
    if units.unit is Unit.TASK and not units.timed.all():
        return _told_s(run, units, length_s if units.timed.any() else 0.0), None
    if not run.queues.rows or units.unit is not Unit.TASK:
        return length_s, None
    waits = whole(run.queues["start_ns"]), whole(run.queues["end_ns"])
    queued, within = _queued(*waits, _ran(run, units), span)
    return length_s - within, queued


def _told_s(run: RunTables, units: Units, timed_s: float) -> float:
    """Return the makespan as it was told; 0 if it was not, or if what is known to have run exceeds it."""
    told_s, least_s = run.told_s or 0.0, max(timed_s, float(np.nan_to_num(units.took_s).max(initial=0.0)))
    return max(told_s, least_s) if told_s >= least_s * (1 - _ROUNDED) else 0.0


def _in_queue(run: RunTables, units: Units) -> tuple[Whole, Whole] | None:
    if units.unit is not Unit.TASK or not known(run.tasks["queued_until_ns"]).any():
        return None
    some = known(run.tasks["queued_until_ns"])[units.rows]
    first, last = (whole(run.tasks[name])[units.rows] for name in ("queued_from_ns", "queued_until_ns"))
    return np.where(some, first, 0), np.where(some, last, 0)


def _queued(
    start: Whole, end: Whole, ran_ns: tuple[Whole, Whole], span: tuple[int, int]
) -> tuple[float, float]:
    """Return how long tasks were in a queue while none ran: in all, and after the first had begun."""
    ran = union(*ran_ns)
    waits = union(start, end)
    idle = (waits.ends - waits.starts) - ran.within(waits.starts, waits.ends)
    first = np.clip(waits.starts, *span), np.clip(waits.ends, *span)
    inside = (first[1] - first[0]) - ran.within(*first)
    return float(idle.sum()) / 1e9, float(inside.sum()) / 1e9


def _parallel(units: Units, makespan_s: float, graph: Structure | None) -> int:
    needed = math.ceil(float(np.nansum(units.took_s)) / makespan_s - 0.05) if makespan_s else 1
    if units.timed.any():
        start, end = units.start_ns[units.timed], units.end_ns[units.timed]
        seen = processes_at_once(start, end) if units.unit is Unit.PROGRAM else at_once(start, end)
        return seen if units.timed.all() else max(seen, needed)
    if makespan_s:
        return max(1, needed)
    return graph.antichain.tasks if graph is not None else 1
