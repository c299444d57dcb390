"""Values of a database that may hold anything anywhere: each checked for what it must be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from longpole.exchange.sentences import count_of, quoted
from longpole.exchange.unreadable import UnreadableFileError

_LATEST_S = 1 << 32  # in the year 2106
_HUGE = 1 << 62
_NEEDED = ("id", "name")


@dataclass(slots=True)
class Cells:
    """Checks the values of one file, and counts those that cannot be true.

    Attributes:
        file: What the user calls it.
        left_out: How many values of each table and column cannot be true.
    """

    file: str
    left_out: dict[tuple[str, str], int] = field(default_factory=dict)

    def checked(self, table: str, column: str, kind: str, value: object) -> Any:  # noqa: ANN401  as its kind says
        """Return a value as its kind says, in our units; None where it is not known or cannot be true.

        Raises:
            UnreadableFileError: An id is no number, or a name no text.
        """
        found = _KINDS[kind](value)
        if found is None and kind in _NEEDED:
            raise UnreadableFileError(
                f"{self.file} is no Pegasus database as it should be: the column '{column}' of its table "
                f"'{table}' holds {quoted(str(value))}, which is no {kind}."
            )
        if found is None and value is not None:
            self.left_out[table, column] = self.left_out.get((table, column), 0) + 1
        return found

    def gaps(self) -> list[str]:
        """Return a sentence for each column with values that cannot be true."""
        return [
            f"{count_of(count, 'value')} of the column '{column}' of the table '{table}' of {self.file} "
            "cannot be true: left out."
            for (table, column), count in self.left_out.items()
        ]


def _whole(value: object) -> int | None:
    """Return a number without a fraction; some tools write ids as floats."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        value = int(value)
    return value if isinstance(value, int) and abs(value) < _HUGE else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) else None


def _moment(value: object) -> int | None:
    seconds = _number(value)
    if seconds is None or not 0 < seconds < _LATEST_S:
        return None
    return round(seconds * 1e6) * 1000  # a float of seconds has no more


def _seconds(value: object) -> int | None:
    seconds = _number(value)
    return None if seconds is None or not 0 <= seconds < _LATEST_S else round(seconds * 1e6) * 1000


def _bytes(value: object) -> float | None:
    """Return a size that kickstart gives in KiB."""
    size = _number(value)
    return None if size is None or not 0 <= size < _HUGE else size * 1024.0


_KINDS: dict[str, Callable[[object], object]] = {
    "id": _whole,
    "whole": _whole,
    "name": _text,
    "text": _text,
    "moment": _moment,
    "seconds": _seconds,
    "bytes": _bytes,
}
