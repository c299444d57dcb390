"""The lines of a roofline: where its ceilings and targets run, and what is written along them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isclose

from longpole.model.resources import Level
from longpole.model.roofline import Ceiling, Roofline, TargetLine
from longpole.model.text import one_line
from longpole.present.boxes import Point
from longpole.present.rates import rates_of
from longpole.present.roofline_scale import (
    Extent,
    bend,
    hidden,
    near,
)
from longpole.present.words import counted
from longpole.units import show_seconds


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the plot.

    Attributes:
        name: Short.
        text: What is written along it.
        points: Where it runs, from left to right.
        kind: Of what it is; None of a target.
        bounds: Whether it is the ceiling that bounds.
        contended: Whether it is a ceiling as others leave it.
        spread: By which share of itself it may be off.
    """

    name: str
    text: str
    points: tuple[Point, ...]
    kind: Level | None
    bounds: bool = False
    contended: bool = False
    spread: float = 0.0


def ceiling_lines(roofline: Roofline, extent: Extent) -> tuple[Line, ...]:
    """Return the ceilings that are drawn, the lowest first; a contended one is two lines."""
    lines: list[Line] = []
    for one in near(roofline):
        bounds = one.name == roofline.bound
        points = _points(extent, [bend(one)], partial(one.height, roofline.tasks))
        lines.append(Line(one.name, _text(one, roofline), points, one.kind, bounds, spread=one.spread))
        if one.contended_seconds is not None:
            lines.append(_contended(one, roofline, extent))
    return tuple(line for line in lines if len(line.points) > 1)


def target_lines(roofline: Roofline, extent: Extent) -> tuple[Line, ...]:
    """Return the targets."""
    lines = (
        Line(
            f"target {target.name}",
            _target_text(target, roofline),
            _points(extent, [], target.height),
            None,
        )
        for target in roofline.targets
    )
    return tuple(line for line in lines if len(line.points) > 1)


def wall_text(roofline: Roofline) -> str:
    """Return what is written along the wall."""
    wall = roofline.wall
    return f"wall: {wall.parallel:,} ({counted(wall.nodes, 'node')} / {wall.nodes_per_task:,.4g})"


def structure_notes(roofline: Roofline) -> list[str]:
    """Return what is to be kept in mind of a structure that does not bound."""
    notes = []
    if any(one.kind is Level.STRUCTURE and one.name != roofline.bound for one in near(roofline)):
        notes.append("structure: of one workflow; several at once may pass it")
    notes += [f"not drawn, as low as the lowest: {one.name}" for one in hidden(roofline)]
    return notes


def _contended(ceiling: Ceiling, roofline: Roofline, extent: Extent) -> Line:
    points = _points(extent, [bend(ceiling)], partial(ceiling.height, roofline.tasks, contended=True))
    text = f"{ceiling.name} contended, {show_seconds(ceiling.contended_seconds or 0.0)} in all"
    return Line(f"{ceiling.name} contended", text, points, ceiling.kind, contended=True)


def _text(ceiling: Ceiling, roofline: Roofline) -> str:
    """Return the name of a ceiling with its least time: of one task where all are alike, or of all."""
    if ceiling.kind is Level.STRUCTURE and ceiling.serial_seconds:
        if ceiling.workflow_seconds > ceiling.least_seconds:
            return f"{ceiling.name}, all tasks {show_seconds(ceiling.serial_seconds)}"
        return f"{ceiling.name}, longest chain {show_seconds(ceiling.least_seconds)}"
    if ceiling.serial_seconds and len(ceiling.per_task_seconds) == 1:
        ((kind, seconds),) = ceiling.per_task_seconds.items()
        all_alike = isclose(seconds * roofline.tasks, ceiling.serial_seconds, rel_tol=1e-6)
        return f"{ceiling.name}, {show_seconds(seconds)} per {roofline.unit if all_alike else one_line(kind)}"
    return f"{ceiling.name}, {show_seconds(ceiling.serial_seconds or ceiling.least_seconds)} in all"


def _target_text(target: TargetLine, roofline: Roofline) -> str:
    if target.seconds is not None:
        return f"target makespan, {show_seconds(target.seconds)}"
    return f"target throughput, {rates_of(roofline).show(target.tasks_per_second)}"


def _points(extent: Extent, bends: list[float | None], at: Callable[[float], float]) -> tuple[Point, ...]:
    """Return where a line runs that rises as x does, or is flat: as far as the plot goes."""
    xs = [extent.left, *(x for x in bends if x is not None and extent.left < x < extent.right), extent.right]
    points: list[Point] = []
    for begin, end in pairwise((x, at(x)) for x in xs):
        points += _clipped(begin, end, extent)
    return tuple(dict.fromkeys(points))


def _clipped(begin: Point, end: Point, extent: Extent) -> list[Point]:
    """Return the part of a straight piece that lies between the bottom and the top of a plot."""
    (x1, y1), y2 = begin, end[1]
    if max(y1, y2) < extent.bottom or min(y1, y2) > extent.top:
        return []
    if y1 == y2:
        return [begin, end]
    # What rises here rises with x: its y over x stays the same.
    slope = y1 / x1
    low, high = max(y1, extent.bottom), min(y2, extent.top)
    return [(low / slope, low), (high / slope, high)]
