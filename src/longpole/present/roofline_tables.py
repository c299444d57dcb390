"""Tables of a roofline: its ceilings, its kinds of task under their own, and where makespans went."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.text import Text

from longpole.model.roofline import Breakdown, Ceiling, Roofline, TaskView
from longpole.model.text import one_line
from longpole.present.blocks import bar
from longpole.present.rates import percent, rates_of, reached
from longpole.present.roofline_plot import ceiling_letters
from longpole.present.tables import WIDEST_BAR, cell, new_table, note, with_rest
from longpole.units import show_seconds

_MARK = "> what bounds it; one task: the least time of the kind that needs most"
_UNKNOWN = "?"
# Narrower consoles have no room for all columns.
_WIDE = 76
_PLANNED = ("at least", "bound by")
_MEASURED = ("each took", *_PLANNED, "reaches", "share")


def ceiling_table(roofline: Roofline, width: int) -> RenderableType:
    """Return the ceilings, what bounds and then the lowest first, and under them where each comes from."""
    rates, letters = rates_of(roofline), ceiling_letters(roofline)
    contended = any(one.contended_seconds is not None for one in roofline.ceilings)
    spread = any(one.spread for one in roofline.ceilings)
    more = [*(["contended"] if contended else []), *(["off by"] if spread else [])]
    wide = width >= _WIDE
    both = ("of", "at least", "one task") if wide else ("at least",)
    table = new_table("Ceilings", *both, f"{roofline.unit}s/{rates.period}", *more)
    for one in sorted(roofline.ceilings, key=lambda one: one.name != roofline.bound):
        bounds = one.name == roofline.bound
        name = _name(one.name, f" {'>' if bounds else ' '} {letters.get(one.name, ' ')} ")
        least = show_seconds(one.workflow_seconds)
        figures = [str(one.kind), least, _per_task(one)] if wide else [least]
        figures.append(rates.show(one.tasks_per_second_at_dot).split()[0])
        figures += [_contended(one, roofline)] if contended else []
        figures += [f"± {percent(one.spread)}" if one.spread else ""] if spread else []
        table.add_row(name, *figures, style="figure" if bounds else "")
    return Group(
        table, note(_MARK if wide else _MARK.partition(";")[0]), *(note(line) for line in _sources(roofline))
    )


def task_table(roofline: Roofline, most: int | None) -> RenderableType | None:
    """Return the kinds of task, each under its own ceiling; nothing if none is known."""
    if not roofline.task_view:
        return None
    several = len({one.dot for one in roofline.task_view}) > 1
    known = any(one.seconds is not None for one in roofline.task_view)
    table = new_table("Tasks", "count", *(_MEASURED if known else _PLANNED))
    shown, dot = _longest_first(roofline.task_view)[:most], None
    for one in shown:
        if several and one.dot != dot:
            table.add_row(Text(f" {one_line(one.dot)}", style="label", no_wrap=True, overflow="ellipsis"))
            dot = one.dot
        table.add_row(
            _name(one.name, "   " if several else " "),
            f"{one.count:,}",
            *(_measured(one) if known else _planned(one)),
        )
    return with_rest(table, len(shown), len(roofline.task_view), "kinds of task")


def _longest_first(views: tuple[TaskView, ...]) -> list[TaskView]:
    """Return the kinds of each dot, those with the largest share of its time first."""
    dots = list(dict.fromkeys(one.dot for one in views))
    return sorted(views, key=lambda one: (dots.index(one.dot), -(one.share or 0.0)))


def breakdown_table(one: Breakdown, console: Console) -> RenderableType:
    """Return where the makespan of a dot went."""
    table = new_table(f"Makespan of {one_line(one.dot)}", "time", "share", middle=WIDEST_BAR)
    for part in one.parts:
        drawn = Text(bar(part.share, WIDEST_BAR, console.encoding), style="bar")
        table.add_row(cell(part.name), drawn, show_seconds(part.seconds), percent(part.share))
    return table


def _per_task(ceiling: Ceiling) -> str:
    """Return the least time of the task that needs most."""
    return show_seconds(max(ceiling.per_task_seconds.values())) if ceiling.per_task_seconds else ""


def _contended(ceiling: Ceiling, roofline: Roofline) -> str:
    rate = ceiling.contended_tasks_per_second
    return "" if rate is None else rates_of(roofline).show(rate).split()[0]


def _sources(roofline: Roofline) -> list[str]:
    """Return where ceilings come from: those with the same source together."""
    named: dict[str, list[str]] = {}
    for one in roofline.ceilings:
        named.setdefault(one.source, []).append(one.name)
    return [f"{one_line(', '.join(names))}: {one_line(source)}" for source, names in named.items() if source]


def _name(name: str, before: str) -> Text:
    """Return a name for the first column, with blanks or marks before it."""
    return Text(f"{before}{one_line(name)}", no_wrap=True, overflow="ellipsis")


def _planned(one: TaskView) -> list[str]:
    return [show_seconds(one.least_seconds) if one.bound else _UNKNOWN, one_line(one.bound)]


def _measured(one: TaskView) -> list[str]:
    return [
        _UNKNOWN if one.seconds is None else show_seconds(one.seconds),
        *_planned(one),
        "" if one.efficiency is None else reached(one.efficiency),
        "" if one.share is None else percent(one.share),
    ]
