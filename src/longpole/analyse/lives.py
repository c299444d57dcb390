"""Lives of processes, laid end to end: so what is of one process never meets what is of another.

Attribution asks that samples do not overlap, and gives them to all phases that are active. On one axis, on
which the life of each process follows that of another, the samples and phases of any number of processes can
be given to each other at once, each within its own process.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Whole
from longpole.analyse.intervals import Intervals


@dataclass(frozen=True, slots=True, eq=False)
class Lives:
    """Processes by id, when each began and ended, and where its life begins on the axis."""

    process: Whole
    start: Whole
    end: Whole
    at: Whole

    def laid(self, intervals: Intervals) -> tuple[Intervals, Whole]:
        """Return intervals, whose row is a process, on the axis; and which of them these were.

        What is of no known process, or outside of its life, is left out; ``row`` becomes its place here.
        """
        place = np.minimum(np.searchsorted(self.process, intervals.row), max(len(self.process) - 1, 0))
        known = np.flatnonzero(self.process[place] == intervals.row) if len(self.process) else place[:0]
        place = place[known]
        start = np.maximum(intervals.start[known], self.start[place])
        end = np.minimum(intervals.end[known], self.end[place])
        shift = self.at[place] - self.start[place]
        some = start < end
        return Intervals(place, start + shift, end + shift).chosen(some), known[some]

    def clock(self, moments: Whole) -> Whole:
        """Return the real time of moments on the axis; the end of a life is taken for the next's begin."""
        place = np.maximum(np.searchsorted(self.at, moments, "right") - 1, 0)
        real: Whole = moments - self.at[place] + self.start[place]
        return real


def lives_of(process: Whole, start: Whole, end: Whole) -> Lives:
    """Return lives, those without length left out.

    Examples:
        >>> lives = lives_of(np.array([7, 3]), np.array([10, 0]), np.array([30, 5]))
        >>> lives.process.tolist(), lives.at.tolist(), lives.clock(np.array([4, 7])).tolist()
        ([3, 7], [0, 6], [4, 11])
    """
    some = np.flatnonzero(start < end)
    some = some[np.argsort(process[some], kind="stable")]
    # A moment between two lives belongs to neither, so an end can be told from the next begin.
    length = end[some] - start[some] + 1
    return Lives(process[some], start[some], end[some], np.cumsum(length) - length)
