"""Patterns: names of files with places for members of sets in them. (To be replaced by the full one.)"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

_PLACE = re.compile(r"\{([A-Za-z_]\w*)\}")


@lru_cache(maxsize=65536)
def places(pattern: str) -> tuple[str, ...]:
    """Return the names of a pattern's places, each once."""
    return tuple(dict.fromkeys(_PLACE.findall(pattern))) if "{" in pattern else ()


def fill(pattern: str, members: Mapping[str, str]) -> str:
    """Return a pattern with members in their places; others stay."""
    return _PLACE.sub(lambda match: members.get(match[1], match[0]), pattern) if "{" in pattern else pattern


def matcher(pattern: str) -> re.Pattern[str]:
    """Return what recognises the names of a pattern, with the members in groups."""
    parts, at, seen = [], 0, set()
    for match in _PLACE.finditer(pattern):
        parts.append(re.escape(pattern[at : match.start()]))
        parts.append(f"(?P={match[1]})" if match[1] in seen else f"(?P<{match[1]}>[^/]+)")
        at = match.end()
        seen.add(match[1])
    return re.compile("".join([*parts, re.escape(pattern[at:])]) + r"\Z")
