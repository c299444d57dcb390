"""Dispatch: how long places stood empty before each task though it could have begun.

Method: tasks are put on as many lanes as ran at once, in the order of their begins, each on the lane that was
freed last before it. Its gap is from then, or from the end of the last task that it depends on, to its begin,
less its time in a queue; attempts that failed are no gap. Where nobody knows what depends on what, a task is
taken to wait for whatever ended last before it, so that a barrier is no dispatch. With one lane, the gaps are
all of the makespan in which no task ran: begins of short processes may be noted late, how long they took is
right. What is started side by side can hide gaps: it is the least there can have been.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole
from longpole.analyse.graph import Graph

# How late the end of a task may be noted.
_LATE_NS = 50_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Waits:
    """What tasks waited for, which is no dispatch.

    Attributes:
        graph: Who depends on whom; None where nobody knows.
        queued_ns: From when and until when each was in a queue; None where there was none.
    """

    graph: Graph | None = None
    queued_ns: tuple[Whole, Whole] | None = None


def gaps_s(
    start_ns: Whole, end_ns: Whole, lanes: int, span: tuple[int, int], waits: Waits | None = None
) -> Numbers:
    """Return seconds of dispatch before each task.

    Args:
        start_ns: When tasks began.
        end_ns: When they ended.
        lanes: How many ran at once.
        span: Begin and end of the whole.
        waits: What tasks waited for; None where nobody knows.

    Examples:
        >>> second = 1_000_000_000
        >>> start, end = np.array([1, 4]) * second, np.array([3, 8]) * second
        >>> gaps_s(start, end, 1, (0, 9 * second)).tolist(), gaps_s(start, end, 2, (0, 9 * second)).tolist()
        ([1.5, 1.5], [1.0, 1.0])
    """
    idle_s = lanes * (span[1] - span[0]) / 1e9 - float((end_ns - start_ns).sum()) / 1e9
    known = waits or Waits()
    if lanes == 1:
        return np.full(len(start_ns), max(0.0, idle_s) / max(1, len(start_ns)))
    graph = known.graph
    ready = _ready(start_ns, end_ns, span[0]) if graph is None else _after(end_ns, span[0], graph)
    since = np.maximum(ready, _free(start_ns, end_ns, [span[0]] * lanes))
    gaps = np.maximum(0, start_ns - since) / 1e9
    if known.queued_ns is not None:
        first, last = known.queued_ns
        gaps -= np.maximum(0, np.minimum(last, start_ns) - np.maximum(first, since)) / 1e9
    return at_most(gaps, idle_s)


def at_most(gaps: Numbers, all_s: float) -> Numbers:
    """Return gaps that take no more than so long in all; too many are scaled down alike.

    Examples:
        >>> at_most(np.array([1.0, 3.0]), 2.0).tolist()
        [0.5, 1.5]
    """
    total, most = float(gaps.sum()), max(0.0, all_s)
    return gaps * (most / total) if total > most else gaps


def _ready(start_ns: Whole, end_ns: Whole, begin_ns: int) -> Whole:
    """Return when the last task had ended before each began; ends may be noted a moment late."""
    ends = np.concatenate(([begin_ns], np.sort(end_ns)))
    last = ends[np.searchsorted(ends[1:], start_ns + _LATE_NS, "right")]
    return np.clip(last, begin_ns, np.maximum(start_ns, begin_ns))


def _after(end_ns: Whole, begin_ns: int, graph: Graph) -> Whole:
    ready = np.full(len(end_ns), begin_ns, np.int64)
    np.maximum.at(ready, graph.after, end_ns[graph.before])
    return ready


def _free(start_ns: Whole, end_ns: Whole, free: list[int]) -> Whole:
    """Return since when the lane of each task was free."""
    since = np.zeros(len(start_ns), np.int64)
    for at in np.lexsort((end_ns, start_ns)).tolist():
        since[at] = free.pop(max(0, bisect_right(free, int(start_ns[at])) - 1))
        insort(free, max(int(since[at]), int(end_ns[at])))
    return since
