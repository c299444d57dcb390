"""Samples of one resource and one owner, as attribution needs them: sorted, without overlap.

A sample is a mean rate over an interval; its mass is that rate times its length. Samples whose value is not
known, or that have no length, are left out. A sample that the window cuts keeps its rate, so only its share
of the mass remains. Time without a sample is unknown, unless ``idle_between`` says that it is zero: a
recording leaves out readings of nothing for all rates but CPU.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, column, numbers, seconds, whole
from longpole.analyse.levels import level
from longpole.model.attribution import AttributionError
from longpole.model.columns import Columns
from longpole.units import Nanoseconds

_Window = tuple[Nanoseconds, Nanoseconds]


@dataclass(frozen=True, slots=True, eq=False)
class Observations:
    """Mean rates over intervals."""

    start: Whole
    end: Whole
    rate: Numbers

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.start)

    @property
    def mass(self) -> Numbers:
        """The mass of each."""
        return self.rate * seconds(self.start, self.end)


def observations(samples: Columns, window: _Window | None = None) -> Observations:
    """Return samples by time, cut to the window; they must not overlap.

    Args:
        samples: Columns ``start_ns``, ``end_ns`` and ``value``, in any order.
        window: Begin and end of the time that is looked at.

    Raises:
        AttributionError: Samples overlap, or one is below zero.
    """
    found = _sorted(readings(samples), window)
    clash = np.flatnonzero(found.start[1:] < found.end[:-1])
    if len(clash):
        at = int(found.start[clash[0] + 1])
        raise AttributionError(f"Samples overlap at {at} ns. Add those of several owners up with stacked().")
    return found


def readings(samples: Columns) -> Observations:
    """Return samples that have a value and a length, in their own order; they may overlap.

    Raises:
        AttributionError: A sample is below zero.
    """
    start, end, rate = whole(samples["start_ns"]), whole(samples["end_ns"]), numbers(samples["value"])
    some = np.isfinite(rate) & (start < end)
    found = Observations(start[some], end[some], rate[some])
    if len(found) and found.rate.min() < 0:
        raise AttributionError(f"A sample is {found.rate.min()}: nothing can be used less than not at all.")
    return found


def stacked(samples: Columns) -> Columns:
    """Return samples of several owners as those of all of them together.

    Each is taken to be even over its interval, so where intervals of owners differ, detail appears that
    nobody measured; better is to attribute each owner's samples to its own phases.
    """
    found = readings(samples)
    sums = level(found.start, found.end, found.rate)
    some = sums.some[:-1]
    return _columns(
        Observations(sums.moments[:-1][some], sums.moments[1:][some], sums.value[:-1][some]),
    )


def idle_between(samples: Columns, window: _Window) -> Columns:
    """Return samples of one owner with zero wherever the window has none."""
    found = observations(samples, window)
    first, last = (np.array([moment], dtype=np.int64) for moment in window)
    start, end = np.concatenate((first, found.end)), np.concatenate((found.start, last))
    gap = start < end
    idle = np.zeros(int(gap.sum()))
    both = Observations(
        np.concatenate((found.start, start[gap])),
        np.concatenate((found.end, end[gap])),
        np.concatenate((found.rate, idle)),
    )
    return _columns(_sorted(both, None))


def _sorted(found: Observations, window: _Window | None) -> Observations:
    order = np.argsort(found.start, kind="stable")
    start, end, rate = found.start[order], found.end[order], found.rate[order]
    if window is not None:
        start, end = np.maximum(start, window[0]), np.minimum(end, window[1])
    some = start < end
    return Observations(start[some], end[some], rate[some])


def _columns(found: Observations) -> Columns:
    return Columns(
        {"start_ns": column(found.start), "end_ns": column(found.end), "value": column(found.rate)}
    )
