"""Gauges: what was measured of one thing, over time.

Method: samples in the order of their begin add up to a curve; what it rises by over an interval, over the
length that was sampled of it, is the mean there. Samples come about once a second: what lies within shorter
phases is spread evenly over each sample.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.tree import Marks, known_rows, numbers
from longpole.model.columns import Column, Columns

Values = NDArray[np.float64]
# Less than this share of the time measured is no evidence.
_LEAST_COVERED = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Gauge:
    """One thing that was measured; samples do not overlap, and are in the order of their begins.

    Attributes:
        name: What was measured.
        starts_ns: When each sample begins.
        ends_ns: When it ends.
        values: Its mean.
        capacity: What it can be at most; 0 if that is not known.
    """

    name: str
    starts_ns: Whole
    ends_ns: Whole
    values: Values
    capacity: float = 0.0

    def mean(self, starts_ns: Whole, ends_ns: Whole) -> float | None:
        """Return the mean over some intervals; None where less than half of them was measured."""
        length = float((ends_ns - starts_ns).sum())
        covered = self._area(np.ones(len(self.values)), starts_ns, ends_ns)
        if length <= 0 or covered < _LEAST_COVERED * length:
            return None
        return self.area(starts_ns, ends_ns) / covered

    def area(self, starts_ns: Whole, ends_ns: Whole) -> float:
        """Return value times nanoseconds, over some intervals."""
        return self._area(self.values, starts_ns, ends_ns)

    def _area(self, heights: Values, starts_ns: Whole, ends_ns: Whole) -> float:
        if not len(heights):
            return 0.0
        begin = self.starts_ns[0]
        sums = np.cumsum(heights * (self.ends_ns - self.starts_ns))
        at = np.column_stack([self.starts_ns, self.ends_ns]).ravel() - begin
        curve = np.column_stack([np.concatenate([[0.0], sums[:-1]]), sums]).ravel()
        rises = np.interp(ends_ns - begin, at, curve) - np.interp(starts_ns - begin, at, curve)
        return float(rises.sum())


def gauges(samples: Columns, kind: str, metric: str, scope: str) -> tuple[Gauge, ...]:
    """Return what was measured of resources of a kind: one gauge for each name and owner."""
    chosen = _are(samples["kind"], kind) & _are(samples["metric"], metric) & _are(samples["scope"], scope)
    chosen &= numbers(samples["end_ns"]) > numbers(samples["start_ns"])
    values = np.asarray(samples["value"].values).astype(np.float64)
    rows = np.flatnonzero(chosen & known_rows(samples["value"]) & np.isfinite(values))
    return tuple(_gauges(samples, rows, values))


def gpus_busy(samples: Columns) -> tuple[Gauge, ...]:
    """Return how busy each GPU was, from 0 to 1: with the run where the driver tells, else with anyone."""
    return gauges(samples, "gpu", "busy", "tree") or gauges(samples, "gpu", "busy", "device")


def _gauges(samples: Columns, rows: Whole, values: Values) -> Iterator[Gauge]:
    names, owners = numbers(samples["name"])[rows], numbers(samples["owner"])[rows]
    for owner, name in sorted(set(zip(owners.tolist(), names.tolist(), strict=True))):
        here = rows[(owners == owner) & (names == name)]
        starts = numbers(samples["start_ns"])[here]
        order = np.argsort(starts, kind="stable")
        here, starts = here[order], starts[order]
        ends = numbers(samples["end_ns"])[here]
        ends[:-1] = np.minimum(ends[:-1], starts[1:])
        capacity = samples["capacity"][int(here[0])]
        word = (samples["name"].words or ("",))[name]
        yield Gauge(word, starts, ends, values[here], capacity if isinstance(capacity, int | float) else 0.0)


def _are(column: Column, word: str) -> Marks:
    wanted = [at for at, one in enumerate(column.words or ()) if one == word]
    found: Marks = np.isin(numbers(column), wanted) & known_rows(column)
    return found
