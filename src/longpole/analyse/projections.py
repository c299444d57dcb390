"""Cases that are not: more parallelism within a task, a faster resource, another machine.

Method: perfect scaling is assumed, and said. Work of a task is spread over its nodes evenly; a dot of the
changed case keeps the efficiency of the one that was measured, so it moves as its bound does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from longpole.analyse.ceilings import ceilings_of
from longpole.analyse.dots import bound_at, placed_dots
from longpole.analyse.walls import wall_of
from longpole.errors import UsageError
from longpole.model.case import Case, Dot, TaskKind, Volume
from longpole.model.machine import Machine, Peak
from longpole.model.resources import NODE, SYSTEM

ALL_NODE, ALL_SYSTEM, ALL_OVERHEAD = "node", "system", "overhead"


def with_intra_task(case: Case, factor: float) -> Case:
    """Return a case whose tasks have so many times the nodes: the wall falls, node ceilings rise.

    Raises:
        UsageError: Tasks would not fit on the machine any more, or the factor is none.
    """
    if not 0 < factor < float("inf"):
        raise UsageError(f"Tasks cannot have {factor:g} times their nodes; give a number above 0, as in x2.")
    kinds = tuple(_widened(kind, factor, case.machine) for kind in case.kinds)
    largest = max(kinds, key=lambda kind: kind.nodes)
    if largest.nodes > case.machine.nodes:
        raise UsageError(
            f"With {factor:g} times its nodes '{largest.name}' needs {largest.nodes:g}; "
            f"{case.machine.name} has {case.machine.nodes:,}."
        )
    wider = replace(case, kinds=kinds, dots=())
    fitting = replace(wider, parallel=min(case.parallel, wall_of(wider).parallel))
    return _with_dots_of(case, fitting, f"x{factor:g} within tasks")


def with_faster(case: Case, resource: str, factor: float) -> Case:
    """Return a case with a faster resource: one by name, all of the nodes, all that is shared, or overheads.

    Raises:
        UsageError: There is no such resource, or the factor is none.
    """
    if not 0 < factor < float("inf"):
        raise UsageError(f"{resource} cannot be {factor:g} times as fast; give a number above 0.")
    overheads = {name for kind in case.kinds for name in kind.overhead}
    allowed = [ALL_NODE, ALL_SYSTEM, *case.machine.node, *case.machine.system]
    allowed += [ALL_OVERHEAD, *sorted(overheads)] if overheads else []
    if resource not in allowed:
        raise UsageError(f"There is no '{resource}' to be faster here; there are {', '.join(allowed)}.")
    quick = {ALL_NODE: set(NODE), ALL_SYSTEM: set(SYSTEM), ALL_OVERHEAD: overheads}.get(resource, {resource})
    machine = replace(
        case.machine,
        node=_scaled(case.machine.node, quick, factor),
        system=_scaled(case.machine.system, quick, factor),
    )
    kinds = tuple(_quickened(kind, quick, factor) for kind in case.kinds)
    faster = replace(case, machine=machine, kinds=kinds, dots=())
    return _with_dots_of(case, faster, f"{resource} x{factor:g}")


def _widened(kind: TaskKind, factor: float, machine: Machine) -> TaskKind:
    nodes = kind.nodes * factor
    fewer = max(1.0, kind.nodes) / max(1.0, nodes)
    node = {name: replace(volume, amount=volume.amount * fewer) for name, volume in kind.node.items()}
    system = {name: _over_nodes(volume, fewer) for name, volume in kind.system.items()}
    cores = kind.cores
    if cores is not None:
        cores = min(cores * factor, machine.cores or cores * factor)
    return replace(kind, nodes=nodes, cores=cores, node=node, system=system)


def _over_nodes(volume: Volume, fewer: float) -> Volume:
    return replace(volume, amount=volume.amount * fewer) if volume.per_node else volume


def _scaled(peaks: Mapping[str, Peak], quick: set[str], factor: float) -> dict[str, Peak]:
    return {name: _faster(peak, factor) if name in quick else peak for name, peak in peaks.items()}


def _faster(peak: Peak, factor: float) -> Peak:
    contended = None if peak.contended is None else peak.contended * factor
    source = f"{peak.source} x{factor:g}"
    return replace(peak, nominal=peak.nominal * factor, contended=contended, source=source)


def _quickened(kind: TaskKind, quick: set[str], factor: float) -> TaskKind:
    """Return a kind whose overheads, and whose own cores, are faster where these are meant."""
    overhead = {
        name: replace(volume, amount=volume.amount / factor) if name in quick else volume
        for name, volume in kind.overhead.items()
    }
    cores = kind.cores * factor if kind.cores is not None and "cpu" in quick else kind.cores
    return replace(kind, overhead=overhead, cores=cores)


def _with_dots_of(before: Case, after: Case, how: str) -> Case:
    """Return a changed case with the measured dots of the former, at the efficiency that they had."""
    old, new = ceilings_of(before), ceilings_of(after)
    if not old or not new:
        return after
    dots = []
    for dot, placed in zip(before.dots, placed_dots(before, old), strict=True):
        parallel = min(placed.x, after.parallel)
        height = bound_at(new, after.tasks, parallel, contended=dot.contended)[1]
        if not dot.projected or placed.efficiency <= 1:
            moved = _moved_dot(dot, placed.efficiency * height, placed.tasks, how)
            dots.append(replace(moved, parallel=parallel))
    main = next((dot.name for dot in dots if dot.name == f"{before.main}, {how}"), "")
    return replace(after, dots=tuple(dots), main=main)


def _moved_dot(dot: Dot, reached: float, tasks: int, how: str) -> Dot:
    return replace(
        dot,
        name=f"{dot.name}, {how}",
        makespan_s=tasks / reached,
        projected=True,
        parts={},
        kinds={},
        source="projected at the same efficiency",
    )
