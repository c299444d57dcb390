"""Dispatch: how long places stood empty before each task though it could have begun.

Method: tasks are put on as many lanes as ran at once, in the order of their begins, each on the lane that was
freed last before it. Its gap is from then, or from the end of the last task that it depends on, to its
begin. Where nobody knows what depends on what, a task is taken to wait for whatever ended last before it, so
that a barrier is no dispatch. With one lane, the gaps are all of the makespan in which no task ran: begins
of short processes may be noted late, how long they took is right. What is started side by side can hide gaps:
it is the least there can have been.
"""

from __future__ import annotations

from bisect import bisect_right, insort

import numpy as np

from longpole.analyse.arrays import Numbers, Whole
from longpole.analyse.graph import Graph


def dispatch_s(
    start_ns: Whole, end_ns: Whole, lanes: int, span: tuple[int, int], graph: Graph | None = None
) -> float:
    """Return seconds of dispatch of all tasks together.

    Args:
        start_ns: When tasks began.
        end_ns: When they ended.
        lanes: How many ran at once.
        span: Begin and end of the whole.
        graph: Who depends on whom; None where nobody knows.

    Examples:
        >>> second = 1_000_000_000
        >>> start, end = np.array([1, 4]) * second, np.array([3, 8]) * second
        >>> dispatch_s(start, end, 1, (0, 9 * second)), dispatch_s(start, end, 2, (0, 9 * second))
        (3.0, 2.0)
    """
    idle_s = lanes * (span[1] - span[0]) / 1e9 - float((end_ns - start_ns).sum()) / 1e9
    if lanes == 1:
        return max(0.0, idle_s)
    ready = _ready(start_ns, end_ns, span[0]) if graph is None else _after(end_ns, span[0], graph)
    gaps = _gaps(start_ns, end_ns, ready, [span[0]] * lanes)
    return max(0.0, min(float(gaps.sum()), idle_s))


def _ready(start_ns: Whole, end_ns: Whole, begin_ns: int) -> Whole:
    """Return when the last task had ended before each began."""
    ends = np.concatenate(([begin_ns], np.sort(end_ns)))
    return np.maximum(ends[np.searchsorted(ends[1:], start_ns, "right")], begin_ns)


def _after(end_ns: Whole, begin_ns: int, graph: Graph) -> Whole:
    ready = np.full(len(end_ns), begin_ns, np.int64)
    np.maximum.at(ready, graph.after, end_ns[graph.before])
    return ready


def _gaps(start_ns: Whole, end_ns: Whole, ready: Whole, free: list[int]) -> Numbers:
    gaps = np.zeros(len(start_ns))
    for at in np.lexsort((end_ns, start_ns)).tolist():
        start = int(start_ns[at])
        lane = free.pop(max(0, bisect_right(free, start) - 1))
        gaps[at] = max(0, start - max(lane, int(ready[at]))) / 1e9
        insort(free, max(lane, int(end_ns[at])))
    return gaps
