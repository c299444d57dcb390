"""Single values of YAML: which words without quotes are numbers, true, false or nothing, and which are text.

Fewer than in YAML 1.1, since names are what workflows are made of: ``no``, ``on``, ``007``, ``1_000``,
``12:30`` and ``2024-01-31`` are texts. ``1e-4`` is a number.
"""

from __future__ import annotations

import re

from longpole.describe.lined import WrittenFloat

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,17})")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")
_WORDS = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}


def plain_value(text: str) -> object:
    """Return what a word without quotes means.

    Examples:
        >>> [plain_value(text) for text in ("3", "-0.5", "1e3", "007", "no", "true", "~")]
        [3, -0.5, 1000.0, '007', 'no', True, None]
    """
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _NUMBER.fullmatch(text):
        number = WrittenFloat(text)
        return number if abs(number) != float("inf") else text
    return text


def text_of(value: object) -> str:
    """Return the text of a plain value, as commands and names get it.

    Examples:
        >>> text_of(3), text_of(True), text_of(0.5), text_of("a")
        ('3', 'true', '0.5', 'a')
    """
    return str(value).lower() if isinstance(value, bool) else str(value)
