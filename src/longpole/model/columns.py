"""Columns: many rows of one table as named, typed, immutable buffers.

Rows by the thousand cross layers as these, not as objects. A buffer is anything with the buffer protocol
(``array``, numpy, Arrow, ``memoryview``), so nothing is copied on the way to numpy or Arrow.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from longpole.errors import LongpoleError

INTEGERS = frozenset("bBhHiIlLqQ")
FLOATS = frozenset("fd")


class ColumnsError(LongpoleError):
    """Columns that do not fit together."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One column: its values, for text the words they stand for, and which rows are known.

    Attributes:
        values: One number per row. For text, the position of the row's word in ``words``.
        words: The distinct words of a text column; nothing for numbers.
        known: One byte per row, zero where the value is not known; nothing if all are.
    """

    values: memoryview
    words: tuple[str, ...] | None = None
    known: memoryview | None = None

    def __post_init__(self) -> None:
        """Check that the buffers are flat and of one length, and make them read-only."""
        if self.values.ndim != 1 or self.values.format not in INTEGERS | FLOATS:
            raise ColumnsError(f"A column needs one flat buffer of numbers, not {self.values.format!r}.")
        if self.known is not None and len(self.known) != len(self.values):
            raise ColumnsError(
                f"A column of {len(self.values)} rows has {len(self.known)} marks of what is known."
            )
        object.__setattr__(self, "values", self.values.toreadonly())
        if self.known is not None:
            object.__setattr__(self, "known", self.known.toreadonly())

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.values)

    def __getitem__(self, row: int) -> int | float | str | None:
        """Return one value as Python has it; nothing where it is not known."""
        if self.known is not None and not self.known[row]:
            return None
        value: int | float = self.values[row]
        return value if self.words is None else self.words[int(value)]

    def __iter__(self) -> Iterator[int | float | str | None]:
        """Yield the values as Python has them."""
        return (self[row] for row in range(len(self)))


@dataclass(frozen=True, slots=True, eq=False)
class Columns(Mapping[str, Column]):
    """Named columns of equal length."""

    columns: Mapping[str, Column]

    def __post_init__(self) -> None:
        """Check that all columns have the same number of rows."""
        lengths = {name: len(column) for name, column in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ColumnsError(f"Columns of one table differ in length: {lengths}.")

    def __getitem__(self, name: str) -> Column:
        """Return a column by name."""
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.columns)

    def __len__(self) -> int:
        """Return the number of columns; ``rows`` is the number of rows."""
        return len(self.columns)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return next((len(column) for column in self.columns.values()), 0)

    def records(self) -> Iterator[dict[str, int | float | str | None]]:
        """Yield row by row; for small tables and for showing."""
        for row in range(self.rows):
            yield {name: column[row] for name, column in self.columns.items()}


def integers(values: Sequence[int | None]) -> Column:
    """Return a column of integers; None is not known.

    Examples:
        >>> list(integers([3, None]))
        [3, None]
    """
    return Column(memoryview(array("q", [value or 0 for value in values])), known=_known(values))


def floats(values: Sequence[float | None]) -> Column:
    """Return a column of floats; None is not known."""
    return Column(memoryview(array("d", [value or 0.0 for value in values])), known=_known(values))


def texts(values: Sequence[str | None]) -> Column:
    """Return a column of text, each word kept once; None is not known.

    Examples:
        >>> texts(["a", "b", "a"]).words
        ('a', 'b')
    """
    places: dict[str, int] = {}
    numbers = array("i", [places.setdefault(value or "", len(places)) for value in values])
    return Column(memoryview(numbers), words=tuple(places) or ("",), known=_known(values))


def _known(values: Sequence[object]) -> memoryview | None:
    if None not in values:
        return None
    return memoryview(bytes(value is not None for value in values))
