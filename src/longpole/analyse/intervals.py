"""Intervals of time that belong to rows of a table: what they cover together, and what they leave.

Method: sorting by row and begin, and a running maximum of the ends within each row. The maximum is taken of
the ends' ranks with the row in front, so that one pass serves all rows and nothing overflows. An interval
holds its begin and not its end; one without length holds nothing and is dropped.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, begins, seconds, sums
from longpole.units import Nanoseconds


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Intervals; ``row`` is the row of the table that each belongs to."""

    row: Whole
    start: Whole
    end: Whole

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.row)

    def chosen(self, some: Marks) -> Intervals:
        """Return some of them."""
        return Intervals(self.row[some], self.start[some], self.end[some])

    def within(self, start: Whole | Nanoseconds, end: Whole | Nanoseconds) -> Intervals:
        """Return what of each lies between two moments; those outside are dropped."""
        first, last = np.maximum(self.start, start), np.minimum(self.end, end)
        return Intervals(self.row, first, last).chosen(first < last)

    def summed(self, rows: int, amount: Numbers | None = None) -> Numbers:
        """Return an amount of each, or else its seconds, added up by row."""
        amounts = seconds(self.start, self.end) if amount is None else amount
        return sums(self.row, amounts, rows)


def union(intervals: Intervals) -> Intervals:
    """Return the same time without overlap, sorted; intervals that touch become one.

    Examples:
        >>> row, start, end = np.array([0, 0, 1]), np.array([5, 1, 2]), np.array([9, 6, 3])
        >>> found = union(Intervals(row, start, end))
        >>> found.row.tolist(), found.start.tolist(), found.end.tolist()
        ([0, 1], [1, 2], [9, 3])
    """
    order = np.lexsort((intervals.start, intervals.row))
    row, start = intervals.row[order], intervals.start[order]
    if not len(row):
        return intervals
    reached = _furthest(row, intervals.end[order])
    fresh = begins(row)
    fresh[1:] |= start[1:] > reached[:-1]
    firsts = np.flatnonzero(fresh)
    lasts = np.append(firsts[1:] - 1, len(row) - 1)
    return Intervals(row[firsts], start[firsts], reached[lasts])


def left_over(whole: Intervals, taken: Intervals) -> Intervals:
    """Return what ``taken`` leaves of ``whole``, which has at most one interval for each row.

    Args:
        whole: One interval for a row.
        taken: Any intervals of the same rows, within the whole of their row.
    """
    taken = union(taken)
    rows = np.concatenate((whole.row, taken.row))
    starts, ends = np.concatenate((whole.start, taken.end)), np.concatenate((whole.end, taken.start))
    # In each row the n-th begin belongs to the n-th end, since what is taken neither overlaps nor touches.
    by_start, by_end = np.lexsort((starts, rows)), np.lexsort((ends, rows))
    left = Intervals(rows[by_start], starts[by_start], ends[by_end])
    return left.chosen(left.start < left.end)


def overlapping(intervals: Intervals) -> Whole:
    """Return a number for each interval, equal for those of one row that a chain of overlaps joins.

    Numbers count up by row and time. Intervals that only touch are not joined.

    Examples:
        >>> zero = np.zeros(3, np.int64)
        >>> overlapping(Intervals(zero, np.array([0, 4, 10]), np.array([5, 9, 12]))).tolist()
        [0, 0, 1]
    """
    order = np.lexsort((intervals.start, intervals.row))
    row, start = intervals.row[order], intervals.start[order]
    fresh = begins(row)
    if len(row):
        fresh[1:] |= start[1:] >= _furthest(row, intervals.end[order])[:-1]
    found = np.empty(len(row), np.int64)
    found[order] = np.cumsum(fresh) - 1
    return found


def _furthest(row: Whole, end: Whole) -> Whole:
    """Return the latest end so far in each row; rows are sorted."""
    moments, rank = np.unique(end, return_inverse=True)
    reached: Whole = moments[np.maximum.accumulate(row * len(moments) + rank) % len(moments)]
    return reached
