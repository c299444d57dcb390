"""Which kinds of task come after which, from the dependencies between tasks.

A kind comes after another if at least half of its tasks depend on one of the other. Kinds that depend on
themselves, or on each other both ways, have no such order: what would close a circle is left out.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import Whole
from longpole.analyse.graph import Graph

_MOST = 0.5


def kinds_after(kind: Whole, kinds: int, graph: Graph) -> list[tuple[int, ...]]:
    """Return for each kind those that it comes after.

    Args:
        kind: Of each task.
        kinds: How many there are.
        graph: Who depends on whom.

    Examples:
        >>> chain = Graph(3, np.array([0, 1]), np.array([1, 2]))
        >>> kinds_after(np.array([0, 1, 0]), 2, chain)
        [(), (0,)]
    """
    depends = np.unique(np.stack((kind[graph.before], graph.after)), axis=1)
    pairs, counts = np.unique(np.stack((depends[0], kind[depends[1]])), axis=1, return_counts=True)
    tasks = np.bincount(kind, minlength=kinds)
    after: list[set[int]] = [set() for _ in range(kinds)]
    for before, later, count in zip(*pairs.tolist(), counts.tolist(), strict=True):
        if before != later and count >= _MOST * tasks[later] and not _leads(after, later, before):
            after[later].add(before)
    return [tuple(sorted(some)) for some in after]


def _leads(after: list[set[int]], start: int, to: int) -> bool:
    """Return whether ``to`` comes after ``start`` already."""
    waiting, seen = [to], set[int]()
    while waiting:
        at = waiting.pop()
        if at == start:
            return True
        if at not in seen:
            seen.add(at)
            waiting += after[at]
    return False
