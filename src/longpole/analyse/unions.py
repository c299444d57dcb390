"""Unions of intervals: how much of the time any of them covers.

Method: in the order of their begins; one that begins after all before it have ended starts a new piece. Whole
numbers in, whole numbers out, so that nothing is lost. An interval that ends before it begins, as rounding
can make it, counts as less than nothing where it stands alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Union:
    """Pieces that do not touch, in the order of time."""

    starts: Whole
    ends: Whole

    @property
    def length(self) -> int:
        """How long all pieces are together."""
        return int((self.ends - self.starts).sum())

    def within(self, starts: Whole, ends: Whole) -> Whole:
        """Return how much of each of these intervals is covered."""
        return self._until(ends) - self._until(starts)

    def _until(self, moments: Whole) -> Whole:
        """Return how much is covered up to each moment."""
        if not len(self.starts):
            return np.zeros(len(moments), np.int64)
        before = np.concatenate([[0], np.cumsum(self.ends - self.starts)])
        piece = np.searchsorted(self.starts, moments, side="right") - 1
        inside = np.minimum(moments, self.ends[piece]) - self.starts[piece]
        found: Whole = np.where(piece < 0, 0, before[piece] + inside)
        return found


def union(starts: Whole, ends: Whole) -> Union:
    """Return what intervals cover together.

    Examples:
        >>> union(np.array([5, 0, 1]), np.array([7, 3, 2])).length
        5
    """
    if not len(starts):
        return Union(starts, ends)
    order = np.argsort(starts, kind="stable")
    begins, until = starts[order], np.maximum.accumulate(ends[order])
    fresh = np.concatenate([[True], begins[1:] > until[:-1]])
    last = np.concatenate([fresh[1:], [True]])
    return Union(begins[fresh], until[last])
