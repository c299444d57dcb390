"""Which of the user's marks lie within which: in one thread by their times, across threads by parents."""

from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import Whole, known, whole
from longpole.model.columns import Columns

NONE = -1


def enclosing(marks: Columns) -> Whole:
    """Return for each mark the place of the one directly around it; ``NONE`` for an outermost one.

    Args:
        marks: Columns ``id``, ``parent``, ``process``, ``lane``, ``start_ns`` and ``end_ns``.
    """
    start, end = whole(marks["start_ns"]), whole(marks["end_ns"])
    process, lane = (np.where(known(marks[name]), whole(marks[name]), 0) for name in ("process", "lane"))
    around = _by_parent(marks)
    stack: list[int] = []
    for at in np.lexsort((-end, start, lane, process)).tolist():
        while stack and not (
            process[stack[-1]] == process[at] and lane[stack[-1]] == lane[at] and end[at] <= end[stack[-1]]
        ):
            stack.pop()
        if stack:
            around[at] = stack[-1]
        stack.append(at)
    return _without_circles(around)


def outermost(around: Whole) -> Whole:
    """Return for each mark the place of the outermost one that it lies in, or its own.

    Examples:
        >>> outermost(np.array([-1, 0, 1, -1])).tolist()
        [0, 0, 0, 3]
    """
    top = np.arange(len(around))
    for _ in range(len(around)):
        above = around[top]
        if (above == NONE).all():
            break
        top = np.where(above == NONE, top, above)
    return top


def _without_circles(around: Whole) -> Whole:
    """Return the same with nothing around one mark of each circle, which parents that were told can form."""
    above, walk = around.tolist(), [NONE] * len(around)
    for first in range(len(above)):
        at = first
        while at != NONE and walk[at] == NONE:
            walk[at] = first
            at = above[at]
        if at != NONE and walk[at] == first:
            above[at] = NONE
    return np.array(above, np.int64)


def _by_parent(marks: Columns) -> Whole:
    place = {identity: at for at, identity in enumerate(whole(marks["id"]).tolist())}
    parents = zip(whole(marks["parent"]).tolist(), known(marks["parent"]).tolist(), strict=True)
    found = [place.get(parent, NONE) if told else NONE for parent, told in parents]
    return np.array(found, np.int64).reshape(-1)
