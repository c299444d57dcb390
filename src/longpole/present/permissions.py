"""What a machine permits, as text: everything in a glance, then what is missing and how to get it."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from longpole.model.permission import Permission
from longpole.present.blocks import draws_blocks
from longpole.present.terminal import write_text


def show_permissions(permissions: tuple[Permission, ...], console: Console) -> None:
    """Print what is permitted, then what each missing thing would add and what to do."""
    missing = [permission for permission in permissions if not permission.permitted]
    with console.capture() as capture:
        console.print(_glance(permissions, console))
        if missing:
            console.print()
            console.print(_missing(missing))
    write_text(console, capture.get())


def _glance(permissions: tuple[Permission, ...], console: Console) -> Table:
    yes, no = ("✓", "✗") if draws_blocks(console.encoding) else ("yes", "no")
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(style="quiet", overflow="fold")
    for permission in permissions:
        mark = Text(f" {yes}", style="good") if permission.permitted else Text(f" {no}", style="warning")
        table.add_row(mark, permission.name, permission.found)
    return table


def _missing(missing: list[Permission]) -> Table:
    table = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text(" Not here", style="title"), Text("what it would add, and what to do", style="quiet"))
    for permission in missing:
        table.add_row(f" {permission.name}", permission.adds[:1].upper() + permission.adds[1:] + ".")
        if permission.remedy:
            table.add_row("", Text(permission.remedy, style="quiet"))
    return table
