"""A table of results as CSV: plain numbers, their units in the header, deviations in columns of their own."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from longpole.model.result_table import Figure, Heading, Quantity, ResultTable
from longpole.model.text import one_line

# Always the same, so that a program that reads it need not look.
_UNITS = {Quantity.SECONDS: "s", Quantity.BYTES: "bytes"}


def csv_table(table: ResultTable) -> str:
    """Return a table; what is not known is an empty cell, and why is not said here."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    sections = any(row.section for row in table.rows)
    spread = [_has_deviations(table, at) for at in range(len(table.headings))]
    head = [
        title for at, heading in enumerate(table.headings) for title in _titles(heading, spread=spread[at])
    ]
    writer.writerow([*(["section"] if sections else []), table.of, *head])
    for row in table.rows:
        cells = [text for at, figure in enumerate(row.figures) for text in _cells(figure, spread=spread[at])]
        writer.writerow([*([one_line(row.section)] if sections else []), one_line(row.name), *cells])
    return written.getvalue()


def _has_deviations(table: ResultTable, at: int) -> bool:
    found = [row.figures[at].sd for row in table.rows]
    if table.headings[at].quantity is Quantity.COUNT:
        return any(found)  # how many there are, which is as a rule the same in all repeats
    return any(sd is not None for sd in found)


def _titles(heading: Heading, *, spread: bool) -> Iterator[str]:
    unit = _UNITS.get(heading.quantity, "")
    title = f"{heading.title} ({unit})" if unit else heading.title
    yield title
    if spread:
        yield f"{title} sd"


def _cells(figure: Figure, *, spread: bool) -> Iterator[str]:
    yield _plain(figure.value)
    if spread:
        yield _plain(figure.sd)


def _plain(value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return one_line(value or "")
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.9g}"
