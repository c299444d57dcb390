"""The workflow view of a roofline as a figure: ceilings, wall, targets, zones, dots, and ways to go.

Both axes are logarithmic: what rises with the number of tasks is a diagonal, what all share a horizontal.
Grey is what cannot be attained. Names stand along their lines, placed so that none lies on another.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10
from pathlib import Path
from typing import Any

from longpole.model.roofline import Placed, Roofline
from longpole.present.canvas import ACCENT, drawing, form_of, line, patch, save
from longpole.present.labels import Placer
from longpole.present.page import Page
from longpole.present.rates import between, plain, rates_of
from longpole.present.roofline_lines import ceiling_lines, structure_notes, target_lines
from longpole.present.roofline_marks import (
    FEW_DOTS,
    dot_look,
    draw_arrows,
    draw_bands,
    draw_ceilings,
    draw_dots,
    draw_targets,
    draw_wall,
    write_labels,
)
from longpole.present.roofline_scale import Extent, extent, far, round_heights
from longpole.present.roofline_words import bound, title
from longpole.present.roofline_zones import draw_zones, zone_handles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure

_BYTES = "bytes are decimal: 1 TB is 10¹² bytes"
_HIGH, _LEFT = 3.9, 0.62
_MOST_TICKS = 8
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
    page = Page(new_figure, title=title(roofline), said=bound(roofline))
    legend = [*zone_handles(roofline, covers), *_handles(roofline)]
    axes = page.lay_out(high=_HIGH, left=_LEFT, legend=legend, small=_small_print(roofline, listed))
    _draw_axes(axes, roofline, covers)
    draw_zones(axes, roofline, covers)
    placer = Placer(axes)
    draw_ceilings(axes, placer, ceilings)
    draw_bands(axes, roofline, covers)
    draw_targets(axes, placer, targets)
    draw_wall(axes, placer, roofline, covers)
    draw_dots(axes, placer, roofline)
    draw_arrows(axes, placer, roofline)
    return page.figure, write_labels(placer, roofline, (*ceilings, *targets), covers)


def _small_print(roofline: Roofline, listed: Sequence[str]) -> list[str]:
    rates = rates_of(roofline)
    above = ", ".join(f"{one.name} ({rates.show(one.tasks_per_second_at_dot)})" for one in far(roofline))
    lines = [f"task: {roofline.task}; {_BYTES}; grey cannot be attained"]
    lines += structure_notes(roofline)
    lines += [f"not drawn, far above: {above}"] if above else []
    lines += [f"no room beside their marks: {'; '.join(listed)}"] if listed else []
    lines += _many(roofline.dots)
    return lines


def _many(dots: tuple[Placed, ...]) -> list[str]:
    if len(dots) <= FEW_DOTS:
        return []
    at = between([dot.efficiency for dot in dots])
    return [f"{len(dots)} dots, at {at} of the ceilings over them"]


def _draw_axes(axes: Axes, roofline: Roofline, covers: Extent) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(covers.left, covers.right)
    axes.set_ylim(covers.bottom, covers.top)
    axes.minorticks_off()
    across, up = _x_ticks(covers), round_heights(covers, _MOST_TICKS)
    axes.set_xticks(across, [f"{x:,.0f}" for x in across])
    axes.set_yticks(up, height_labels(up))
    axes.set_xlabel("parallel tasks")
    axes.set_ylabel(f"{roofline.unit}s per second")
    axes.tick_params(length=2.5, width=0.6)


def height_labels(heights: Sequence[float]) -> list[str]:
    """Return numbers for an axis: as powers of ten if all are, or some are long.

    Examples:
        >>> height_labels([0.001, 1.0]), height_labels([0.5, 1.0]), height_labels([0.0005, 0.001])
        (['10⁻³', '10⁰'], ['0.5', '1'], ['5·10⁻⁴', '10⁻³'])
    """
    powers = [floor(log10(y) + 1e-9) for y in heights]
    steps = [round(y / 10.0**power) for y, power in zip(heights, powers, strict=True)]
    if max(steps) > 1 and min(heights) >= 0.01 and max(heights) <= 1e4:
        return [plain(y) for y in heights]
    return [
        f"{f'{step}·' if step > 1 else ''}10{str(power).translate(_SUPERSCRIPT)}"
        for step, power in zip(steps, powers, strict=True)
    ]


def _x_ticks(covers: Extent) -> list[float]:
    """Return round numbers of tasks: 1, 2 and 5 times powers of ten, or fewer where there are many."""
    powers = range(floor(log10(covers.right)) + 1)
    steps = (1, 2, 5) if len(powers) <= 3 else (1,)
    return [step * 10.0**power for power in powers for step in steps if step * 10.0**power < covers.right]


def _handles(roofline: Roofline) -> list[Any]:
    """Return what the legend says of dots and lines."""
    handles: list[Any] = []
    for contended, projected, name in (
        (False, False, "measured"),
        (True, False, "measured, contended"),
        (False, True, "projected"),
        (True, True, "projected, contended"),
    ):
        like = [dot for dot in roofline.dots if (dot.contended, dot.projected) == (contended, projected)]
        handles += [line(label=name, **dot_look(like[0]))] if like else []
    if any(one.contended_seconds is not None for one in roofline.ceilings):
        look: dict[str, Any] = {
            "facecolor": "none",
            "edgecolor": ACCENT,
            "alpha": 0.8,
            "hatch": "////",
            "linewidth": 0,
        }
        handles.append(patch(label="from contended to nominal", **look))
    return handles
