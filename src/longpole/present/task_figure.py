"""The task view of a roofline as a figure: each kind of task with its own ceiling, and how near it comes.

A dot is one task, at one over the seconds it took; the bar over it is what its own ceilings allow. Kinds
beyond a page's width are left out and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from longpole.errors import UsageError
from longpole.model.roofline import Roofline, TaskView
from longpole.present.canvas import INK, PALETTE, QUIET, drawing, form_of, save
from longpole.present.labels import Placer, measured
from longpole.present.page import Page, quiet_axes
from longpole.present.rates import percent, reached
from longpole.present.roofline_figure import height_labels
from longpole.present.roofline_scale import Extent, round_heights
from longpole.present.roofline_words import dominating, title
from longpole.present.terminal import shorten
from longpole.present.words import counted
from longpole.units import show_seconds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.present.canvas import Axes, Figure

NOTHING = "Nothing is known of single tasks, so there is no task view to draw."
_HIGH, _LEFT = 2.9, 0.62
_MOST_TICKS = 6
_MOST_COLUMNS, _FEW_COLUMNS = 16, 6
_MOST_LETTERS, _FEW_LETTERS = 18, 14
# How far the view goes beyond what it shows; half of how wide a ceiling is drawn, in columns.
_BEYOND, _HALF = 3.5, 0.3


def write_task_view(roofline: Roofline, path: Path) -> None:
    """Write the task view; the suffix says in which form. The file is there in whole or not at all.

    Raises:
        UsageError: Another suffix, nothing to draw, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    form_of(path)
    if not _drawable(roofline):
        raise UsageError(NOTHING)
    with drawing() as new_figure:
        save(task_view(roofline, new_figure), path)


def task_view(roofline: Roofline, new_figure: type[Figure]) -> Figure:
    """Return the task view, drawn; what finds no room for its label in it is listed under it."""
    figure, unnamed = _draw(roofline, new_figure, ())
    return _draw(roofline, new_figure, unnamed)[0] if unnamed else figure


def _drawable(roofline: Roofline) -> list[TaskView]:
    return [one for one in roofline.task_view if one.seconds or one.least_seconds]


def _draw(
    roofline: Roofline, new_figure: type[Figure], listed: Sequence[str]
) -> tuple[Figure, tuple[str, ...]]:
    every = _drawable(roofline)
    views = _longest(every)
    page = Page(new_figure, title=f"{title(roofline)}, by task", said=_said(roofline))
    names = _names(views, _MOST_LETTERS)
    slanted = _too_wide(page.figure, names)
    names = [name.replace("\n", ", ") for name in _names(views, _FEW_LETTERS)] if slanted else names
    small = ["dot: one task, the lower the longer it took; bar: what its own ceilings allow"]
    small += [f"{counted(len(every), 'kind')} of task, {len(views)} shown"] if len(views) < len(every) else []
    small += [f"no room beside their marks: {'; '.join(listed)}"] if listed else []
    axes = page.lay_out(high=_HIGH, left=_LEFT, below=1.0 if slanted else 0.45, small=small)
    _draw_axes(axes, views, names, slanted=slanted)
    placer = Placer(axes)
    _draw_marks(axes, placer, views)
    return page.figure, _write_labels(placer, views)


def _longest(views: list[TaskView]) -> list[TaskView]:
    """Return as many kinds as a page has room for: those with the largest shares, in their order."""
    ranked = sorted(views, key=lambda one: -(one.share or 0.0))[:_MOST_COLUMNS]
    return [one for one in views if one in ranked][:_MOST_COLUMNS]


def _said(roofline: Roofline) -> str:
    name = dominating(roofline)
    if all(one.seconds is None for one in roofline.task_view):
        return f"No task was measured; by its own ceilings, '{name}' needs the most time."
    mine = [one for one in roofline.task_view if one.name == name]
    one = next((view for view in mine if view.dot == roofline.main), mine[0])
    share = "" if one.share is None else f" with {percent(one.share)} of the time of all tasks"
    reaches = "" if one.efficiency is None else f"; it reaches {percent(one.efficiency)} of its own ceiling"
    return f"'{name}' dominates the makespan{share}{reaches}."


def _names(views: list[TaskView], letters: int) -> list[str]:
    """Return what stands under the columns; with several dots also which, on a second line."""
    several = len({one.dot for one in views}) > 1
    each = letters // 2 if several and letters == _FEW_LETTERS else letters
    return [
        shorten(one.name, each) + (f"\n{shorten(one.dot, each)}" if several and one.dot else "")
        for one in views
    ]


def _too_wide(figure: Figure, names: list[str]) -> bool:
    """Return whether names are too wide to stand beside each other."""
    room = (figure.get_figwidth() - _LEFT) * figure.dpi / len(names)
    return any(measured(figure, name, fontsize=8)[0] > 0.92 * room for name in names)


def _rates(view: TaskView) -> list[float]:
    return [1 / seconds for seconds in (view.seconds, view.least_seconds) if seconds]


def _draw_axes(axes: Axes, views: list[TaskView], names: list[str], *, slanted: bool) -> None:
    rates = [rate for view in views for rate in _rates(view)]
    axes.set_yscale("log")
    covers = Extent(0.1, 1.0, min(rates) / _BEYOND, max(rates) * _BEYOND)
    axes.set_ylim(covers.bottom, covers.top)
    axes.set_xlim(-0.6, len(views) - 0.4)
    axes.minorticks_off()
    up = round_heights(covers, _MOST_TICKS)
    axes.set_yticks(up, height_labels(up))
    look: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(views)), names, **look)
    axes.set_ylabel("1 / seconds of one task")
    quiet_axes(axes)
    axes.grid(visible=False, axis="x")
    axes.tick_params(axis="x", length=0)


def _draw_marks(axes: Axes, placer: Placer, views: list[TaskView]) -> None:
    for at, view in enumerate(views):
        if view.least_seconds:
            roof, edge = 1 / view.least_seconds, (at - _HALF, at + _HALF)
            axes.plot(edge, [roof, roof], color=_colour(views, view), lw=2.4, solid_capstyle="butt", zorder=3)
            placer.add_line([(x, roof) for x in edge])
        if view.seconds:
            axes.plot([at], [1 / view.seconds], "o", ms=6.5, color=_colour(views, view), mec=INK, zorder=5)
            placer.add_mark((at, 1 / view.seconds), 20.0)
        if view.least_seconds and view.seconds:
            axes.plot([at, at], _rates(view), color=QUIET, lw=0.8, ls=(0, (2, 2)), zorder=2)
            placer.add_line([(at, rate) for rate in _rates(view)])


def _colour(views: list[TaskView], view: TaskView) -> str:
    names = list(dict.fromkeys(one.name for one in views))
    return PALETTE[names.index(view.name) % len(PALETTE)]


def _write_labels(placer: Placer, views: list[TaskView]) -> tuple[str, ...]:
    """Write how long a task took and at least had to; return what found no room."""
    unnamed = []
    for at, view in enumerate(views):
        if view.seconds:
            label = _dot_label(view, short=len(views) > _FEW_COLUMNS)
            if not placer.beside(label, (at, 1 / view.seconds), fontsize=7.5, color=INK, fontweight="bold"):
                unnamed.append(f"{view.name} {label}")
        if view.least_seconds and len(views) <= _FEW_COLUMNS:
            label = f"{shorten(view.bound, 24)}, {show_seconds(view.least_seconds)}"
            edge = [(at - 0.55, 1 / view.least_seconds), (at + 0.55, 1 / view.least_seconds)]
            if not placer.along(label, edge, fontsize=7, color=INK):
                unnamed.append(f"{view.name} at least {label}")
    return tuple(unnamed)


def _dot_label(view: TaskView, *, short: bool) -> str:
    reaches = "" if view.efficiency is None else reached(view.efficiency)
    took = show_seconds(view.seconds or 0.0)
    if short:
        return reaches or took
    return f"{took}, {reaches}" if reaches else took
