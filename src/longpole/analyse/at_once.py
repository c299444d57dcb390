"""How many tasks ran at once: the most that did for some of the time, not for a moment.

Method: the largest number that ran for at least a twentieth of the time in which any did, and no fewer than
ran on average. When a short process began and ended may be noted a tenth of a second late, though not how
long it took: its time is spread over what lies around it, so that those one after the other do not seem to
overlap.
"""

from __future__ import annotations

import math

import numpy as np

from longpole.analyse.arrays import Numbers, Whole
from longpole.analyse.levels import level
from longpole.analyse.profile import profile

_SHARE = 0.05
# Processes shorter than this are spread over so much time before and after.
_SHORT_NS = 250_000_000
_AROUND_NS = 100_000_000
# One that is spread counts from so much of itself on.
_SLACK = 0.25


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
    lasting = _lasting(length, running.running[:-1].astype(np.float64), _SHARE * active)
    mean = float((end_ns - start_ns).sum()) / active
    return max(1, math.floor(lasting), math.ceil(mean - _SHARE))


def processes_at_once(start_ns: Whole, end_ns: Whole) -> int:
    """Return how many processes ran at once, for some of the time."""
    took = end_ns - start_ns
    around = np.where(took < _SHORT_NS, _AROUND_NS, 0)
    share = took / np.maximum(took + 2 * around, 1)
    running = level(start_ns - around, end_ns + around, share)
    length = np.diff(running.moments)[running.some[:-1]]
    value = running.value[:-1][running.some[:-1]]
    return max(1, math.floor(_lasting(length, value, _SHARE * float(length.sum())) + _SLACK))


def _lasting(length: Whole, value: Numbers, least: float) -> float:
    """Return the largest value that was reached or passed for so long in all."""
    falling = np.argsort(-value, kind="stable")
    place = int(np.searchsorted(np.cumsum(length[falling]), least))
    return float(value[falling[place]]) if place < len(falling) else 0.0
