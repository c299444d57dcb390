"""Samples of processes on the axis of their lives, each completed by what its process used in all.

Processes are read some times a second, and then no more before they end: what a process used in all less what
its samples hold is one more sample, from the last of them to its end. One that ended before it was ever
read has one sample: its whole life. Rates of nothing are left out of a recording, but for CPU: where a
process was read and nothing else is said, it moved no bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, column, known, numbers, seconds, sums, whole
from longpole.analyse.intervals import Intervals
from longpole.analyse.lives import Lives
from longpole.analyse.observations import Observations, idle_between
from longpole.model.columns import Column, Columns

CORES = "cpu used"


@dataclass(frozen=True, slots=True, eq=False)
class ProcessSamples:
    """What processes used.

    Attributes:
        samples: Columns ``resource`` (``cpu used``, ``storage read``, ``storage written``), ``owner``, the
            process, ``start_ns``, ``end_ns`` and ``value``, a mean rate.
        totals: Columns ``process``, ``resource`` and ``value``: core-seconds or bytes over its life.
    """

    samples: Columns
    totals: Columns

    def of(self, resource: str, lives: Lives) -> Columns:
        """Return the use of one resource on the axis of these lives: ``start_ns``, ``end_ns``, ``value``."""
        found, value = self._laid(resource, lives)
        rest = self._rest(resource, lives, found, value)
        both = _apart(*_with(found, value, rest))
        if resource == CORES or not len(lives.at):
            return both
        last = int(lives.at[-1] + lives.end[-1] - lives.start[-1])
        return idle_between(both, (0, last))

    def _laid(self, resource: str, lives: Lives) -> tuple[Intervals, Numbers]:
        chosen = np.flatnonzero(_are(self.samples["resource"], resource))
        owner, start, end = (whole(self.samples[name])[chosen] for name in ("owner", "start_ns", "end_ns"))
        found, kept = lives.laid(Intervals(owner, start, end))
        value = np.maximum(numbers(self.samples["value"])[chosen][kept], 0.0)
        sound = np.isfinite(value)
        return found.chosen(sound), value[sound]

    def _rest(
        self, resource: str, lives: Lives, found: Intervals, value: Numbers
    ) -> tuple[Intervals, Numbers]:
        """Return what was used after the last sample of each process whose use in all is known."""
        count = len(lives.process)
        until = self._read_until(lives)
        end = lives.at + lives.end - lives.start
        total = self._total(resource, lives)
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

    def _total(self, resource: str, lives: Lives) -> Numbers:
        total = np.full(len(lives.process), np.nan)
        rows = np.flatnonzero(
            _are(self.totals["resource"], resource) & np.isin(whole(self.totals["process"]), lives.process)
        )
        place = np.searchsorted(lives.process, whole(self.totals["process"])[rows])
        total[place] = numbers(self.totals["value"])[rows]
        return total


def _are(words: Column, word: str) -> np.typing.NDArray[np.bool_]:
    wanted = [at for at, one in enumerate(words.words or ()) if one == word]
    found: np.typing.NDArray[np.bool_] = np.isin(whole(words), wanted) & known(words)
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
