"""Labels of a figure, placed so that none lies on another: texts are measured, and places for them tried.

Method: each label has places, the better ones cheaper. A place where it would touch another label, or leave
the area, is out; lines and dots under a label cost. The cheapest is taken, one label after the other: greedy,
so a label may find no place that a cleverer order had left it. Its maker is told, and lists it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from math import atan2, cos, degrees, hypot, pi, radians, sin
from typing import Any, cast

from longpole.present.boxes import Point, Shape, rectangle, stroke

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure, Text

# Pixels: between a line and its label; between two labels; from the edge.
_GAP, _APART, _EDGE = 5.0, 5.0, 6.0
# Above and below a line, near and less near, and what each costs.
_SIDES = ((1, _GAP, 0.0), (-1, _GAP, 0.6), (1, 4 * _GAP, 2.5), (-1, 4 * _GAP, 3.0))
_CROSSED, _COVERED = 4.0, 30.0
_STEPS, _ROUND = 40, 16
_REACHES = (15.0, 26.0, 48.0, 76.0, 112.0, 160.0)
# Reaches from here on get a line from the dot to its label.
_LED = 40.0


@dataclass(frozen=True, slots=True)
class Place:
    """Where a label could be: its middle, its angle, what that costs, and where a line to it would begin."""

    middle: Point
    angle: float
    cost: float
    led_from: Point | None = None


def outline(text: Text) -> Shape:
    """Return the rectangle that a text fills in its figure, in pixels."""
    angle = text.get_rotation()
    around = text.get_window_extent()
    text.set_rotation(0.0)
    flat = text.get_window_extent()
    text.set_rotation(angle)
    middle = ((around.x0 + around.x1) / 2, (around.y0 + around.y1) / 2)
    return rectangle(middle, flat.width, flat.height, angle)


def measured(figure: Figure, text: str, **look: Any) -> tuple[float, float]:  # noqa: ANN401
    """Return how wide and high a text would be, in pixels."""
    probe = figure.text(0.5, 0.5, text, **look)
    box = probe.get_window_extent()
    probe.remove()
    return box.width, box.height


def figure_of(axes: Axes) -> Figure:
    """Return the figure that axes are in."""
    return cast("Figure", axes.get_figure())


@dataclass(slots=True)
class Placer:
    """Places labels in axes whose limits and size do not change any more.

    Attributes:
        axes: Where.
        taken: What no label may touch: labels that are placed.
        lines: What a label had better not touch.
        marks: What it should not cover.
    """

    axes: Axes
    taken: list[Shape] = field(default_factory=list)
    lines: list[Shape] = field(default_factory=list)
    marks: list[Shape] = field(default_factory=list)

    def add_line(self, points: Iterable[Point]) -> None:
        """Make it known where a line runs, in data."""
        pixels = [self._pixel(point) for point in points]
        self.lines += [stroke(begin, end) for begin, end in pairwise(pixels)]

    def add_barrier(self, points: Iterable[Point]) -> None:
        """Make it known where a line runs that no label should cross, in data."""
        pixels = [self._pixel(point) for point in points]
        self.marks += [stroke(begin, end) for begin, end in pairwise(pixels)]

    def add_mark(self, point: Point, size: float) -> None:
        """Make it known where a dot is, in data."""
        self.marks.append(rectangle(self._pixel(point), size, size))

    def along(self, text: str, points: Iterable[Point], *, at: float = 0.5, **look: Any) -> bool:  # noqa: ANN401
        """Write a text along a line, near ``at`` of its length; return whether there was room."""
        wide, high = measured(self._figure, text, **look)
        pixels = [self._pixel(point) for point in points]
        return self._write(text, (wide, high), _along(pixels, wide, high, at), look)

    def beside(self, text: str, point: Point, **look: Any) -> bool:  # noqa: ANN401
        """Write a text beside a dot; return whether there was room."""
        wide, high = measured(self._figure, text, **look)
        return self._write(text, (wide, high), _beside(self._pixel(point), wide, high), look)

    def upright(self, text: str, points: Iterable[Point], **look: Any) -> bool:  # noqa: ANN401
        """Write a text beside a vertical line, near its top; return whether there was room."""
        wide, high = measured(self._figure, text, **look)
        pixels = [self._pixel(point) for point in points]
        return self._write(text, (wide, high), _upright(pixels, wide, high), look)

    def _write(
        self, text: str, size: tuple[float, float], places: Iterable[Place], look: dict[str, Any]
    ) -> bool:
        best: tuple[float, Place] | None = None
        for place in places:
            if best is not None and place.cost >= best[0]:
                continue
            cost = self._cost(place, *size)
            if cost is not None and (best is None or cost < best[0]):
                best = (cost, place)
        if best is None:
            return False
        self._draw(text, size, best[1], look)
        return True

    def _cost(self, place: Place, wide: float, high: float) -> float | None:
        """Return what a place costs with all that is under it; None if it cannot be."""
        shape = rectangle(place.middle, wide + 2 * _APART, high + 2 * _APART, place.angle)
        box = self.axes.bbox
        if not shape.inside(box.x0 + _EDGE, box.y0 + _EDGE, box.x1 - _EDGE, box.y1 - _EDGE):
            return None
        if any(shape.touches(other) for other in self.taken):
            return None
        tight = rectangle(place.middle, wide + _GAP, high + _GAP, place.angle)
        crossed = sum(tight.touches(line) for line in self.lines)
        covered = sum(tight.touches(mark) for mark in self.marks)
        return place.cost + _CROSSED * crossed + _COVERED * covered

    def _draw(self, text: str, size: tuple[float, float], place: Place, look: dict[str, Any]) -> None:
        # As a share of the axes, and not in pixels: so it holds at any resolution.
        x, y = self.axes.transAxes.inverted().transform(place.middle)
        self.axes.text(
            x,
            y,
            text,
            rotation=place.angle,
            rotation_mode="anchor",
            ha="center",
            va="center",
            transform=self.axes.transAxes,
            zorder=6,
            **look,
        )
        self.taken.append(rectangle(place.middle, *size, place.angle))
        if place.led_from is not None:
            self._lead(place, size, look.get("color", "black"))

    def _lead(self, place: Place, size: tuple[float, float], colour: str) -> None:
        """Draw a thin line from a dot to the nearest edge of its label."""
        assert place.led_from is not None
        (x, y), (mx, my), (wide, high) = place.led_from, place.middle, size
        end = (min(max(x, mx - wide / 2), mx + wide / 2), min(max(y, my - high / 2), my + high / 2))
        line = self.axes.transAxes.inverted().transform([(x, y), end])
        self.axes.plot(*line.T, color=colour, lw=0.4, transform=self.axes.transAxes, zorder=4)

    @property
    def _figure(self) -> Figure:
        return figure_of(self.axes)

    def _pixel(self, point: Point) -> Point:
        x, y = self.axes.transData.transform(point)
        return float(x), float(y)


def _along(pixels: list[Point], wide: float, high: float, at: float) -> Iterator[Place]:
    """Give places above and below each piece of a line that is long enough."""
    for (x1, y1), (x2, y2) in pairwise(pixels):
        long = hypot(x2 - x1, y2 - y1)
        if long < wide + 2 * _GAP:
            continue
        angle = atan2(y2 - y1, x2 - x1)
        for step in range(_STEPS + 1):
            middle = wide / 2 + _GAP + (long - wide - 2 * _GAP) * step / _STEPS
            for side, gap, dear in _SIDES:
                off = side * (high / 2 + gap)
                x = x1 + middle * cos(angle) - off * sin(angle)
                y = y1 + middle * sin(angle) + off * cos(angle)
                yield Place((x, y), degrees(angle), dear + 2 * abs(step / _STEPS - at))


def _upright(pixels: list[Point], wide: float, high: float) -> Iterator[Place]:
    """Give places at the right and left of a vertical line, from its top down."""
    (x, bottom), (_, top) = pixels
    for step in range(_STEPS + 1):
        y = top - high - (top - bottom - 2 * high) * step / _STEPS
        for side, dear in ((1, 0.0), (-1, 0.3)):
            yield Place((x + side * (wide / 2 + 2 * _GAP), y), 0.0, dear + 3 * step / _STEPS)


def _beside(pixel: Point, wide: float, high: float) -> Iterator[Place]:
    """Give places around a dot, near ones first."""
    for reach in _REACHES:
        for step in range(_ROUND):
            turn = 2 * pi * step / _ROUND
            x = pixel[0] + reach * cos(turn) + _sign(cos(turn)) * wide / 2
            y = pixel[1] + reach * sin(turn) + _sign(sin(turn)) * high / 2
            cost = reach / 24 + abs(sin(turn)) / 2 + (cos(turn) < 0) * 0.5
            yield Place((x, y), 0.0, cost, pixel if reach >= _LED else None)


def _sign(number: float) -> float:
    return 0.0 if abs(number) < radians(1) else (1.0 if number > 0 else -1.0)
