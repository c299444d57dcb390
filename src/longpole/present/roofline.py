"""A roofline as text: what it says in a plot and in sentences, then the tables it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longpole.model.roofline import Roofline
from longpole.model.text import one_line
from longpole.present.remarks import sentence_list
from longpole.present.roofline_plot import roofline_plot
from longpole.present.roofline_tables import breakdown_table, ceiling_table, task_table
from longpole.present.roofline_words import sentences, title
from longpole.present.terminal import write_text
from longpole.present.words import counted, glued

_MOST_KINDS, _MOST_LIMITS = 8, 3


def show_roofline(roofline: Roofline, console: Console, *, everything: bool = False) -> None:
    """Print a roofline; without ``everything``, long lists are cut and what is left out is counted."""
    with console.capture() as capture:
        for section in _sections(roofline, console, everything=everything):
            console.print(section)
            console.print()
    write_text(console, capture.get())


def _sections(roofline: Roofline, console: Console, *, everything: bool) -> Iterator[RenderableType]:
    yield _headline(roofline)
    yield roofline_plot(roofline, console)
    yield _said(roofline)
    yield ceiling_table(roofline, console.width)
    tasks = task_table(roofline, None if everything else _MOST_KINDS)
    if tasks is not None:
        yield tasks
    for one in roofline.breakdowns:
        yield breakdown_table(one, console)
    limits = roofline.limits or ("None that is known of.",)
    yield sentence_list("Limits", limits, None if everything else _MOST_LIMITS, "quiet")


def _headline(roofline: Roofline) -> Group:
    top = Table.grid(expand=True)
    top.add_column(justify="left", no_wrap=True, overflow="ellipsis", ratio=1)
    top.add_column(justify="right", no_wrap=True)
    on = "projected onto" if roofline.projected else "on"
    named = title(roofline) == roofline.name and not roofline.projected
    where = Text("" if named else f"  {on} {one_line(roofline.machine)} ", style="figure")
    top.add_row(Text(f" {one_line(roofline.name)}", style="title"), where)
    return Group(top, Padding(Text(glued(one_line(_facts(roofline))), style="quiet"), (0, 0, 0, 1)))


def _facts(roofline: Roofline) -> str:
    counts = [
        counted(roofline.tasks, roofline.unit),
        f"{roofline.parallel:,} at once",
        counted(roofline.levels, "level"),
    ]
    origin = roofline.machine_origin
    file = PurePath(origin).name if origin.endswith(".toml") else origin
    return f"{', '.join(counts)}; a task is {roofline.task}{f'; machine from {file}' if file else ''}"


def _said(roofline: Roofline) -> Table:
    """Return the sentences, numbered; after them, what a question changed."""
    grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(style="label", no_wrap=True, justify="right", min_width=3)
    grid.add_column()
    for number, sentence in enumerate((*sentences(roofline), *roofline.notes), start=1):
        grid.add_row(f"{number}.", Text(glued(one_line(sentence))))
    return grid
