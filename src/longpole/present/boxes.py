"""Rectangles that lie at an angle, and whether they touch each other or a line: for labels that must not.

Method: two convex shapes are apart where some line is between them; the sides of the two are the only lines
to try (the separating axis theorem). A line from a point to another is a shape without width.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from math import cos, radians, sin

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Shape:
    """A convex shape by its corners, in order."""

    corners: tuple[Point, ...]

    def touches(self, other: Shape) -> bool:
        """Return whether two shapes have a point in common."""
        return not any(self._apart(other, *axis) for axis in chain(self._axes(), other._axes()))

    def inside(self, left: float, bottom: float, right: float, top: float) -> bool:
        """Return whether all of it lies in an upright rectangle."""
        return all(left <= x <= right and bottom <= y <= top for x, y in self.corners)

    def _axes(self) -> list[Point]:
        after = (*self.corners[1:], self.corners[0])
        sides = [(x2 - x1, y2 - y1) for (x1, y1), (x2, y2) in zip(self.corners, after, strict=True)]
        axes = [(-dy, dx) for dx, dy in sides if dx or dy]
        return [*axes, *sides[:1]] if len(self.corners) == 2 else axes

    def _apart(self, other: Shape, dx: float, dy: float) -> bool:
        mine = [x * dx + y * dy for x, y in self.corners]
        theirs = [x * dx + y * dy for x, y in other.corners]
        return max(mine) < min(theirs) or max(theirs) < min(mine)


def rectangle(centre: Point, width: float, height: float, degrees: float = 0.0) -> Shape:
    """Return a rectangle around a point, turned about it against the clock.

    Examples:
        >>> rectangle((1.0, 1.0), 2.0, 2.0).touches(rectangle((2.9, 1.0), 2.0, 2.0))
        True
        >>> rectangle((1.0, 1.0), 2.0, 2.0).touches(rectangle((3.1, 1.0), 2.0, 2.0))
        False
    """
    c, s = cos(radians(degrees)), sin(radians(degrees))
    x, y = centre
    halves = ((-width, -height), (width, -height), (width, height), (-width, height))
    return Shape(tuple((x + (w * c - h * s) / 2, y + (w * s + h * c) / 2) for w, h in halves))


def stroke(begin: Point, end: Point) -> Shape:
    """Return a line from a point to another."""
    return Shape((begin, end))
