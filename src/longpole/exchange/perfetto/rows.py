"""Rows of one lane: what overlaps without nesting (asyncio) goes apart, so that no duration changes."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from longpole.exchange.perfetto.bounds import NEVER
from longpole.units import Nanoseconds


def rows_of(intervals: Iterable[tuple[Nanoseconds, Nanoseconds | None]]) -> Iterator[int]:
    """Yield, for each interval of one lane, the row to draw it on, so that on each row intervals nest.

    Intervals come sorted by start; an end of None is later than all others. Row 0 is taken whenever it can
    be, then the row whose innermost open interval encloses this one most tightly, then an empty one. Each
    costs a binary search among the rows.

    Examples:
        >>> list(rows_of([(0, 10), (2, 5), (4, 12), (6, 7), (8, 11), (12, None), (13, 14)]))
        [0, 0, 1, 0, 1, 0, 0]
    """
    rows = Rows()
    for start, end in intervals:
        rows.close(start)
        yield rows.open(start, NEVER if end is None else end)


class Rows:
    """The rows of one lane at one moment: for each, the ends of its open intervals, innermost last."""

    __slots__ = ("_free", "_innermost", "_open", "now")

    def __init__(self) -> None:
        """Begin with one row, empty."""
        self.now = 0
        self._open: list[list[int]] = [[]]
        self._innermost: list[tuple[int, int]] = []  # (end, row) of every row in use, sorted
        self._free: list[int] = []  # heap of the rows not in use, row 0 apart

    def close(self, until: int) -> list[tuple[int, int]]:
        """Take away the intervals that end by then; return each as (end, row), in the order of the ends."""
        closed = []
        innermost = self._innermost
        while innermost and innermost[0][0] <= until:
            end, row = innermost.pop(0)
            closed.append((end, row))
            ends = self._open[row]
            ends.pop()
            if ends:
                insort(innermost, (ends[-1], row))
            elif row:
                heappush(self._free, row)
        return closed

    def open(self, start: int, end: int) -> int:
        """Add an interval, all that ends by its start being closed; return its row."""
        self.now = start
        row = self._choose(end)
        ends = self._open[row]
        if ends:
            del self._innermost[bisect_left(self._innermost, (ends[-1], row))]
        ends.append(end)
        insort(self._innermost, (end, row))
        return row

    def _choose(self, end: int) -> int:
        first = self._open[0]
        if not first or first[-1] >= end:
            return 0
        tightest = bisect_left(self._innermost, (end, 0))
        if tightest < len(self._innermost):
            return self._innermost[tightest][1]
        if self._free:
            return heappop(self._free)
        self._open.append([])
        return len(self._open) - 1
