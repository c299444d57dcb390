"""CSV: a table of a run as text, for spreadsheets and scripts.

Form: a header, then one line per row as RFC 4180 has it; numbers exactly as they are, an empty cell where a value
is not known. An empty text is written as an empty cell too: the two cannot be told apart again.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import TextIO

from longpole.model.columns import Column, Columns

_CHUNK = 1 << 16


def write_csv(out: TextIO, table: Columns, done: Callable[[int], None]) -> None:
    """Write a table, telling ``done`` how many rows each step has written.

    ``out`` must keep newlines as they are (``newline=""``).
    """
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table)
    for start in range(0, table.rows, _CHUNK):
        stop = min(start + _CHUNK, table.rows)
        writer.writerows(zip(*(_cells(column, start, stop) for column in table.values()), strict=True))
        done(stop - start)


def _cells(column: Column, start: int, stop: int) -> list[object]:
    values: list[object] = column.values[start:stop].tolist()
    if column.words is not None:
        words = column.words
        values = [words[int(str(value))] for value in values]
    if column.known is None:
        return values
    known = column.known[start:stop].tolist()
    return [value if is_known else None for value, is_known in zip(values, known, strict=True)]
