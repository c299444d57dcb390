"""Parameters of a workflow as a log keeps them: their texts, long ones cut."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice

# A log takes notes of a limited size: the texts of all parameters must fit into one.
_MOST = 200
_LONGEST = 500


def told_parameters(parameters: Mapping[str, str | tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    """Return names and texts of parameters; a list is written as JSON has it.

    Examples:
        >>> told_parameters({"scale": "tiny", "parts": ("aa", "ab")})
        (('scale', 'tiny'), ('parts', '["aa", "ab"]'))
    """
    return tuple((_cut(name), _cut(_text(value))) for name, value in islice(parameters.items(), _MOST))


def _text(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text):,} characters)"
