"""Samples of processes on the axis of their lives, each completed by what its process used in all.

Processes are read some times a second, and then no more before they end: what a process used in all less what
its samples hold is one more sample, from the last of them to its end. One that ended before it was ever
read has one sample: its whole life. Rates of nothing are left out of a recording, but for CPU: where a
process was read and nothing else is said, it moved no bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, column, known, numbers, seconds, sums, whole
from longpole.analyse.intervals import Intervals
from longpole.analyse.lives import Lives
from longpole.analyse.observations import Observations, idle_between
from longpole.model.columns import Column, Columns
from longpole.model.execution import Metric


@dataclass(frozen=True, slots=True)
class Counter:
    """One thing that processes use: how its samples are named, and the totals that add up to its mass."""

    kind: str
    metric: str
    totals: tuple[str, ...]
    per_unit: float = 1.0


CORES = Counter("cpu", "used", (Metric.CPU_USER, Metric.CPU_SYSTEM), per_unit=1e9)
READ = Counter("storage", "read", (Metric.STORAGE_READ,))
WRITTEN = Counter("storage", "written", (Metric.STORAGE_WRITTEN,))


@dataclass(frozen=True, slots=True, eq=False)
class ProcessSamples:
    """What processes used.

    Attributes:
        samples: Columns ``kind``, ``metric``, ``owner``, the process, ``start_ns``, ``end_ns`` and ``value``.
        totals: Columns ``process``, ``metric`` and ``value``: what it used over its life.
    """

    samples: Columns
    totals: Columns

    def of(self, counter: Counter, lives: Lives) -> Columns:
        """Return the use of one thing on the axis of these lives: ``start_ns``, ``end_ns``, ``value``."""
        found, value = self._laid(counter, lives)
        rest = self._rest(counter, lives, found, value)
        both = _apart(*_with(found, value, rest))
        if counter is CORES or not len(lives.at):
            return both
        last = int(lives.at[-1] + lives.end[-1] - lives.start[-1])
        return idle_between(both, (0, last))

    def _laid(self, counter: Counter, lives: Lives) -> tuple[Intervals, Numbers]:
        samples = self.samples
        chosen = np.flatnonzero(_are(samples["kind"], counter.kind) & _are(samples["metric"], counter.metric))
        owner, start, end = (whole(self.samples[name])[chosen] for name in ("owner", "start_ns", "end_ns"))
        found, kept = lives.laid(Intervals(owner, start, end))
        value = np.maximum(numbers(self.samples["value"])[chosen][kept], 0.0)
        sound = np.isfinite(value)
        return found.chosen(sound), value[sound]

    def _rest(
        self, counter: Counter, lives: Lives, found: Intervals, value: Numbers
    ) -> tuple[Intervals, Numbers]:
        """Return what was used after the last sample of each process whose use in all is known."""
        count = len(lives.process)
        until = self._read_until(lives)
        end = lives.at + lives.end - lives.start
        total = self._total(counter, lives)
        left = np.maximum(total - sums(found.row, value * seconds(found.start, found.end), count), 0.0)
        some = np.flatnonzero(np.isfinite(left) & (until < end))
        rest = Intervals(some, until[some], end[some])
        return rest, left[some] / seconds(rest.start, rest.end)

    def _read_until(self, lives: Lives) -> Whole:
        """Return the end of the last sample of each process, on the axis; its begin if there is none."""
        found, _ = self._laid(CORES, lives)
        until = lives.at.copy()
        np.maximum.at(until, found.row, found.end)
        return until

    def _total(self, counter: Counter, lives: Lives) -> Numbers:
        """Return what each process used over its life; NaN if that is not known."""
        rows = np.flatnonzero(
            _are(self.totals["metric"], *counter.totals)
            & np.isin(whole(self.totals["process"]), lives.process)
        )
        place = np.searchsorted(lives.process, whole(self.totals["process"])[rows])
        total = sums(place, numbers(self.totals["value"])[rows], len(lives.process)) / counter.per_unit
        told = np.zeros(len(total), np.bool_)
        told[place] = True
        return np.where(told, total, np.nan)


def _are(column: Column, *words: str) -> Marks:
    wanted = [at for at, word in enumerate(column.words or ()) if word in words]
    found: Marks = np.isin(whole(column), wanted) & known(column)
    return found


def _with(found: Intervals, value: Numbers, rest: tuple[Intervals, Numbers]) -> tuple[Whole, Whole, Numbers]:
    return (
        np.concatenate((found.start, rest[0].start)),
        np.concatenate((found.end, rest[0].end)),
        np.concatenate((value, rest[1])),
    )


def _apart(start: Whole, end: Whole, value: Numbers) -> Columns:
    """Return samples in the order of their begins; one that reaches into the next ends there."""
    order = np.argsort(start, kind="stable")
    start, end, value = start[order], end[order], value[order]
    end[:-1] = np.minimum(end[:-1], start[1:])
    found = Observations(start, end, value)
    return Columns(
        {"start_ns": column(found.start), "end_ns": column(found.end), "value": column(found.rate)}
    )
