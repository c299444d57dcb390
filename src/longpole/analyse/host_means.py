"""What was measured of a host and its devices, as means over any intervals of real time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, column, known, numbers, over, seconds, whole
from longpole.analyse.levels import Integral, Level, level
from longpole.model.columns import Column, Columns


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """One thing that was measured: its name, how much there is of it, and its samples.

    Samples are columns ``start_ns``, ``end_ns`` and ``value``; those that overlap are parts, and add up.
    """

    name: str
    capacity: float
    samples: Columns

    def mean(self, start: Whole, end: Whole) -> Numbers:
        """Return the mean over the measured part of intervals; zero where nothing was measured."""
        return over(self._mass().over(start, end), self._covered().over(start, end))

    def _mass(self) -> Integral:
        return self._level(numbers(self.samples["value"])).integral()

    def _covered(self) -> Integral:
        some = self._level(np.ones(self.samples.rows))
        return Level(some.moments, some.some.astype(np.float64), some.some).integral()

    def _level(self, amount: Numbers) -> Level:
        return level(whole(self.samples["start_ns"]), whole(self.samples["end_ns"]), amount)


def measured(samples: Columns, owner: int, kind: str, scope: str, *metrics: str) -> tuple[Measured, ...]:
    """Return what was measured of a kind of resource of one host, by name.

    Args:
        samples: Columns ``kind``, ``name``, ``metric``, ``scope``, ``owner``, ``capacity``, ``start_ns``,
            ``end_ns`` and ``value``; ``unit`` if there are packets among them.
        owner: The host.
        kind: Of resource.
        scope: Whose use it is.
        metrics: Those that are added up.
    """
    chosen = _are(samples["kind"], kind) & _are(samples["scope"], scope) & _are(samples["metric"], *metrics)
    chosen &= (whole(samples["owner"]) == owner) & np.isfinite(numbers(samples["value"]))
    if "unit" in samples:
        chosen &= ~_are(samples["unit"], "packets/s")  # named as bytes are
    chosen &= whole(samples["start_ns"]) < whole(samples["end_ns"])
    names = whole(samples["name"])
    found = []
    for at in np.unique(names[chosen]).tolist():
        rows = np.flatnonzero(chosen & (names == at))
        word = (samples["name"].words or ("",))[at]
        capacity = float(numbers(samples["capacity"])[rows[0]])
        found.append(Measured(word, capacity, _part(samples, rows)))
    return tuple(found)


def mean_of(found: tuple[Measured, ...], name: str) -> Measured | None:
    """Return the mean of several things of one capacity, as one; nothing if there are none."""
    if not found:
        return None
    parts = [one.samples for one in found]
    start, end = (np.concatenate([whole(part[which]) for part in parts]) for which in ("start_ns", "end_ns"))
    value = np.concatenate([numbers(part["value"]) for part in parts]) / len(parts)
    table = {"start_ns": column(start), "end_ns": column(end), "value": column(value)}
    return Measured(name, found[0].capacity, Columns(table))


def seconds_of(found: Measured) -> float:
    """Return how long a thing was measured, parts counted once."""
    start, end = whole(found.samples["start_ns"]), whole(found.samples["end_ns"])
    some = level(start, end, np.ones(len(start)))
    return float(seconds(some.moments[:-1], some.moments[1:])[some.some[:-1]].sum())


def _part(samples: Columns, rows: np.typing.NDArray[np.intp]) -> Columns:
    times = {name: column(whole(samples[name])[rows]) for name in ("start_ns", "end_ns")}
    return Columns({**times, "value": column(np.maximum(numbers(samples["value"])[rows], 0.0))})


def _are(words: Column, *wanted: str) -> Marks:
    places = [at for at, word in enumerate(words.words or ()) if word in wanted]
    found: Marks = np.isin(whole(words), places) & known(words)
    return found
