"""Tables of rows on standard output: as wide as the terminal, or as the data where there is none."""

from __future__ import annotations

import sys

from rich.console import Console
from rich.table import Table

from longpole.present.terminal import terminal

_WIDE = 100_000


def wide_terminal() -> Console:
    """Return a console as wide as the terminal, or wider than any data where there is none."""
    console = terminal()
    console.width = Console().width if console.is_terminal else _WIDE
    return console


def write_lines(console: Console, table: Table) -> None:
    """Write a table without the blanks that fill up its lines."""
    with console.capture() as capture:
        console.print(table)
    sys.stdout.write("".join(line.rstrip() + "\n" for line in capture.get().splitlines()))
