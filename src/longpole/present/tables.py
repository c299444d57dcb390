"""Tables as wide as the terminal, and what is said where not all of their rows are shown."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longpole.model.text import one_line

WIDEST_BAR = 24


def new_table(title: str, *figures: str, middle: int = 0) -> Table:
    """Return a table as wide as the terminal: names take what the figures at its right leave.

    Args:
        title: What stands above the names.
        figures: What stands above the columns of figures.
        middle: How wide the column between names and figures is; none if 0.
    """
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="label", expand=True)
    table.add_column(Text(f" {title}", style="title"), no_wrap=True, overflow="ellipsis", ratio=1)
    if middle:
        table.add_column("", no_wrap=True, min_width=middle)
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True)
    return table


def with_rest(table: RenderableType, shown: int, total: int, what: str) -> RenderableType:
    """Return a table with how many there are under it, where not all are shown."""
    if shown >= total:
        return table
    return Group(table, note(f"{shown:,} of {total:,} {what} shown; --all lists every one"))


def cell(text: str) -> Text:
    """Return a text of a run for the first column: on one line, without anything a terminal would obey."""
    return Text(f" {one_line(text)}", no_wrap=True, overflow="ellipsis")


def note(text: str, style: str = "quiet") -> Padding:
    """Return a line for under a table; where it does not fit, the next one is as far in."""
    return Padding(Text(text, style=style), (0, 0, 0, 1))
