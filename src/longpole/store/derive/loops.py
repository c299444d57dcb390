"""Circles in what should be a tree: only a damaged or forged log has them, and none may hang a reader."""

from __future__ import annotations

from collections.abc import Sequence


def cut_loops(parents: Sequence[int]) -> list[int]:
    """Return the members that must lose their parent so that none is its own ancestor; -1 is no parent.

    Examples:
        >>> cut_loops([-1, 0, 3, 2])
        [2]
    """
    cuts = []
    done: set[int] = set()
    for member in range(len(parents)):
        path: set[int] = set()
        here = member
        while here >= 0 and here not in done and here not in path:
            path.add(here)
            here = parents[here]
        if here in path:
            cuts.append(here)
        done |= path
    return cuts
