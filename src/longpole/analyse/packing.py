"""Packing: intervals in as few rows as do not overlap.

Method: greedy, in the order of begins: each interval takes the first row that is free. That needs no more
rows than intervals ever ran at once, so no other way needs fewer (interval partitioning).
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from longpole.analyse.graph import Whole


def packed(starts_ns: Whole, ends_ns: Whole) -> Whole:
    """Return the row of each interval; they come in the order of their begins, and of ends where these tie.

    Examples:
        >>> packed(np.array([0, 1, 5, 6]), np.array([5, 3, 8, 7])).tolist()
        [0, 1, 0, 1]
    """
    rows = np.zeros(len(starts_ns), np.int64)
    running: list[tuple[int, int]] = []
    free: list[int] = []
    made = 0
    for at, (start, end) in enumerate(zip(starts_ns.tolist(), ends_ns.tolist(), strict=True)):
        while running and running[0][0] <= start:
            heappush(free, heappop(running)[1])
        if not free:
            free.append(made)
            made += 1
        rows[at] = heappop(free)
        heappush(running, (end, int(rows[at])))
    return rows
