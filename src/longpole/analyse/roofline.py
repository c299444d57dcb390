"""The Workflow Roofline: what bounds a workflow, and how far it is from the roof.

Method: Ding et al., "A Workflow Roofline Model for End to End Workflow Performance Analysis" (2024), by one
rule: every ceiling is the number of tasks over a least time of the whole workflow (``ceilings``), so dots
and ceilings count the same tasks. Ours beside the paper's: the structure, contention as a second peak,
uncertainty of measured peaks. What was not counted has no ceiling; ``limits`` names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longpole.analyse.ceilings import ceilings_of
from longpole.analyse.chains import levels_of
from longpole.analyse.directions import Standing, could_at_once, directions_of
from longpole.analyse.dots import bound_at, placed_dots, targets_of, zone_at
from longpole.analyse.task_view import breakdowns_of, task_view_of
from longpole.analyse.walls import wall_of
from longpole.errors import UNMEASURABLE
from longpole.model.case import Case, CaseError
from longpole.model.resources import RESOURCES, Level
from longpole.model.roofline import Ceiling, Placed, Roofline

# By so much a run may pass a ceiling before that is said: clocks tick.
_SLACK = 0.05


class NoCeilingError(CaseError):
    """Nothing is known that could bound a workflow."""

    exit_code = UNMEASURABLE


def roofline(case: Case) -> Roofline:
    """Return the roofline of a case.

    Raises:
        NoCeilingError: No work of any task is known, nor how long it took.
        CyclicGraphError: Kinds of task wait for themselves.
    """
    ceilings = ceilings_of(case)
    if not ceilings:
        raise NoCeilingError(
            f"Nothing bounds '{case.name}': no work of its tasks is known, on {case.machine.name} at least."
        )
    dots, views = placed_dots(case, ceilings), task_view_of(case)
    main = next((dot for dot in dots if dot.name == case.main), dots[0] if dots else None)
    bound, height = bound_at(ceilings, case.tasks, case.parallel)
    wall = wall_of(case)
    return Roofline(
        name=case.name,
        machine=case.machine.name,
        machine_origin=case.machine.origin,
        projected=case.projected,
        unit=case.unit,
        task=case.task,
        tasks=case.tasks,
        parallel=case.parallel,
        could=could_at_once(case),
        levels=case.levels or levels_of(case.kinds),
        ceilings=ceilings,
        bound=bound.name,
        throughput=height,
        least_makespan_s=case.tasks / height,
        wall=wall,
        dots=dots,
        zone=main.zone if main else zone_at(case, case.parallel, height, bound.kind),
        targets=targets_of(case, ceilings),
        directions=directions_of(Standing(case, ceilings, wall, main)),
        task_view=views,
        breakdowns=breakdowns_of(case),
        main=main.name if main else "",
        queue_s=case.queue_s,
        path_s=case.path_s,
        limits=(*case.unknown, *_limits(case, ceilings), *_impossible(dots, ceilings)),
        recorded=case.recorded,
    )


def with_question(before: Roofline, after: Roofline, what: str) -> Roofline:
    """Return a changed roofline that says what the change did: "a 10 times faster node changes nothing"."""
    gain = after.throughput / before.throughput
    unit = f"{after.unit}s/s"
    if abs(gain - 1) < 0.005:
        effect = (
            f"{what} changes nothing: {_bounding(before)} bounds it at "
            f"{before.throughput:.4g} {unit}, before and after."
        )
    else:
        then = (
            f"{_bounding(after)} bounds it"
            if after.bound == before.bound
            else (f"then {_bounding(after)} bounds it, no longer {_bounding(before)}")
        )
        word = "raises" if gain > 1 else "lowers"
        effect = (
            f"{what} {word} the attainable throughput {gain:.3g} times, from {before.throughput:.4g} to "
            f"{after.throughput:.4g} {unit}; {then}."
        )
    return replace(after, notes=(*before.notes, effect))


def _bounding(found: Roofline) -> str:
    """Return what bounds it, as a sentence says it: of what all share there is one, "the" link."""
    kinds = {one.name: one.kind for one in found.ceilings}
    return f"the {found.bound}" if kinds[found.bound] is Level.SYSTEM else found.bound


def _limits(case: Case, ceilings: Sequence[Ceiling]) -> list[str]:
    said = []
    if any(one.kind is Level.SYSTEM and _per_node(case, one) for one in ceilings):
        said.append("A network peak per node counts the nodes of one task, as the paper's figures do.")
    if any(one.spread for one in ceilings):
        said.append(_uncertain(ceilings))
    absent = _without_peak(case)
    if absent:
        labels = ", ".join(RESOURCES[name].label for name in absent)
        how = "; 'longpole machine measure' finds it" if case.recorded and not case.projected else ""
        said.append(f"{case.machine.name} has no peak for {labels}: no ceiling is drawn for it{how}.")
    return said


def _impossible(dots: Sequence[Placed], ceilings: Sequence[Ceiling]) -> list[str]:
    """Return that a run lies where none can, beyond what its ceiling may be off by."""
    spreads = {one.name: one.spread for one in ceilings}
    return [
        f"'{dot.name}' lies above its ceiling, {dot.bound}: a volume or a peak of that cannot be right."
        for dot in dots
        if not dot.projected and dot.efficiency > (1 + _SLACK) / (1 - spreads.get(dot.bound, 0.0))
    ]


def _uncertain(ceilings: Sequence[Ceiling]) -> str:
    """Return by how much measured peaks may be off, the most uncertain named."""
    measured = [one for one in ceilings if one.kind is not Level.STRUCTURE]
    worst = max(measured, key=lambda one: one.spread)
    return f"Measured peaks vary, by up to {100 * worst.spread:.0f} % ({worst.name})."


def _per_node(case: Case, ceiling: Ceiling) -> bool:
    peak = case.machine.peak(ceiling.resource)
    return peak is not None and peak.per_node


def _without_peak(case: Case) -> list[str]:
    """Return resources that tasks work on and the machine has no peak for."""
    named = dict.fromkeys(name for kind in case.kinds for name in (*kind.node, *kind.system))
    return [name for name in named if case.machine.peak(name) is None]
