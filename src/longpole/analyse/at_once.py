"""How many tasks ran at once: the most that did for some of the time, not for a moment.

Method: the largest number that ran for at least a twentieth of the time in which any did, and no fewer than
ran on average. Begins and ends of processes are known to a tick of the kernel's clock, so that short ones
seem to overlap: of those, no more than ``slots`` finds, and the average is taken without a tick for each.
"""

from __future__ import annotations

import math

import numpy as np

from longpole.analyse.arrays import Whole
from longpole.analyse.profile import profile
from longpole.analyse.slots import Items
from longpole.analyse.unions import union

_SHARE = 0.05
_TICK_NS = 10_000_000


def at_once(start_ns: Whole, end_ns: Whole) -> int:
    """Return how many ran at once, for some of the time.

    Examples:
        >>> at_once(np.array([0, 0, 100]), np.array([100, 100, 101]))
        2
    """
    running = profile(start_ns, end_ns)
    length = np.diff(running.at_ns)
    active = float(length[running.running[:-1] > 0].sum())
    if not active:
        return 1
    counts = range(1, running.peak + 1)
    enough = [n for n in counts if length[running.running[:-1] >= n].sum() >= _SHARE * active]
    mean = float((end_ns - start_ns).sum()) / active
    return max(1, *enough, math.ceil(mean - _SHARE))


def processes_at_once(start_ns: Whole, end_ns: Whole) -> int:
    """Return how many processes ran at once, for some of the time."""
    if not len(start_ns):
        return 1
    order = np.argsort(start_ns, kind="stable")
    start, end = start_ns[order], end_ns[order]
    slots = Items(start, end, np.zeros(len(start), np.int64)).slots
    active = max(1, union(start, end).length)
    mean = float(np.maximum(0, end - start - _TICK_NS).sum()) / active
    return max(1, min(at_once(start, end), slots), math.ceil(mean - _SHARE))
