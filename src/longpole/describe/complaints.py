"""What complaints about a file say: what was given, what there is instead, and what may have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from longpole.model.text import visible

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_SHOWN_LETTERS = 60
_SHOWN_SIZE = 10**12
_SHOWN_NAMES, _COMPARED_NAMES = 30, 2000


def choices(name: str, allowed: Iterable[str]) -> str:
    """Return which names there are, as the rest of a sentence, and which of them may have been meant.

    Examples:
        >>> choices("memroy", ["memory", "hbm"])
        "there are memory, hbm. Did you mean 'memory'?"
    """
    names = [short(each) for each in allowed]
    close = get_close_matches(name[:_SHOWN_LETTERS], names[:_COMPARED_NAMES], n=1)
    meant = f" Did you mean '{close[0]}'?" if close else ""
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    some = ", ".join(names[:_SHOWN_NAMES])
    return (f"there are {some}{more}." if names else "there are none.") + meant


def kind_of(value: object) -> str:
    """Return what a value of a TOML file is, as a sentence says it.

    Examples:
        >>> kind_of("32 GB"), kind_of(1792), kind_of(True), kind_of({})
        ("the text '32 GB'", 'the number 1792', 'true', 'a table')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"the number {value}" if is_number(value) or isinstance(value, float) else "a huge number"
    if isinstance(value, str):
        return f"the text '{short(value)}'"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    return "a date or time"


def shape_of(value: object) -> str:
    """Return what a value of a workflow is, as a sentence says it.

    Examples:
        >>> shape_of(None), shape_of({}), shape_of(("a", "b")), shape_of(1.5)
        ('nothing', 'a map', 'a list', 'the number 1.5')
    """
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a map"
    if isinstance(value, list | tuple | set | frozenset):
        return "a list"
    return kind_of(value) if isinstance(value, str | int | float) else f"a {short(type(value).__name__)}"


def is_number(value: object) -> bool:
    """Say whether a value is a number of a size that people write."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _SHOWN_SIZE


def written(name: str) -> str:
    """Return a key as a TOML file has it."""
    return name if not name or _BARE.fullmatch(name) else f'"{short(name)}"'


def short(text: str) -> str:
    """Return a text as a sentence can hold it: on one line, and not too long."""
    text = visible(text)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}..."
