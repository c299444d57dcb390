"""Cells of small tables as numbers and words, with what is not known kept apart from zero."""

from __future__ import annotations

Cell = int | float | str | None
Row = dict[str, Cell]


def number(cell: Cell) -> float | None:
    """Return a number, or nothing if the cell holds none.

    Examples:
        >>> number(3), number(None), number(float("nan")), number("x")
        (3.0, None, None, None)
    """
    if not isinstance(cell, int | float) or cell != cell:  # noqa: PLR0124  only NaN differs from itself
        return None
    return float(cell)


def whole(cell: Cell) -> int | None:
    """Return a whole number, or nothing if the cell holds no number."""
    found = number(cell)
    if isinstance(cell, int) or found is None:
        return cell if isinstance(cell, int) else None
    return round(found)


def word(cell: Cell) -> str:
    """Return a text, empty if it is not known."""
    return "" if cell is None else str(cell)


def plus(numbers: list[float | None]) -> float | None:
    """Return the sum of what is known, or nothing if nothing is."""
    known = [value for value in numbers if value is not None]
    return sum(known) if known else None
