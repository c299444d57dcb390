"""Cells of a table of results as words: numbers to three digits, deviations to as many places."""

from __future__ import annotations

from math import floor, log10

from longpole.model.result_table import UNITS, Figure, Heading, Quantity, Scale
from longpole.units import show_bytes, show_seconds

MISSING = "-"
_DIGITS = 3


def title_of(heading: Heading) -> str:
    """Return what stands above a column, with its unit where all of it has one.

    Examples:
        >>> title_of(Heading("read_bytes", "read", Quantity.BYTES, Scale.MEGABYTES))
        'read MB'
    """
    return f"{heading.title} {heading.scale.value}".rstrip()


def value_text(figure: Figure, heading: Heading) -> str:
    """Return a cell without its deviation.

    Examples:
        >>> value_text(Figure(435_470_000.0), Heading("r", "read", Quantity.BYTES, Scale.MEGABYTES))
        '435'
        >>> value_text(Figure(), Heading("r", "read", Quantity.BYTES))
        '-'
    """
    if figure.value is None:
        return MISSING
    if isinstance(figure.value, str):
        return figure.value
    return _shown(figure.value, heading)


def deviation_text(figure: Figure, heading: Heading) -> str:
    """Return the deviation of a cell; nothing if it has none, or repeats gave the same.

    Examples:
        >>> deviation_text(Figure(2.031, 0.0512), Heading("t", "time", Quantity.SECONDS, Scale.SECONDS))
        '0.05'
    """
    if not figure.sd or not isinstance(figure.value, float):
        return ""
    if heading.scale is Scale.FREE and heading.quantity in (Quantity.BYTES, Quantity.SECONDS):
        return _shown(figure.sd, heading)
    unit = UNITS[heading.scale]
    return _with_places(figure.sd / unit, max(_places(figure.value / unit), _first_place(figure.sd / unit)))


def number_text(value: float) -> str:
    """Return a number to three digits.

    Examples:
        >>> [number_text(each) for each in (28793.0, 1426.2, 85.0, 0.0812, 0.0, 0.00000123)]
        ['28,793', '1,426', '85.0', '0.0812', '0', '0.00000123']
    """
    return _with_places(value, _places(value))


def _shown(value: float, heading: Heading) -> str:
    if heading.scale is Scale.FREE:
        if heading.quantity is Quantity.BYTES:
            return show_bytes(value)
        if heading.quantity is Quantity.SECONDS:
            return show_seconds(value)
    if heading.quantity is Quantity.COUNT and value.is_integer():
        return f"{value:,.0f}"
    return number_text(value / UNITS[heading.scale])


def _places(value: float) -> int:
    """Return how many places after the point make three digits."""
    return max(0, _first_place(value) + _DIGITS - 1) if value else 0


def _first_place(value: float) -> int:
    """Return the place after the point of the first digit that is not nought; 0 and less before it."""
    return -floor(log10(abs(value))) if value else 0


def _with_places(value: float, places: int) -> str:
    return f"{value:,.{max(0, places)}f}"
