"""Amounts over time, shared out among intervals: what is used at a moment is of all that go on.

Each gets as much as its weight among theirs. What is used while none goes on is of nobody.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import Numbers, Whole
from longpole.analyse.levels import level


def shared_out(
    used: tuple[Whole, Whole, Numbers], start: Whole, end: Whole, weight: Numbers | None = None
) -> Numbers:
    """Return how much each interval gets.

    Args:
        used: Begins, ends and rates per second of what is used; those that overlap add up.
        start: When intervals begin.
        end: When they end.
        weight: How much of what is shared each may have, beside the others; the same if nothing is said.

    Examples:
        >>> second = 1_000_000_000
        >>> used = np.array([0]), np.array([4 * second]), np.array([3.0])
        >>> shared_out(used, np.array([0, second]), np.array([2 * second, 3 * second])).tolist()
        [4.5, 4.5]
        >>> shared_out(used, np.array([0, 0]), np.array([second, second]), np.array([2.0, 1.0])).tolist()
        [2.0, 1.0]
    """
    if not len(start) or not len(used[0]):
        return np.zeros(len(start))
    parts = np.ones(len(start)) if weight is None else weight
    going_on = level(start, end, parts)
    moments = going_on.moments
    mass = level(*used).integral().over(moments[:-1], moments[1:])
    share = np.divide(mass, going_on.value[:-1], out=np.zeros(len(mass)), where=going_on.some[:-1])
    until = np.concatenate(([0.0], np.cumsum(share)))
    shares: Numbers = until[np.searchsorted(moments, end)] - until[np.searchsorted(moments, start)]
    return shares * parts
