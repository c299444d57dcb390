"""Maps and lists that know the lines they were written on; those that a program made know none."""

from __future__ import annotations


class LinedMap(dict[str, object]):
    """A map of a file.

    Attributes:
        lines: The line of each key.
    """

    __slots__ = ("lines",)

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self.lines: dict[str, int] = {}


class LinedList(list[object]):
    """A list of a file.

    Attributes:
        lines: The line of each item.
    """

    __slots__ = ("lines",)

    def __init__(self) -> None:
        """Begin with nothing."""
        super().__init__()
        self.lines: list[int] = []


class WrittenFloat(float):
    """A number that is shown as its author wrote it: ``0.10`` is no other name of a file than ``0.10``."""

    __slots__ = ("written",)
    written: str

    def __new__(cls, written: str) -> WrittenFloat:
        """Take what was written."""
        number = super().__new__(cls, written)
        number.written = written
        return number

    def __str__(self) -> str:
        """Return what was written."""
        return self.written


def line_in(values: object, key: object) -> int:
    """Return the line of a key of a map, or of a place of a list; 0 where none is known."""
    if isinstance(values, LinedMap):
        return values.lines.get(str(key), 0)
    if isinstance(values, LinedList) and isinstance(key, int):
        return values.lines[key]
    return 0
