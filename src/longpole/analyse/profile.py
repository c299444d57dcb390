"""The parallelism profile: how many tasks ran at once, over time.

Method: one is added at each begin and taken at each end; where one ends as another begins, the end counts
first. What takes no time is never counted as running.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """``running[i]`` tasks ran from ``at_ns[i]`` to ``at_ns[i + 1]``; the last is 0."""

    at_ns: Whole
    running: Whole

    @property
    def peak(self) -> int:
        """The most that ran at once."""
        return int(self.running.max(initial=0))

    def mean(self) -> float:
        """Return how many ran on average."""
        length = np.diff(self.at_ns)
        whole = float(length.sum())
        return float((self.running[:-1] * length).sum()) / whole if whole else 0.0

    def at_least(self, tasks: int) -> float:
        """Return the share of the time in which so many or more ran."""
        length = np.diff(self.at_ns)
        whole = float(length.sum())
        return float(length[self.running[:-1] >= tasks].sum()) / whole if whole else 0.0

    def means(self, pieces: int) -> NDArray[np.float64]:
        """Return the mean of each of so many equal pieces of time, for drawing."""
        if len(self.at_ns) < 2:
            return np.zeros(pieces)
        area = np.concatenate([[0.0], np.cumsum(self.running[:-1] * np.diff(self.at_ns))])
        marks = np.linspace(float(self.at_ns[0]), float(self.at_ns[-1]), pieces + 1)
        width = (marks[-1] - marks[0]) / pieces
        found: NDArray[np.float64] = np.diff(np.interp(marks, self.at_ns.astype(np.float64), area)) / width
        return found


def profile(starts_ns: Whole, ends_ns: Whole) -> Profile:
    """Return how many intervals held each moment.

    Examples:
        >>> two = profile(np.array([0, 5]), np.array([5, 9]))
        >>> two.at_ns.tolist(), two.running.tolist(), two.peak
        ([0, 5, 9], [1, 1, 0], 1)
    """
    there = ends_ns > starts_ns
    moments = np.concatenate([starts_ns[there], ends_ns[there]])
    changes = np.concatenate([np.ones(there.sum(), np.int64), -np.ones(there.sum(), np.int64)])
    at_ns, places = np.unique(moments, return_inverse=True)
    total = np.zeros(len(at_ns), np.int64)
    np.add.at(total, places, changes)
    return Profile(at_ns, np.cumsum(total))
