"""The cases that come with us, as a list."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from longpole.present.terminal import write_text


def show_cases(cases: Sequence[tuple[str, str]], console: Console) -> None:
    """Print the name of each case, and what it is."""
    table = Table.grid(padding=(0, 2, 0, 1))
    for name, about in cases:
        table.add_row(name, about)
    with console.capture() as capture:
        console.print(table)
    write_text(console, capture.get())
