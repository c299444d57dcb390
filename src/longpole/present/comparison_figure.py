"""A comparison as a figure: computing, staging and end to end side by side, a bar for each group.

After Figures 6 to 8 of Krawczuk et al. 2021. A bar is the mean of a group, the line on it one standard
deviation to each side, a dot a run. Beside the bars stands how typical runs differ from the baseline group;
dark if that is shown, grey if not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from longpole.model.comparison import Comparison, GroupTimes, Metric, MetricComparison
from longpole.present.axis import ticks
from longpole.present.canvas import (
    BLUE,
    GREEN,
    INK,
    ORANGE,
    PINK,
    QUIET,
    RESOLUTION,
    WIDTH,
    YELLOW,
    drawing,
    form_of,
    line,
    patch,
    save,
)
from longpole.present.comparison_words import signed, verdicts
from longpole.present.labels import figure_of, measured
from longpole.present.page import Page, quiet_axes
from longpole.present.terminal import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure

_COLOURS = {
    Metric.COMPUTE: BLUE,
    Metric.STAGE_IN: ORANGE,
    Metric.STAGE_OUT: YELLOW,
    Metric.END_TO_END: GREEN,
    Metric.CPU: PINK,
}
_LABELS = {
    Metric.COMPUTE: "compute",
    Metric.STAGE_IN: "stage in",
    Metric.STAGE_OUT: "stage out",
    Metric.END_TO_END: "end to end",
    Metric.CPU: "CPU time",
}
# Which times share a panel, in the order of the panels.
_PANELS = (
    ("cumulative compute time", (Metric.COMPUTE,)),
    ("cumulative staging time", (Metric.STAGE_IN, Metric.STAGE_OUT)),
    ("CPU time", (Metric.CPU,)),
    ("end to end", (Metric.END_TO_END,)),
)
# Inches: a group, what stands around them, between names and bars, between panels.
_ROW, _AROUND, _BESIDE, _APART = 0.42, 0.12, 0.12, 0.22
_BELOW = 0.42
_BAR = 0.76
_MOST_LETTERS, _MOST_TICKS, _MOST_SAID = 24, 3, 4
# Of the width of a panel: what is left for how groups differ.
_CHANGES = 0.3


class _Panel(NamedTuple):
    """Times that are drawn over one axis."""

    title: str
    times: tuple[MetricComparison, ...]


def write_comparison(comparison: Comparison, path: Path) -> None:
    """Write a figure; its suffix says in which form. The file is there in whole or not at all.

    Raises:
        UsageError: Another suffix, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    form_of(path)
    with drawing() as new_figure:
        save(comparison_figure(comparison, new_figure), path)


def comparison_figure(comparison: Comparison, new_figure: type[Figure]) -> Figure:
    """Return the figure, drawn."""
    said = " ".join(verdicts(comparison.deciding)[:_MOST_SAID])
    page = Page(new_figure, title=f"{comparison.title}, by {comparison.by}", said=said)
    names = [shorten(times.group, _MOST_LETTERS) for times in comparison.deciding.groups]
    left = max(measured(page.figure, name, fontsize=8)[0] for name in names) / RESOLUTION + _BESIDE
    panels = _panels(comparison)
    high = _AROUND + _ROW * len(names)
    whole = page.lay_out(
        high=high + 0.2, left=left, below=_BELOW, legend=_handles(panels), small=[_small_print(comparison)]
    )
    for at, (panel, axes) in enumerate(zip(panels, _split(whole, len(panels), 0.2), strict=True)):
        _draw(axes, panel, names if at == 0 else None)
    return page.figure


def _panels(comparison: Comparison) -> list[_Panel]:
    there = {one.metric: one for one in comparison.metrics}
    found = [
        _Panel(title, tuple(there[metric] for metric in metrics if metric in there))
        for title, metrics in _PANELS
    ]
    return [panel for panel in found if panel.times]


def _split(whole: Axes, count: int, title: float) -> list[Axes]:
    """Return axes side by side in the place of one; their titles take some inches at the top."""
    figure = figure_of(whole)
    box = whole.get_position()
    whole.remove()
    wide = (box.width - (count - 1) * _APART / WIDTH) / count
    high = box.height * (1 - title / (box.height * figure.get_size_inches()[1]))
    step = wide + _APART / WIDTH
    return [figure.add_axes((box.x0 + at * step, box.y0, wide, high)) for at in range(count)]


def _draw(axes: Axes, panel: _Panel, names: Sequence[str] | None) -> None:
    groups = panel.times[0].groups
    longest = max(_reach(times) for one in panel.times for times in one.groups) or 1.0
    axes.set_xlim(0, longest / (1 - _CHANGES))
    moments = [tick for tick in ticks(longest, _MOST_TICKS) if tick.at_s <= longest]
    axes.set_xticks([tick.at_s for tick in moments], [tick.label for tick in moments])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_yticks(range(len(groups)), names if names is not None else [""] * len(groups))
    axes.set_title(panel.title, loc="left", fontsize=8)
    quiet_axes(axes)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)
    bar = _BAR / len(panel.times)
    for at, one in enumerate(panel.times):
        for row, times in enumerate(one.groups):
            middle = row - _BAR / 2 + bar * (at + 0.5)
            _draw_bar(axes, times, middle, bar, _COLOURS[one.metric])
            _write_change(axes, one, times.group, middle)


def _reach(times: GroupTimes) -> float:
    return max(*times.seconds, times.mean_s + (times.sd_s or 0.0))


def _draw_bar(axes: Axes, times: GroupTimes, middle: float, high: float, colour: str) -> None:
    axes.barh(middle, times.mean_s, high * 0.92, color=colour, zorder=2)
    if times.sd_s:
        look: dict[str, Any] = {"ecolor": INK, "elinewidth": 0.9, "capsize": 2.0, "capthick": 0.9}
        axes.errorbar(times.mean_s, middle, xerr=times.sd_s, fmt="none", zorder=4, **look)
    count = len(times.seconds)
    # One beside the other, in the order in which they were made: so drift can be seen, too.
    places = [middle + high * 0.6 * ((at + 0.5) / count - 0.5) for at in range(count)]
    axes.plot(times.seconds, places, "o", markersize=1.8, color=INK, alpha=0.55, markeredgewidth=0, zorder=3)


def _write_change(axes: Axes, one: MetricComparison, group: str, middle: float) -> None:
    found = one.difference(group)
    if found is None or found.ratio is None:
        return
    look: dict[str, Any] = {"color": INK, "fontweight": "bold"} if found.shown else {"color": QUIET}
    look |= {"ha": "right", "va": "center", "fontsize": 6.5}
    axes.text(axes.get_xlim()[1], middle, signed(found.ratio), zorder=5, **look)


def _handles(panels: Sequence[_Panel]) -> list[Any]:
    bars = [
        patch(label=_LABELS[one.metric], facecolor=_COLOURS[one.metric])
        for panel in panels
        if len(panel.times) > 1
        for one in panel.times
    ]
    dot = line(label="a run", marker="o", markersize=2.5, color=INK, alpha=0.55, linestyle="none")
    return [*bars, dot, line(label="mean and standard deviation", color=INK, linewidth=0.9)]


def _small_print(comparison: Comparison) -> str:
    runs = [times.n for times in comparison.deciding.groups]
    each = f"{runs[0]} runs of each" if len(set(runs)) == 1 else f"{min(runs)} to {max(runs)} runs of each"
    if not comparison.deciding.differences:
        return each
    sure = (
        f"bold: shown to differ from '{comparison.baseline}', at {100 * comparison.confidence:g} % confidence"
    )
    return f"{each}; percentages are how typical runs differ; {sure}"
