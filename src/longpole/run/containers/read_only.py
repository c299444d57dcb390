"""Which names in a job's folder are made read-only: directories as a whole where that is possible.

Method: a directory in which, or below which, no output can lie is mounted as a whole, the topmost such one;
an input that lies beside outputs is mounted by itself. Each mount makes the start of a container slower, more
than in proportion, so single files are mounted up to a bound; the rest stays writable, and can be named. What
a program writes into a directory of inputs without saying so will fail: that is intended.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence

# The most mounts of one job: bubblewrap reads the table of all mounts again for each.
MOST_MOUNTS = 256


def read_only_mounts(inputs: Sequence[str], outputs: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are to be read-only in a job's folder; those of directories end in a slash.

    Args:
        inputs: Names of files, and of directories, with a slash at the end.
        outputs: The same, or patterns with places in braces: anything may lie there then.

    Examples:
        >>> read_only_mounts(["in/a", "in/b", "out/settings", "top"], ["out/{x}.txt"])
        ('in/', 'out/settings', 'top')
    """
    reach = _Reach(outputs)
    chosen = dict.fromkeys(filter(None, (_topmost(name, reach) for name in inputs)))
    kept = [name for name in chosen if not _lies_in(name, chosen)]
    kept.sort(key=lambda name: (not name.endswith("/"), name))
    return tuple(sorted(kept[:MOST_MOUNTS]))


def left_writable(inputs: Sequence[str], mounts: Iterable[str]) -> tuple[str, ...]:
    """Return the inputs that no mount keeps from being changed.

    Examples:
        >>> left_writable(["in/a", "state"], ["in/"])
        ('state',)
    """
    known = frozenset(mounts)
    return tuple(name for name in inputs if name not in known and not _lies_in(name, known))


class _Reach:
    """Where outputs can lie. A place in braces may stand for anything, directories among it."""

    def __init__(self, outputs: Iterable[str]) -> None:
        self._above: set[str] = set()
        self._names: set[str] = set()
        self._beginnings: set[str] = set()
        self._patterns: list[re.Pattern[str]] = []
        for output in outputs:
            fixed, place, _ = output.partition("{")
            self._above.update(_directories(fixed))
            if place or fixed.endswith("/"):
                self._beginnings.add(fixed)
                self._patterns.append(_pattern(output))
            else:
                self._names.add(fixed)

    def touches(self, name: str) -> bool:
        """Return whether an output can be this file, or lie in this directory."""
        if name in self._above or name in self._names:
            return True
        if name.endswith("/"):
            return any(name.startswith(beginning) for beginning in self._beginnings)
        return any(pattern.fullmatch(name) for pattern in self._patterns)


def _pattern(output: str) -> re.Pattern[str]:
    """Return what matches every name that a pattern, or a directory, of outputs can stand for."""
    fixed = [re.escape(part) for part in re.split(r"\{[^{}]*\}", output)]
    return re.compile(".*".join(fixed) + (".*" if output.endswith("/") else ""), re.DOTALL)


def _topmost(name: str, reach: _Reach) -> str:
    """Return the topmost directory around an input that no output touches, or itself, or nothing."""
    for candidate in (*_directories(name), name):
        if not reach.touches(candidate):
            return candidate
    return ""


def _directories(name: str) -> list[str]:
    """Return the directories on the way to a name, itself if it is one, the topmost first."""
    return [name[: place + 1] for place, letter in enumerate(name) if letter == "/"]


def _lies_in(name: str, known: Container[str]) -> bool:
    return any(above in known for above in _directories(name) if above != name)
