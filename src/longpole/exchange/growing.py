"""Rows of a table by the million, kept column by column while they come: some ten bytes for each number.

``rows`` keeps a dict for each row, which is handier, and takes thirty times the memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from longpole.model.columns import Column, Columns
from longpole.model.execution import TABLES, Type

Cell = int | float | str | None
_CODES = {Type.INTEGER: "q", Type.FLOAT: "d", Type.TEXT: "i"}


class GrowingTable:
    """The rows of one table so far; columns that are not named are not known.

    Examples:
        >>> edges = GrowingTable("edges", ("id", "kind", "bytes"))
        >>> edges.add(1, "data", None)
        >>> list(edges.columns().records())
        [{'id': 1, 'kind': 'data', 'bytes': None}]
    """

    def __init__(self, table: str, names: Sequence[str]) -> None:
        """Begin a table of these columns, in this order."""
        types = {field.name: field.type for field in TABLES[table].fields}
        self._columns = {name: _Growing(types[name]) for name in names}
        self._order = tuple(self._columns.values())

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._order[0].values)

    def add(self, *cells: Cell) -> None:
        """Add a row: a cell for each column."""
        for column, cell in zip(self._order, cells, strict=True):
            column.add(cell)

    def columns(self) -> Columns:
        """Return all rows."""
        return Columns({name: column.column() for name, column in self._columns.items()})


class _Growing:
    """One column."""

    def __init__(self, kind: Type) -> None:
        self.values: array[Any] = array(_CODES[kind])
        self._known = bytearray()
        self._places: dict[Cell, int] | None = {} if kind is Type.TEXT else None

    def add(self, cell: Cell) -> None:
        self._known.append(cell is not None)
        if self._places is not None:
            word = "" if cell is None else cell
            self.values.append(self._places.setdefault(word, len(self._places)))
        else:
            self.values.append(0 if cell is None else cell)

    def column(self) -> Column:
        words = None if self._places is None else tuple(str(word) for word in self._places) or ("",)
        known = None if all(self._known) else memoryview(bytes(self._known))
        return Column(memoryview(self.values), words, known)
