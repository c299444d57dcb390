"""The workflow view of a roofline as a figure: ceilings, wall, targets, zones, dots, and ways to go.

Both axes are logarithmic: what rises with the number of tasks is a diagonal, what all share a horizontal.
Grey is what cannot be attained. Names stand along their lines, placed so that none lies on another.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, hypot, log10
from pathlib import Path
from typing import Any

from longpole.model.resources import Level
from longpole.model.roofline import Placed, Roofline, Way
from longpole.present.boxes import Point, stroke
from longpole.present.canvas import ACCENT, DEEP_BLUE, GREEN, INK, PINK, drawing, form_of, save
from longpole.present.labels import Placer
from longpole.present.page import Page
from longpole.present.rates import percent, rates_of
from longpole.present.roofline_lines import Line, ceiling_lines, target_lines, wall_text
from longpole.present.roofline_scale import Extent, extent, far, height
from longpole.present.roofline_words import bound, dot_label
from longpole.present.roofline_zones import draw_zones, zone_handles
from longpole.present.terminal import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {Level.NODE: DEEP_BLUE, Level.SYSTEM: ACCENT, Level.STRUCTURE: GREEN, Level.OVERHEAD: PINK}
_BYTES = "bytes are decimal: 1 TB is 10¹² bytes"
_HIGH, _LEFT = 3.9, 0.62
_LABEL: dict[str, Any] = {"fontsize": 7.5}
# More dots than this have labels at their ends only.
_FEW = 5
# Pixels: a dot; how long an arrow is at most; how far left of its dot the one upwards is.
_DOT, _ARROW, _LEFT_OF = 16.0, 80.0, 20.0
_MOST_NAME = 40
_LEAST_GAIN = 1.01
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def write_workflow_view(roofline: Roofline, path: Path) -> None:
    """Write the workflow view; the suffix says in which form. The file is there in whole or not at all.

    Raises:
        UsageError: Another suffix, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    form_of(path)
    with drawing() as new_figure:
        save(workflow_view(roofline, new_figure), path)


def workflow_view(roofline: Roofline, new_figure: type[Figure]) -> Figure:
    """Return the workflow view, drawn; what finds no room for its name in the plot is listed under it."""
    figure, unnamed = _draw(roofline, new_figure, ())
    return _draw(roofline, new_figure, unnamed)[0] if unnamed else figure


def _draw(
    roofline: Roofline, new_figure: type[Figure], listed: Sequence[str]
) -> tuple[Figure, tuple[str, ...]]:
    covers = extent(roofline)
    ceilings, targets = ceiling_lines(roofline, covers), target_lines(roofline, covers)
    page = Page(new_figure, title=f"{roofline.name} on {roofline.machine}", said=bound(roofline))
    legend = [*zone_handles(roofline, covers), *_handles(roofline)]
    axes = page.lay_out(high=_HIGH, left=_LEFT, legend=legend, small=_small_print(roofline, listed))
    _draw_axes(axes, roofline, covers)
    draw_zones(axes, roofline, covers)
    placer = Placer(axes)
    _draw_ceilings(axes, placer, ceilings)
    _draw_bands(axes, roofline, covers)
    _draw_targets(axes, placer, targets)
    _draw_wall(axes, placer, roofline, covers)
    _draw_dots(axes, placer, roofline)
    _draw_arrows(axes, placer, roofline)
    return page.figure, _write_labels(placer, roofline, (*ceilings, *targets), covers)


def _small_print(roofline: Roofline, listed: Sequence[str]) -> list[str]:
    rates = rates_of(roofline)
    above = ", ".join(f"{one.name} ({rates.show(one.tasks_per_second_at_dot)})" for one in far(roofline))
    lines = [f"task: {roofline.task}; {_BYTES}; grey cannot be attained"]
    lines += [f"not drawn, far above: {above}"] if above else []
    lines += [f"no room beside their marks: {'; '.join(listed)}"] if listed else []
    lines += _many(roofline.dots)
    return lines


def _many(dots: tuple[Placed, ...]) -> list[str]:
    if len(dots) <= _FEW:
        return []
    shares = sorted(dot.efficiency for dot in dots)
    return [f"{len(dots)} dots, at {percent(shares[0])} to {percent(shares[-1])} of the ceilings over them"]


def _draw_axes(axes: Axes, roofline: Roofline, covers: Extent) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(covers.left, covers.right)
    axes.set_ylim(covers.bottom, covers.top)
    axes.minorticks_off()
    across, up = _x_ticks(covers), _y_ticks(covers)
    axes.set_xticks(across, [f"{x:,.0f}" for x in across])
    axes.set_yticks(
        [10.0**power for power in up], [f"10{str(power).translate(_SUPERSCRIPT)}" for power in up]
    )
    axes.set_xlabel("parallel tasks")
    axes.set_ylabel(f"{roofline.unit}s per second")
    axes.tick_params(length=2.5, width=0.6)


def power_of_ten(power: int) -> str:
    """Return a power of ten, written small and high.

    Examples:
        >>> power_of_ten(-3)
        '10⁻³'
    """
    return f"10{str(power).translate(_SUPERSCRIPT)}"


def _x_ticks(covers: Extent) -> list[float]:
    """Return round numbers of tasks: 1, 2 and 5 times powers of ten, or fewer where there are many."""
    powers = range(floor(log10(covers.right)) + 1)
    steps = (1, 2, 5) if len(powers) <= 3 else (1,)
    return [step * 10.0**power for power in powers for step in steps if step * 10.0**power < covers.right]


def _y_ticks(covers: Extent) -> list[int]:
    low, high = floor(log10(covers.bottom)) + 1, floor(log10(covers.top))
    return list(range(low, high + 1, max(1, (high - low) // 8)))


def _draw_ceilings(axes: Axes, placer: Placer, lines: Sequence[Line]) -> None:
    for line in lines:
        xs, ys = zip(*line.points, strict=True)
        assert line.kind is not None
        axes.plot(
            xs,
            ys,
            color=COLOURS[line.kind],
            lw=2.0 if line.bounds else 1.1,
            ls=(0, (5, 2)) if line.contended else "-",
            zorder=3,
        )
        if line.spread:
            low, high = [y * (1 - line.spread) for y in ys], [y * (1 + line.spread) for y in ys]
            axes.fill_between(xs, low, high, color=COLOURS[line.kind], alpha=0.15, lw=0, zorder=2)
        placer.add_line(line.points)


def _draw_bands(axes: Axes, roofline: Roofline, covers: Extent) -> None:
    """Fill what lies between a ceiling and the same one contended."""
    for one in roofline.ceilings:
        if one.contended_tasks_per_second is not None:
            low, high = one.contended_tasks_per_second, height(one, roofline.tasks, covers.right)
            axes.fill_between(
                [covers.left, covers.right],
                low,
                high,
                facecolor="none",
                edgecolor=COLOURS[one.kind],
                alpha=0.25,
                hatch="////",
                lw=0,
                zorder=2,
            )


def _draw_targets(axes: Axes, placer: Placer, lines: Sequence[Line]) -> None:
    for line in lines:
        axes.plot(*zip(*line.points, strict=True), color=INK, lw=1.0, ls=(0, (1, 2)), zorder=3)
        placer.add_line(line.points)


def _draw_wall(axes: Axes, placer: Placer, roofline: Roofline, covers: Extent) -> None:
    axes.axvline(roofline.wall.parallel, color=INK, lw=1.6, zorder=3)
    placer.add_line([(roofline.wall.parallel, covers.bottom), (roofline.wall.parallel, covers.top)])


def _look(dot: Placed) -> dict[str, Any]:
    """Return how a dot is drawn: filled where it was measured; another shape where others were in the way."""
    shape = {"marker": "D", "markersize": 5.5} if dot.contended else {"marker": "o", "markersize": 6.5}
    return {**shape, "mec": INK, "mfc": "white" if dot.projected else INK, "mew": 1.2, "ls": "none"}


def _draw_dots(axes: Axes, placer: Placer, roofline: Roofline) -> None:
    for dot in roofline.dots:
        axes.plot([dot.x], [dot.y], zorder=5, **_look(dot))
        placer.add_mark((dot.x, dot.y), _DOT + 6)


def _draw_arrows(axes: Axes, placer: Placer, roofline: Roofline) -> None:
    """Draw short arrows from the main dot: up, and to more tasks at once."""
    if not roofline.dots:
        return
    main = roofline.dots[0]
    for way in roofline.directions:
        if way.way in (Way.UP, Way.DIAGONAL) and way.gain >= _LEAST_GAIN:
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


def _write_labels(
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
        text = shorten(line.text, _MOST_NAME + 20)
        if not placer.along(text, line.points, at=0.3, color=colour, fontweight=weight, **_LABEL):
            unnamed.append(text)
    at_wall = [(roofline.wall.parallel, y) for y in (covers.bottom, covers.top)]
    if not placer.upright(wall_text(roofline), at_wall, color=INK, **_LABEL):
        unnamed.append(wall_text(roofline))
    return tuple(unnamed)


def _dot_labels(dots: tuple[Placed, ...]) -> list[tuple[str, Placed]]:
    """Return which dots get a label: all if they are few, else the main one and those at the ends."""
    if len(dots) > _FEW:
        ends = [min(dots, key=lambda dot: (dot.x, dot.y)), max(dots, key=lambda dot: (dot.x, dot.y))]
        dots = tuple(dict.fromkeys([dots[0], *ends]))
    return [(shorten(dot_label(dot), _MOST_NAME), dot) for dot in dots]


def _handles(roofline: Roofline) -> list[Any]:
    """Return what the legend says of dots and lines."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for contended, projected, name in (
        (False, False, "measured"),
        (True, False, "measured, contended"),
        (False, True, "projected"),
        (True, True, "projected, contended"),
    ):
        like = [dot for dot in roofline.dots if (dot.contended, dot.projected) == (contended, projected)]
        handles += [Line2D([], [], label=name, **_look(like[0]))] if like else []
    if any(one.contended_seconds is not None for one in roofline.ceilings):
        look = {"facecolor": "none", "edgecolor": ACCENT, "alpha": 0.8, "hatch": "////", "linewidth": 0}
        handles.append(Patch(label="from contended to nominal", **look))
    return handles
