"""Which interval lies within which, where nothing but their times tells it.

Method: intervals of a lane in the order of their begins, the longer first, against a stack of those that are
open. What encloses an interval is the innermost one that is open at its begin and ends no earlier. Two that
overlap in part, as rounded times can make them, do not enclose each other. Of two that are equal the first
encloses the second; one of no length at the very end of another lies after it. Takes about a second for a
million intervals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

NONE = -1

Whole = NDArray[np.int64]


def enclosing(lanes: Sequence[Whole], starts: Whole, ends: Whole) -> Whole:
    """Return the row of the interval that each lies in, or ``NONE``.

    Args:
        lanes: One or more columns; rows that agree in all of them are of one lane.
        starts: When each begins.
        ends: When each ends.

    Examples:
        >>> one = np.zeros(3, np.int64)
        >>> enclosing([one], np.array([0, 2, 6]), np.array([10, 5, 12])).tolist()
        [-1, 0, -1]
    """
    order = np.lexsort((-ends, starts, *lanes))
    fresh = np.ones(len(order), np.bool_)
    if len(order):
        fresh[1:] = np.any([lane[order][1:] != lane[order][:-1] for lane in lanes], axis=0)
    found = np.full(len(order), NONE, np.int64)
    found[order] = _walk(order.tolist(), fresh.tolist(), starts[order].tolist(), ends[order].tolist())
    return found


def _walk(rows: list[int], fresh: list[bool], starts: list[int], ends: list[int]) -> list[int]:
    """Return the row that encloses each, all in the order of the walk."""
    found: list[int] = []
    stack: list[tuple[int, int]] = []
    for row, is_fresh, start, end in zip(rows, fresh, starts, ends, strict=True):
        if is_fresh:
            stack.clear()
        while stack and stack[-1][0] <= start:
            stack.pop()
        found.append(next((holder for until, holder in reversed(stack) if until >= end), NONE))
        stack.append((end, row))
    return found
