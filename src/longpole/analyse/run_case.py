"""From a recorded or imported run to a case for a roofline: kinds of task with what each needs, and the dot.

Method: tasks by ``run_units``, what they used by ``run_amounts``, what starting and dispatch took of them by
``starting`` and ``dispatching``; a volume is the mean over the tasks of a kind. CPU time stands in for
FLOPs and memory traffic, which nobody counts without performance counters: it is left out of a kind where
what the user declared explains at least half of it. The makespan is the run's, or from the first begin of a
declared task to the last end, without time in which tasks waited in a queue and none ran. What other
programs did on a host meanwhile is in its network and GPU use. What is not known is left out, and named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longpole.analyse.declared_work import declared_work
from longpole.analyse.kind_order import kinds_after
from longpole.analyse.kind_volumes import Found, Needs, kind_needs, outside_s
from longpole.analyse.run_amounts import amounts_of
from longpole.analyse.run_shape import Shape, shape_of
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units, units_of
from longpole.analyse.run_unknowns import unknown_of
from longpole.analyse.starting import starting
from longpole.model.case import Case, Dot, Origin, TaskKind, Volume
from longpole.model.machine import Machine


@dataclass(frozen=True, slots=True)
class Projection:
    """Which machine a case is for, and whether it is another than the one the run was measured on."""

    machine: Machine
    projected: bool = False


def case_of(run: RunTables, target: Projection) -> Case:
    """Return a run as a case on a machine."""
    units = units_of(run)
    shape = shape_of(run, units)
    usual = target.machine.overheads.get("interpreter")
    found = Found(
        amounts=amounts_of(run, units),
        start=starting(run, units, usual.seconds if usual else None),
        said=declared_work(run, units),
    )
    needs = kind_needs(run, units, found, target.machine, shape)
    after = kinds_after(units.kind, len(units.names), shape.graph) if shape.graph else [()] * len(units.names)
    each_s = _dispatch_s(run, units, found, shape) / len(units)
    kinds = [_kind(units, at, needs[at], after[at], each_s) for at in range(len(units.names))]
    return Case(
        name=run.name,
        machine=target.machine,
        kinds=tuple(kinds),
        parallel=shape.parallel,
        could=shape.could,
        task=str(units.unit),
        dots=_dots(run, kinds, shape),
        levels=shape.levels,
        queue_s=shape.queue_s,
        path_s=shape.path_s,
        unknown=unknown_of(run, units, found, needs),
        projected=target.projected,
    )


def _kind(units: Units, at: int, needs: Needs, after: tuple[int, ...], dispatch_s: float) -> TaskKind:
    overhead = dict(needs.overhead)
    if dispatch_s > 0:
        overhead["dispatch"] = Volume(dispatch_s, Origin.MEASURED)
    return TaskKind(
        name=units.names[at],
        count=int((units.kind == at).sum()),
        nodes=needs.nodes,
        cores=needs.cores,
        node=needs.node,
        system=needs.system,
        overhead=overhead,
        after=tuple(units.names[before] for before in after),
        seconds=needs.seconds,
    )


def _dispatch_s(run: RunTables, units: Units, found: Found, shape: Shape) -> float:
    """Return the dispatch of all tasks; what a program does between its marks is none."""
    if units.unit is not Unit.MARK:
        return shape.dispatch_s
    begun = float((found.start.seconds - found.start.cpu_s).sum())
    return max(0.0, shape.dispatch_s - begun - outside_s(run, found))


def _dots(run: RunTables, kinds: list[TaskKind], shape: Shape) -> tuple[Dot, ...]:
    if not shape.makespan_s:
        return ()
    took = {kind.name: kind.seconds for kind in kinds if kind.seconds is not None}
    return (
        Dot(
            name=run.name,
            makespan_s=shape.makespan_s,
            parallel=shape.parallel,
            parts=_scaled(run.parts, shape),
            kinds=took,
        ),
    )


def _scaled(parts: Mapping[str, float], shape: Shape) -> dict[str, float]:
    """Return parts of the makespan that sum to it; waits in a queue are no part of it."""
    kept = {name: seconds for name, seconds in parts.items() if name != "queue" and seconds > 0}
    total = sum(kept.values())
    scale = shape.makespan_s / total if total else 0.0
    return {name: seconds * scale for name, seconds in kept.items()} if total else {}
