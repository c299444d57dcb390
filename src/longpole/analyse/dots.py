"""Dots under their ceilings: what bounds each, how near it comes, and in which zone it lies.

Method: a dot's bound is the lowest ceiling at its x; contended dots are held against contended peaks. The
structure is named only where it lies a tenth below every other ceiling: where it does not, one resource takes
nearly all of its time, and that says more.
"""

from __future__ import annotations

from collections.abc import Sequence

from longpole.model.case import Case, Dot, Target
from longpole.model.resources import Level
from longpole.model.roofline import Ceiling, Placed, TargetLine, Zone

# So much lower than the next must the structure be to be named, as a share.
_TIE = 0.1
# What floating point may take from a target that is met to the digit.
_SLACK = 1e-9
_BOUND = {
    Level.NODE: Zone.NODE_BOUND,
    Level.SYSTEM: Zone.SYSTEM_BOUND,
    Level.STRUCTURE: Zone.STRUCTURE_BOUND,
    Level.OVERHEAD: Zone.OVERHEAD_BOUND,
}
_FOUR = {
    (True, True): Zone.GOOD_GOOD,
    (True, False): Zone.GOOD_POOR,
    (False, True): Zone.POOR_GOOD,
    (False, False): Zone.POOR_POOR,
}


def bound_at(
    ceilings: Sequence[Ceiling], tasks: int, parallel: float, *, contended: bool = False
) -> tuple[Ceiling, float]:
    """Return the ceiling to name as the bound of so many tasks at once, and the tasks per second there.

    These are always those of the lowest, also where the structure is that and another is named.
    """
    heights = [(one.height(tasks, parallel, contended=contended), one) for one in ceilings]
    heights.sort(key=lambda pair: pair[0])
    (lowest, named), *others = heights
    if named.kind is Level.STRUCTURE and others and others[0][0] <= lowest * (1 + _TIE):
        named = others[0][1]
    return named, lowest


def targets_of(case: Case, ceilings: Sequence[Ceiling]) -> tuple[TargetLine, ...]:
    """Return the targets as lines; a makespan alone wants the throughput of all tasks within it, too."""
    lines = []
    slope = _slope(case)
    if slope is not None:
        lines.append(_line(case, ceilings, "makespan", slope * case.parallel, slope))
    wanted = wanted_throughput(case)
    if wanted is not None:
        lines.append(_line(case, ceilings, "throughput", wanted, 0.0))
    return tuple(lines)


def wanted_throughput(case: Case) -> float | None:
    """Return the throughput that is wanted, said or derived."""
    if case.target.throughput is not None:
        return case.target.throughput
    return None if case.target.makespan_s is None else case.tasks / case.target.makespan_s


def zone_at(case: Case, parallel: int, reached: float, bound: Level) -> Zone:
    """Return the zone of a point; without a target, what bounds it."""
    wanted = wanted_throughput(case)
    if wanted is None:
        return _BOUND[bound]
    enough = reached >= wanted * (1 - _SLACK)
    slope = _slope(case)
    if slope is None:
        return Zone.GOOD_THROUGHPUT if enough else Zone.POOR_THROUGHPUT
    return _FOUR[reached >= slope * parallel * (1 - _SLACK), enough]


def _slope(case: Case) -> float | None:
    """Return the throughput for each task at once that the makespan wanted needs; None if none is."""
    wanted_s = case.target.makespan_s
    return None if wanted_s is None else case.tasks / case.parallel / wanted_s


def placed_dots(case: Case, ceilings: Sequence[Ceiling]) -> tuple[Placed, ...]:
    """Return the dots of a case in their order, each with its bound."""
    placed: list[Placed] = []
    for dot in case.dots:
        before = placed[-1].y if placed else None
        placed.append(_placed(case, ceilings, dot, before))
    return tuple(placed)


def _placed(case: Case, ceilings: Sequence[Ceiling], dot: Dot, before: float | None) -> Placed:
    parallel, tasks = dot.parallel or case.parallel, dot.tasks or case.tasks
    reached = tasks / dot.makespan_s
    bound, height = bound_at(ceilings, case.tasks, parallel, contended=dot.contended)
    return Placed(
        name=dot.name,
        x=parallel,
        y=reached,
        makespan_s=dot.makespan_s,
        tasks=tasks,
        efficiency=reached / height,
        bound=bound.name,
        kind=bound.kind,
        bound_y=height,
        zone=zone_at(case, parallel, reached, bound.kind),
        contended=dot.contended,
        projected=dot.projected,
        speedup=reached / before if before else None,
        source=dot.source,
    )


def _line(case: Case, ceilings: Sequence[Ceiling], name: str, wanted: float, slope: float) -> TargetLine:
    reachable, contended = (
        bound_at(ceilings, case.tasks, case.parallel, contended=worse)[1] >= wanted * (1 - _SLACK)
        for worse in (False, True)
    )
    target: Target = case.target
    return TargetLine(
        name=name,
        seconds=target.makespan_s if slope else None,
        tasks_per_second=wanted,
        slope=slope,
        reachable=reachable,
        reachable_contended=contended,
        derived=not slope and target.throughput is None,
    )
