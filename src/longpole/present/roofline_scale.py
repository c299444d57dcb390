"""Where a roofline's lines run: the height of each ceiling, the lowest of them, and what a plot has to cover.

Left out of a plot: ceilings that are nowhere within four decades of the lowest one. The structure limits one
workflow, and several at once may pass it: so it ends the attainable area only where it is what bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

from longpole.model.resources import Level
from longpole.model.roofline import Ceiling, Roofline

_FAR = 1e4
_SAME = 0.03
# Powers of ten on an axis: so few need numbers between them.
_FEW_POWERS = 2
# How far a plot goes beyond what it shows; the least ratio of its right end to its left.
_LEFT, _RIGHT, _BELOW, _ABOVE, _NARROWEST = 0.6, 2.2, 4.0, 4.0, 8.0
# A ceiling that rises is in the plot up to here, at least.
_EARLY = 4.0


@dataclass(frozen=True, slots=True)
class Extent:
    """What a plot covers: tasks in parallel from left to right, tasks per second from bottom to top."""

    left: float
    right: float
    bottom: float
    top: float

    def across(self, x: float) -> float:
        """Return how far right something is, from 0 to 1."""
        return log10(x / self.left) / log10(self.right / self.left)

    def up(self, y: float) -> float:
        """Return how far up something is, from 0 to 1."""
        return log10(y / self.bottom) / log10(self.top / self.bottom)


def round_heights(extent: Extent, most: int) -> list[float]:
    """Return round numbers for the axis upwards: powers of ten and, where these are few, 2 and 5 times."""
    low, high = ceil(log10(extent.bottom)), floor(log10(extent.top))
    powers = [10.0**power for power in range(low, high + 1, max(1, (high - low) // most))]
    if len(powers) > _FEW_POWERS:
        return powers
    every = [step * 10.0**power for power in range(low - 1, high + 1) for step in (1, 2, 5)]
    return [y for y in every if extent.bottom < y < extent.top]


def lowest(roofline: Roofline, x: float) -> float:
    """Return what all ceilings together allow."""
    return min(one.height(roofline.tasks, x) for one in limiting(roofline))


def limiting(roofline: Roofline) -> tuple[Ceiling, ...]:
    """Return the ceilings that end the attainable area."""
    kept = [one for one in roofline.ceilings if one.kind is not Level.STRUCTURE or one.name == roofline.bound]
    return tuple(kept) or roofline.ceilings


def bend(ceiling: Ceiling) -> float | None:
    """Return from where on a rising ceiling is flat; None if it is one or the other throughout."""
    if not ceiling.serial_seconds or not ceiling.least_seconds:
        return None
    return ceiling.serial_seconds / ceiling.least_seconds


def near(roofline: Roofline) -> tuple[Ceiling, ...]:
    """Return the ceilings that are worth drawing: those that come near the lowest somewhere."""
    kept = (one for one in roofline.ceilings if one not in hidden(roofline))
    return tuple(one for one in kept if _times_above(roofline, one) <= _FAR)


def hidden(roofline: Roofline) -> tuple[Ceiling, ...]:
    """Return a structure that lies on the lowest of the other ceilings, as far as the wall."""
    xs = (1.0, roofline.parallel, max(roofline.wall.parallel, 1))
    beside = [one for one in roofline.ceilings if one not in limiting(roofline)]
    return tuple(
        one
        for one in beside
        if all(abs(one.height(roofline.tasks, x) / lowest(roofline, x) - 1) < _SAME for x in xs)
    )


def far(roofline: Roofline) -> tuple[Ceiling, ...]:
    """Return the others."""
    return tuple(one for one in roofline.ceilings if _times_above(roofline, one) > _FAR)


def own_and_shared(roofline: Roofline) -> tuple[Ceiling | None, Ceiling | None]:
    """Return the lowest ceiling that rises, and the lowest that is flat; None without any.

    What each task has of its own rises, what all share is flat; a structure that bounds may be both.
    """
    every = limiting(roofline)
    own = [one for one in every if one.kind is not Level.SYSTEM and one.serial_seconds]
    shared = [one for one in every if one.kind in (Level.SYSTEM, Level.STRUCTURE)]
    return (
        max(own, key=lambda one: one.serial_seconds, default=None),
        max(shared, key=lambda one: one.least_seconds, default=None),
    )


def crossing(roofline: Roofline) -> float:
    """Return from how many tasks on what all share bounds: 0 if always, infinite if never."""
    own, shared = own_and_shared(roofline)
    if own is None or shared is None:
        return 0.0 if own is None else float("inf")
    return (
        own.serial_seconds / shared.least_seconds
        if own.least_seconds < shared.least_seconds
        else float("inf")
    )


def extent(roofline: Roofline) -> Extent:
    """Return what a plot of a roofline covers; ceilings that rise steeply leave it at the top."""
    widest = max(roofline.wall.parallel, roofline.parallel, *(dot.x for dot in roofline.dots), 1)
    marks = [dot.y for dot in roofline.dots]
    marks += [target.height(roofline.parallel) for target in roofline.targets]
    marks += [
        one.height(roofline.tasks, roofline.parallel, contended=True)
        for one in roofline.ceilings
        if one.contended_seconds
    ]
    early = [one.height(roofline.tasks, min(widest, _EARLY)) for one in near(roofline)]
    bottom = min([lowest(roofline, 1.0), *marks]) / _BELOW
    top = max([lowest(roofline, widest), *early, *marks]) * _ABOVE
    return Extent(_LEFT, max(widest * _RIGHT, _LEFT * _NARROWEST), bottom, top)


def _times_above(roofline: Roofline, ceiling: Ceiling) -> float:
    """Return how many times the lowest ceiling this one is where it comes nearest to it."""
    last = max(roofline.wall.parallel, roofline.parallel, 1)
    bends = [at for at in map(bend, roofline.ceilings) if at is not None and 1 < at < last]
    return min(
        ceiling.height(roofline.tasks, x) / lowest(roofline, x)
        for x in (1.0, roofline.parallel, last, *bends)
    )
