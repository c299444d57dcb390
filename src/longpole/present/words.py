"""Words for numbers of things and for times."""

from __future__ import annotations

import re

from longpole.units import show_seconds

# A character of nobody's, one column wide, that is no blank: text of a run has it spelt out.
_GLUE = "\ue000"
_UNIT = r"(?:%|[nmu]?s|min|h|d|[kMGTP]?B)"
_BETWEEN = re.compile(rf"(?<=\d) (?={_UNIT}(?!\w))|(?<=\d min) (?=\d\d s\b)|(?<=\d h) (?=\d\d min\b)")


def counted(number: int, one: str, many: str = "") -> str:
    """Return how many there are of a thing, in words.

    Examples:
        >>> counted(1, "task"), counted(1200, "task"), counted(2, "process", "processes")
        ('1 task', '1,200 tasks', '2 processes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def from_to(low_s: float, high_s: float) -> str:
    """Return two times with one unit, where they have the same; nothing if they read alike.

    Examples:
        >>> from_to(8.0, 15.0), from_to(0.8, 15.0), from_to(65.0, 90.0), from_to(2.0, 2.001)
        ('8.00 to 15.0 s', '800 ms to 15.0 s', '1 min 05 s to 1 min 30 s', '')
    """
    low, high = show_seconds(max(0.0, low_s)), show_seconds(max(0.0, high_s))
    if low == high:
        return ""
    number, _, unit = low.partition(" ")
    return f"{number if unit == high.partition(' ')[2] else low} to {high}"


def glued(text: str) -> str:
    """Return a text in which no line ends between a number and its unit; ``unglued`` makes it text again."""
    return _BETWEEN.sub(_GLUE, text)


def unglued(text: str) -> str:
    """Return a text, broken into lines, as it is to be written.

    Examples:
        >>> unglued(glued("1 min 30 s of 2 h 05 min, 7 % of 3 things"))
        '1 min 30 s of 2 h 05 min, 7 % of 3 things'
        >>> len(glued("1 min 30 s of 2 h 05 min, 7 % of 3 things").split())
        7
    """
    return text.replace(_GLUE, " ")
