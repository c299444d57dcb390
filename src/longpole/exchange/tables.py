"""CSV: a table of a run as text, for spreadsheets and scripts.

Form: a header, then one line per row, as RFC 4180 has it (lines end in CR LF); numbers exactly as they are,
an empty cell where a value is not known. An empty text is an empty cell too: the two cannot be told apart.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from typing import TextIO

from longpole.model.columns import Column, Columns

Cell = int | float | str | None

_CHUNK = 1 << 16


def write_csv(out: TextIO, table: Columns, done: Callable[[int], None]) -> None:
    """Write a table, telling ``done`` now and then how many rows were written since.

    ``out`` must keep newlines as they are (``newline=""``).
    """
    writer = csv.writer(out)
    writer.writerow(table)
    for chunk in chunks(table):
        writer.writerows(chunk)
        done(len(chunk))


def chunks(table: Columns) -> Iterator[list[tuple[Cell, ...]]]:
    """Yield the rows of a table, some ten thousand at a time: a row of Python's own values is dear."""
    for start in range(0, table.rows, _CHUNK):
        stop = min(start + _CHUNK, table.rows)
        yield list(zip(*(_cells(column, start, stop) for column in table.values()), strict=True))


def _cells(column: Column, start: int, stop: int) -> list[Cell]:
    numbers: list[int] = column.values[start:stop].tolist()
    cells: list[Cell] = list(numbers)
    if column.words is not None:
        words = column.words
        cells = [words[number] for number in numbers]
    if column.known is None:
        return cells
    return [cell if known else None for cell, known in zip(cells, column.known[start:stop], strict=True)]
