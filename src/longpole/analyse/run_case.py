"""From a recorded or imported run to a case for a roofline: kinds of task with what each needs, and the dot.

Method: tasks by ``run_units``, what they used by ``run_amounts``, what starting and dispatch took of them by
``starting`` and ``dispatching``; a volume is the mean over the tasks of a kind. CPU time stands in for
FLOPs and memory traffic, which nobody counts without performance counters: it is left out of a kind where
what the user declared explains at least half of it. The makespan is the run's, or from the first begin of a
declared task to the last end, attempts that failed included, without time in which tasks waited in a queue
and none ran. What other programs did on a host meanwhile is in its network and GPU use. What is not
known is left out, and named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longpole.analyse.arrays import Numbers
from longpole.analyse.declared_work import declared_work
from longpole.analyse.dispatching import at_most
from longpole.analyse.kind_order import kinds_after
from longpole.analyse.kind_volumes import Found, Needs, kind_needs, members_of, outside_s
from longpole.analyse.run_amounts import Amounts, amounts_of
from longpole.analyse.run_peaks import peaks_for
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


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """What a run tells whatever the machine is.

    Attributes:
        run: The run.
        units: Its tasks.
        shape: Its shape.
        after: For each kind of task those that it comes after.
        amounts: What tasks used.
        said: What was declared of them.
    """

    run: RunTables
    units: Units
    shape: Shape
    after: Sequence[tuple[int, ...]]
    amounts: Amounts
    said: Mapping[int, Mapping[str, float]]


def case_of(run: RunTables, target: Projection) -> Case:
    """Return a run as a case on a machine."""
    return case_on(read_of(run), target)


def read_of(run: RunTables) -> Read:
    """Return what a run tells whatever the machine is."""
    units = units_of(run)
    shape = shape_of(run, units)
    after = kinds_after(units.kind, len(units.names), shape.graph) if shape.graph else [()] * len(units.names)
    return Read(run, units, shape, after, amounts_of(run, units), declared_work(run, units))


def case_on(read: Read, target: Projection) -> Case:
    """Return a run that was read as a case on a machine."""
    run, units, shape = read.run, read.units, read.shape
    machine, said = peaks_for(run, target.machine, projected=target.projected)
    usual = machine.overheads.get("interpreter")
    start = starting(run, units, usual.seconds if usual else None)
    found = Found(amounts=read.amounts, start=start, said=read.said)
    needs = kind_needs(run, units, found, machine, shape)
    waits = _dispatch_s(run, units, found, shape)
    kinds = [
        _kind(units.names[at], needs[at], tuple(units.names[one] for one in read.after[at]), waits[mine])
        for at, mine in enumerate(members_of(units))
    ]
    return Case(
        name=run.name,
        machine=machine,
        kinds=tuple(kinds),
        parallel=shape.parallel,
        could=shape.could,
        task=str(units.unit),
        dots=_dots(run, kinds, shape, len(units)),
        levels=shape.levels,
        queue_s=shape.queue_s,
        path_s=shape.path_s,
        unknown=(*said, *unknown_of(run, units, found, needs, makespan_s=shape.makespan_s)),
        projected=target.projected,
    )


def _kind(name: str, needs: Needs, after: tuple[str, ...], dispatch_s: Numbers) -> TaskKind:
    overhead = dict(needs.overhead)
    if dispatch_s.any():
        overhead["dispatch"] = Volume(float(dispatch_s.mean()), Origin.MEASURED)
    return TaskKind(
        name=name,
        count=len(dispatch_s),
        nodes=needs.nodes,
        cores=needs.cores,
        node=needs.node,
        system=needs.system,
        overhead=overhead,
        after=after,
        seconds=needs.seconds,
    )


def _dispatch_s(run: RunTables, units: Units, found: Found, shape: Shape) -> Numbers:
    """Return the dispatch of each task; what a program does between its marks is none."""
    if units.unit is not Unit.MARK:
        return shape.dispatch_s
    begun = float((found.start.seconds - found.start.cpu_s).sum())
    return at_most(shape.dispatch_s, float(shape.dispatch_s.sum()) - begun - outside_s(run, found))


def _dots(run: RunTables, kinds: list[TaskKind], shape: Shape, tasks: int) -> tuple[Dot, ...]:
    if not shape.makespan_s:
        return ()
    took = {kind.name: kind.seconds for kind in kinds if kind.seconds is not None}
    return (
        Dot(
            name=run.name,
            makespan_s=shape.makespan_s,
            parallel=shape.parallel,
            tasks=tasks,
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
