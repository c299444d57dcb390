"""Quantities that are constant between moments: sums of what is active, and their integrals.

Method: each interval is a step up and a step down; steps of one moment are added together; the running sum
is the level. Beside it runs an integer count of what is active, so that a level is exactly zero where nothing
is. Sums run in the longest float there is (19 digits on x86, 16 elsewhere), since an integral over a short
interval is the difference of two sums over all the time before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.arrays import NANOSECONDS, Marks, Numbers, Whole, begins

_Long = NDArray[np.longdouble]


@dataclass(frozen=True, slots=True, eq=False)
class Level:
    """A level: ``value`` holds from its moment to the next, and ``some`` says whether anything is active."""

    moments: Whole
    value: Numbers
    some: Marks

    def at(self, moments: Whole) -> Numbers:
        """Return the level at any moments; before the first it is zero."""
        place = np.searchsorted(self.moments, moments, "right")
        return np.append(0.0, self.value)[place]

    def integral(self) -> Integral:
        """Return the integral of the level."""
        return integral(self.moments[:-1], self.moments[1:], self.value[:-1])


@dataclass(frozen=True, slots=True, eq=False)
class Integral:
    """Rates over intervals that follow each other, zero between them, with the mass before each."""

    start: Whole
    end: Whole
    rate: Numbers
    before: _Long

    def over(self, start: Whole, end: Whole) -> Numbers:
        """Return the mass between two moments, for many pairs of them."""
        if not len(self.start):
            return np.zeros(len(start))
        return (self._until(end) - self._until(start)).astype(np.float64)

    def _until(self, moments: Whole) -> _Long:
        place = np.searchsorted(self.start, moments, "right") - 1
        begun = np.maximum(place, 0)
        inside = np.minimum(moments, self.end[begun]) - self.start[begun]
        found = self.before[begun] + self.rate[begun] * (inside / np.longdouble(NANOSECONDS))
        return np.where(place < 0, np.longdouble(0), found)


def level(start: Whole, end: Whole, amount: Numbers) -> Level:
    """Return the sum of the amounts of all intervals that are active, over time.

    Examples:
        >>> found = level(np.array([0, 5]), np.array([10, 20]), np.array([1.0, 2.0]))
        >>> found.moments.tolist(), found.value.tolist()
        ([0, 5, 10, 20], [1.0, 3.0, 2.0, 0.0])
    """
    moments = np.concatenate((start, end))
    order = np.argsort(moments, kind="stable")
    moments = moments[order]
    firsts = np.flatnonzero(begins(moments))
    if not len(firsts):
        return Level(moments, np.zeros(0), np.zeros(0, np.bool_))
    steps = np.concatenate((amount, -amount)).astype(np.longdouble)[order]
    counts = np.repeat(np.array((1, -1)), (len(start), len(end)))[order]
    value = np.cumsum(np.add.reduceat(steps, firsts)).astype(np.float64)
    some = np.cumsum(np.add.reduceat(counts, firsts)) > 0
    return Level(moments[firsts], np.where(some, np.maximum(value, 0.0), 0.0), some)


def integral(start: Whole, end: Whole, rate: Numbers) -> Integral:
    """Return the integral of rates over sorted intervals that do not overlap."""
    masses = rate * ((end - start) / np.longdouble(NANOSECONDS))
    before = np.zeros(len(masses), np.longdouble)
    np.cumsum(masses[:-1], out=before[1:])
    return Integral(start, end, rate, before)
