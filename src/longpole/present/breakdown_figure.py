"""The breakdown of a roofline's dots as a figure: where each makespan went, a bar for each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longpole.errors import UsageError
from longpole.model.roofline import Breakdown, Part, Roofline
from longpole.present.axis import ticks
from longpole.present.canvas import DEEP_BLUE, INK, PALETTE, RESOLUTION, drawing, form_of, patch, save
from longpole.present.labels import figure_of, measured
from longpole.present.page import Page, quiet_axes
from longpole.present.rates import percent
from longpole.present.roofline_words import title
from longpole.present.terminal import shorten
from longpole.units import show_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure

NOTHING = "No dot tells where its makespan went, so there is no breakdown to draw."
_ROW, _AROUND, _BAR, _BESIDE = 0.5, 0.25, 0.62, 0.16
_MOST_LETTERS, _MOST_TICKS = 22, 7
_LABEL: dict[str, Any] = {"fontsize": 7.5}
_HATCHES = ("", "////", "....", "xxxx")


def write_breakdown(roofline: Roofline, path: Path) -> None:
    """Write the breakdown; the suffix says in which form. The file is there in whole or not at all.

    Raises:
        UsageError: Another suffix, nothing to draw, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    form_of(path)
    if not any(one.parts for one in roofline.breakdowns):
        raise UsageError(NOTHING)
    with drawing() as new_figure:
        save(breakdown(roofline, new_figure), path)


def breakdown(roofline: Roofline, new_figure: type[Figure]) -> Figure:
    """Return the breakdown, drawn; parts too short for a label are listed under it."""
    figure, unnamed = _draw(roofline, new_figure, [])
    return _draw(roofline, new_figure, unnamed)[0] if unnamed else figure


def _draw(roofline: Roofline, new_figure: type[Figure], listed: list[str]) -> tuple[Figure, list[str]]:
    bars = [one for one in roofline.breakdowns if one.parts]
    page = Page(new_figure, title=f"{title(roofline)}: where the makespan went", said=_said(bars[0]))
    looks = _looks(bars)
    names = [shorten(one.dot, _MOST_LETTERS) for one in bars]
    left = max(measured(page.figure, name, fontsize=8)[0] for name in names) / RESOLUTION + _BESIDE
    high = _AROUND + _ROW * len(bars)
    small = [f"too short for a label: {'; '.join(listed)}"] if listed else []
    axes = page.lay_out(high=high, left=left, legend=_handles(looks), small=small)
    _draw_axes(axes, bars, names)
    return page.figure, [said for at, one in enumerate(bars) for said in _draw_bar(axes, at, one, looks)]


def _said(one: Breakdown) -> str:
    longest = max(one.parts, key=lambda part: part.seconds)
    return f"'{one.dot}' spends {percent(longest.share)} of its makespan on {longest.name}."


def _looks(bars: list[Breakdown]) -> dict[str, dict[str, Any]]:
    """Return how each part is drawn: a colour and, beyond the palette, a hatch."""
    names = dict.fromkeys(part.name for one in bars for part in one.parts)
    size = len(PALETTE)
    return {
        name: {"facecolor": PALETTE[at % size], "hatch": _HATCHES[(at // size) % len(_HATCHES)]}
        for at, name in enumerate(names)
    }


def _handles(looks: dict[str, dict[str, Any]]) -> list[Any]:
    return [patch(label=shorten(name, _MOST_LETTERS), **look) for name, look in looks.items()]


def _draw_axes(axes: Axes, bars: list[Breakdown], names: list[str]) -> None:
    longest = max(sum(part.seconds for part in one.parts) for one in bars)
    moments = ticks(longest, _MOST_TICKS)
    axes.set_xlim(0, longest * 1.03)
    axes.set_xticks([tick.at_s for tick in moments], [tick.label for tick in moments])
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.set_yticks(range(len(bars)), names)
    axes.set_xlabel("time")
    quiet_axes(axes)
    axes.grid(visible=False, axis="y")
    axes.tick_params(axis="y", length=0)


def _draw_bar(axes: Axes, at: int, one: Breakdown, looks: dict[str, dict[str, Any]]) -> list[str]:
    """Draw a bar with the labels that fit its parts; return the others."""
    begin, unnamed = 0.0, []
    for part in one.parts:
        look = looks[part.name]
        axes.barh(at, part.seconds, _BAR, left=begin, edgecolor="white", linewidth=0.6, zorder=3, **look)
        colour = "white" if look["facecolor"] == DEEP_BLUE else INK
        if not _write_label(axes, part, (begin, at), colour):
            unnamed.append(f"{shorten(f'{one.dot}, {part.name}', 44)} {_figures(part)}")
        begin += part.seconds
    return unnamed


def _figures(part: Part) -> str:
    return f"{show_seconds(part.seconds)} ({percent(part.share)})"


def _write_label(axes: Axes, part: Part, begins: tuple[float, int], colour: str) -> bool:
    """Write seconds and share in a part, on one line or two; return whether there was room."""
    begin, at = begins
    across = axes.transData.transform([(begin, at), (begin + part.seconds, at)])[:, 0]
    room = (across[1] - across[0]) * 0.92
    for text in (_figures(part), _figures(part).replace(" (", "\n(")):
        if measured(figure_of(axes), text, **_LABEL)[0] <= room:
            middle = begin + part.seconds / 2
            look = {"ha": "center", "va": "center", "linespacing": 1.1, "color": colour, **_LABEL}
            axes.text(middle, at, text, zorder=4, **look)
            return True
    return False
