"""A run over time as a figure for a page or a paper: SVG, PDF or PNG, drawn by matplotlib.

The bars of each label above, coloured by kind, with the critical path along them; below, how many ran at once
over the same time. The critical path is a line as well as a colour, and what failed is hatched.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

from longpole.errors import UsageError
from longpole.model.explanation import Explanation
from longpole.model.timeline import Bar, Timeline
from longpole.present.axis import ticks
from longpole.present.canvas import (
    ACCENT,
    BLUE,
    DEEP_BLUE,
    INK,
    PALE,
    PALETTE,
    QUIET,
    WIDTH,
    drawing,
    form_of,
    line,
    patch,
    save,
)
from longpole.present.findings import conclusion
from longpole.present.gantt import NOTHING, rest, row_names
from longpole.present.terminal import shorten
from longpole.units import show_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure

_WAITS = ("hold", "queue", "submitted")
_HATCHES = {"failed": "//////", "unfinished": "......"}
# Inches: a row; the chart below; what stands around them.
_ROW, _BELOW, _AROUND = 0.17, 0.9, 1.35
# Taller pictures cannot be drawn; who wants a page asks for fewer rows.
_TALLEST = 200.0
# Where titles begin, as a share of the width; how far below the edge the second begins.
_LEFT, _LINE = 0.01, 0.27
_MOST_LETTERS, _MOST_TITLE, _MOST_CONCLUSION, _MOST_KIND, _MOST_TICKS = 28, 80, 115, 16, 8
# Of the length: what is drawn at least this wide, and what gets an edge.
_THINNEST, _EDGED = 1 / 1500, 1 / 150
_HEIGHT = 0.76


def write_figure(timeline: Timeline, explanation: Explanation, path: Path) -> None:
    """Write a figure of a run, with its name, how long it took and the conclusion above.

    Raises:
        UsageError: Another suffix, nothing to draw, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    took = "" if explanation.makespan_s is None else f", {show_seconds(explanation.makespan_s)}"
    write_timeline(timeline, path, title=f"{explanation.name}{took}", conclusion=conclusion(explanation))


def write_timeline(timeline: Timeline, path: Path, *, title: str, conclusion: str = "") -> None:
    """Write a figure; its suffix says in which form. The file is there in whole or not at all.

    Raises:
        UsageError: Another suffix, nothing to draw, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    form_of(path)
    if not timeline.rows or timeline.length_s <= 0:
        raise UsageError(NOTHING)
    with drawing() as new_figure:
        figure = new_figure(figsize=(WIDTH, _tall(timeline)), layout="constrained")
        _draw(figure, timeline)
        _draw_title(figure, title, conclusion)
        save(figure, path)


def _tall(timeline: Timeline) -> float:
    return min(_TALLEST, _AROUND + _BELOW + _ROW * len(timeline.rows))


def _draw(figure: Figure, timeline: Timeline) -> None:
    above, below = figure.subplots(
        2, 1, sharex=True, height_ratios=(_tall(timeline) - _AROUND - _BELOW, _BELOW)
    )
    colours = _colours(timeline)
    _draw_rows(above, timeline, colours)
    _draw_critical(above, timeline)
    _draw_profile(below, timeline)
    _draw_time(above, below, timeline)
    _draw_legend(figure, timeline, colours)


def _draw_title(figure: Figure, title: str, conclusion: str) -> None:
    """Write the title and, below it, the conclusion; the empty line makes room for that."""
    title = shorten(title, _MOST_TITLE)
    figure.suptitle(f"{title}\n ", x=_LEFT, ha="left", fontsize=10, fontweight="bold")
    below = 1 - _LINE / figure.get_figheight()
    figure.text(_LEFT, below, shorten(conclusion, _MOST_CONCLUSION), va="top", color=INK)


def _colours(timeline: Timeline) -> dict[str, str]:
    """Return the colour of each kind; waits are pale, and beyond the palette all kinds have one colour."""
    rows = Counter(row.kind for row in timeline.rows)
    working = [kind for kind, _ in rows.most_common() if kind not in _WAITS]
    colours = dict(zip(working, PALETTE, strict=False))
    return {kind: PALE if kind in _WAITS else colours.get(kind, QUIET) for kind in rows}


def _draw_rows(axes: Axes, timeline: Timeline, colours: dict[str, str]) -> None:
    for at, row in enumerate(timeline.rows):
        for status in sorted({bar.status for bar in row.bars}):
            some = [bar for bar in row.bars if bar.status == status]
            _draw_bars(axes, at, some, timeline.length_s, colours[row.kind])
    names = row_names(timeline.rows)
    named = [at for at, name in enumerate(names) if name]
    axes.set_yticks(named, [shorten(names[at], _MOST_LETTERS) for at in named])
    axes.set_ylim(len(names) - 0.4, -0.6)


def _draw_bars(axes: Axes, at: int, bars: list[Bar], length_s: float, colour: str) -> None:
    """Draw bars that ended alike: those that are long enough with an edge, so that neighbours are two."""
    hatch = _HATCHES.get(bars[0].status)
    for edged in (False, True):
        spans = [
            (bar.start_s, max(bar.end_s - bar.start_s, length_s * _THINNEST))
            for bar in bars
            if (bar.end_s - bar.start_s >= length_s * _EDGED) == edged
        ]
        edge = INK if hatch else "white"
        axes.broken_barh(
            spans,
            (at - _HEIGHT / 2, _HEIGHT),
            facecolor=colour,
            edgecolor=edge if edged or hatch else "none",
            linewidth=0.4,
            hatch=hatch,
            zorder=2,
        )


def _draw_critical(axes: Axes, timeline: Timeline) -> None:
    """Draw the critical path as a line along the bars, and from the end of a piece to the next."""
    low = _HEIGHT / 2
    for piece in timeline.critical:
        y = piece.row + low
        axes.plot([piece.start_s, piece.end_s], [y, y], color=ACCENT, lw=1.8, solid_capstyle="butt", zorder=4)
    in_time = sorted(timeline.critical, key=lambda piece: (piece.start_s, piece.end_s))
    for before, after in pairwise(in_time):
        across, down = (before.end_s, after.start_s), (before.row + low, after.row + low)
        axes.plot(
            across, down, color=ACCENT, lw=0.7, ls=":" if after.start_s > before.end_s else "-", zorder=3
        )


def _draw_profile(axes: Axes, timeline: Timeline) -> None:
    moments = [level.at_s for level in timeline.profile]
    running = [level.running for level in timeline.profile]
    axes.fill_between(moments, running, step="post", color=BLUE, alpha=0.5, linewidth=0)
    axes.step(moments, running, where="post", color=DEEP_BLUE, lw=0.7)
    axes.axhline(timeline.mean, color=INK, lw=0.7, ls=(0, (4, 3)))
    said = f"{timeline.peak:,} at most, {timeline.mean:.3g} on average (dashed)"
    axes.set_title(said, loc="right", fontsize=7, color=INK, pad=2)
    axes.set_ylabel("at once")
    axes.set_ylim(0, max(1, timeline.peak) * 1.05)
    axes.set_yticks(sorted({0, timeline.peak}))


def _draw_time(above: Axes, below: Axes, timeline: Timeline) -> None:
    moments = ticks(timeline.length_s, _MOST_TICKS)
    below.set_xticks([tick.at_s for tick in moments], [tick.label for tick in moments])
    below.set_xlim(0, timeline.length_s)
    below.set_xlabel("; ".join(["time from the begin of the run", *rest(timeline)]))
    above.tick_params(axis="x", bottom=False, labelbottom=False)
    above.tick_params(axis="y", length=0)
    for axes in (above, below):
        axes.grid(axis="x", color="#E5E5E5", lw=0.5)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)


def _draw_legend(figure: Figure, timeline: Timeline, colours: dict[str, str]) -> None:
    """Draw what colours, hatches and the line mean."""
    named = {kind: colour for kind, colour in colours.items() if colour != QUIET}
    handles: list[Any] = [
        patch(facecolor=colour, label=shorten(kind, _MOST_KIND)) for kind, colour in named.items()
    ]
    if len(named) < len(colours):
        handles.append(patch(facecolor=QUIET, label=f"{len(colours) - len(named)} other kinds"))
    there = {bar.status for row in timeline.rows for bar in row.bars}
    for status in sorted(there & _HATCHES.keys()):
        look: dict[str, Any] = {
            "facecolor": "white",
            "edgecolor": INK,
            "linewidth": 0.4,
            "hatch": _HATCHES[status],
        }
        handles.append(patch(label=status, **look))
    if timeline.critical:
        handles.append(line(color=ACCENT, lw=1.8, label="critical path"))
    figure.legend(handles=handles, loc="outside lower left", ncols=5, frameon=False, handlelength=1.4)
