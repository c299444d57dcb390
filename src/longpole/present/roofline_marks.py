"""The marks of a roofline's workflow view: lines, bands, the wall, dots, arrows, and all labels."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

from longpole.model.resources import Level
from longpole.model.roofline import Placed, Roofline, Way
from longpole.present.boxes import Point, stroke
from longpole.present.canvas import ACCENT, DEEP_BLUE, GREEN, INK, PINK
from longpole.present.labels import Placer
from longpole.present.roofline_lines import Line, wall_text
from longpole.present.roofline_scale import Extent, bend
from longpole.present.roofline_words import dot_label
from longpole.present.terminal import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes

COLOURS = {Level.NODE: DEEP_BLUE, Level.SYSTEM: ACCENT, Level.STRUCTURE: GREEN, Level.OVERHEAD: PINK}
# More dots than this have labels at their ends only.
FEW_DOTS = 5
_LABEL: dict[str, Any] = {"fontsize": 7.5}
# Pixels: a dot; how long an arrow is at most; how far left of its dot the one upwards is.
_DOT, _ARROW, _LEFT_OF = 16.0, 80.0, 20.0
_MOST_NAME, _MOST_TEXT = 40, 60


def draw_ceilings(axes: Axes, placer: Placer, lines: Sequence[Line]) -> None:
    """Draw ceilings: the one that bounds thick, what is measured with a faint band of its spread."""
    for line in lines:
        xs, ys = zip(*line.points, strict=True)
        assert line.kind is not None
        axes.plot(
            xs,
            ys,
            color=COLOURS[line.kind],
            lw=2.0 if line.bounds else 1.1,
            ls=_dashes(line),
            zorder=3 if line.bounds else 2.5,
        )
        if line.spread:
            low, high = [y * (1 - line.spread) for y in ys], [y * (1 + line.spread) for y in ys]
            axes.fill_between(xs, low, high, color=COLOURS[line.kind], alpha=0.15, lw=0, zorder=2)
        placer.add_line(line.points)


def _dashes(line: Line) -> Any:  # noqa: ANN401
    if line.contended:
        return (0, (5, 2))
    return (0, (6, 2, 1, 2)) if line.kind is Level.STRUCTURE and not line.bounds else "-"


def draw_bands(axes: Axes, roofline: Roofline, covers: Extent) -> None:
    """Fill what lies between a ceiling and the same one contended."""
    xs = sorted({covers.left, covers.right, *(x for x in map(bend, roofline.ceilings) if x is not None)})
    for one in roofline.ceilings:
        if one.contended_seconds is not None:
            low = [one.height(roofline.tasks, x, contended=True) for x in xs]
            high = [one.height(roofline.tasks, x) for x in xs]
            look: dict[str, Any] = {"facecolor": "none", "edgecolor": COLOURS[one.kind], "hatch": "////"}
            axes.fill_between(xs, low, high, lw=0, alpha=0.25, zorder=2, **look)


def draw_targets(axes: Axes, placer: Placer, lines: Sequence[Line]) -> None:
    """Draw targets, dotted."""
    for line in lines:
        axes.plot(*zip(*line.points, strict=True), color=INK, lw=1.0, ls=(0, (1, 2)), zorder=3)
        placer.add_line(line.points)


def draw_wall(axes: Axes, placer: Placer, roofline: Roofline, covers: Extent) -> None:
    """Draw the wall."""
    axes.axvline(roofline.wall.parallel, color=INK, lw=1.6, zorder=3)
    placer.add_barrier([(roofline.wall.parallel, covers.bottom), (roofline.wall.parallel, covers.top)])


def dot_look(dot: Placed) -> dict[str, Any]:
    """Return how a dot is drawn: filled where it was measured; another shape where others were in the way."""
    shape = {"marker": "D", "markersize": 5.5} if dot.contended else {"marker": "o", "markersize": 6.5}
    return {**shape, "mec": INK, "mfc": "white" if dot.projected else INK, "mew": 1.2, "ls": "none"}


def draw_dots(axes: Axes, placer: Placer, roofline: Roofline) -> None:
    """Draw the dots."""
    for dot in roofline.dots:
        axes.plot([dot.x], [dot.y], zorder=5, **dot_look(dot))
        placer.add_mark((dot.x, dot.y), _DOT + 6)


def draw_arrows(axes: Axes, placer: Placer, roofline: Roofline) -> None:
    """Draw short arrows from the main dot: up, and to more tasks at once."""
    main = roofline.main_dot
    if main is None:
        return
    for way in roofline.directions:
        if way.way in (Way.UP, Way.DIAGONAL):
            _draw_arrow(axes, placer, (main.x, main.y), (max(way.x, main.x), way.y))


def _draw_arrow(axes: Axes, placer: Placer, begin: Point, end: Point) -> None:
    (x, y), (to_x, to_y) = axes.transData.transform([begin, end])
    long = hypot(to_x - x, to_y - y)
    if long < 2 * _DOT:
        return
    across, up = (to_x - x) / long, (to_y - y) / long
    if begin[0] == end[0]:
        x -= _LEFT_OF
    first, last = (0.0 if begin[0] == end[0] else _DOT), min(_ARROW, long - 4)
    ends = [(x + reach * across, y + reach * up) for reach in (first, last)]
    tail, head = axes.transAxes.inverted().transform(ends)
    axes.annotate(
        "",
        xy=head,
        xytext=tail,
        xycoords="axes fraction",
        textcoords="axes fraction",
        arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 0.9, "shrinkA": 0, "shrinkB": 0},
        zorder=5,
    )
    placer.marks.append(stroke(ends[0], ends[1]))


def write_labels(
    placer: Placer, roofline: Roofline, lines: Sequence[Line], covers: Extent
) -> tuple[str, ...]:
    """Write names beside dots and along lines; return those that found no room."""
    unnamed = [
        text
        for text, dot in _dot_labels(roofline.dots)
        if not placer.beside(text, (dot.x, dot.y), fontsize=8, fontweight="bold", color=INK)
    ]
    for line in lines:
        colour = INK if line.kind is None else COLOURS[line.kind]
        weight = "bold" if line.bounds else "normal"
        text = shorten(line.text, _MOST_TEXT)
        if not placer.along(text, line.points, at=0.3, color=colour, fontweight=weight, **_LABEL):
            unnamed.append(text)
    at_wall = [(roofline.wall.parallel, y) for y in (covers.bottom, covers.top)]
    if not placer.upright(wall_text(roofline), at_wall, color=INK, **_LABEL):
        unnamed.append(wall_text(roofline))
    return tuple(unnamed)


def _dot_labels(dots: tuple[Placed, ...]) -> list[tuple[str, Placed]]:
    """Return which dots get a label: all if they are few, else those at the ends."""
    if len(dots) > FEW_DOTS:
        ends = [min(dots, key=lambda dot: (dot.x, dot.y)), max(dots, key=lambda dot: (dot.x, dot.y))]
        dots = tuple(dict.fromkeys(ends))
    return [(shorten(dot_label(dot), _MOST_NAME), dot) for dot in dots]
