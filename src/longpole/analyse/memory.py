"""Peak memory of many processes: the largest sum over all that lived at one moment.

Method: a reading of a process holds until its next reading or its end. Each reading becomes a step up or
down at its time; the steps of one moment are added together and the running sum's maximum is the peak.
Proportional memory (PSS: a page shared by n processes counts 1/n in each) is used where it was read. From the
readings of a process before its first PSS, what was shared at that first one is taken off; a process without
any PSS counts with its resident memory (RSS), shared pages in full. Peaks between two readings are not seen,
but for those the kernel kept per process: the result is never below the largest of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.model.columns import Column, Columns
from longpole.units import Bytes, Nanoseconds

Numbers = NDArray[np.float64]
Whole = NDArray[np.int64]
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class MemoryPeak:
    """The peak, and for how many of the processes proportional memory was read."""

    bytes: Bytes | None
    processes: int
    proportional: int


def peak_memory(
    readings: Columns, ends: Mapping[int, Nanoseconds], kept_peaks: tuple[Bytes, ...] = ()
) -> MemoryPeak:
    """Return the largest simultaneous sum of memory.

    Args:
        readings: Columns ``process``, ``at_ns``, ``resident`` and ``proportional`` (bytes, unknown if not
            read), in any order.
        ends: When processes ended; one that is missing lasts to the end of the run.
        kept_peaks: Peaks of single processes that the kernel kept.
    """
    floor = max(kept_peaks, default=None)
    if not readings.rows:
        return MemoryPeak(floor, 0, 0)
    table = _sorted(readings)
    used, proportional = _used(table)
    lasts = np.r_[table.firsts[1:] - 1, len(used) - 1]
    ended = np.array([ends.get(int(one), _NEVER) for one in table.process[lasts]], dtype=np.int64)
    steps = np.diff(used, prepend=0.0)
    steps[table.firsts] = used[table.firsts]
    times = np.concatenate((table.at, np.maximum(ended, table.at[lasts])))
    peak = _highest(times, np.concatenate((steps, -used[lasts])))
    return MemoryPeak(max(round(max(peak, used.max())), floor or 0), len(lasts), proportional)


@dataclass(frozen=True, slots=True)
class _Readings:
    """Readings by process and time; ``firsts`` are the rows at which a new process begins."""

    process: Whole
    at: Whole
    resident: Numbers
    share: Numbers
    firsts: NDArray[np.intp]


def _sorted(readings: Columns) -> _Readings:
    process = np.asarray(readings["process"].values).astype(np.int64)
    at = np.asarray(readings["at_ns"].values).astype(np.int64)
    order = np.lexsort((at, process))
    process = process[order]
    firsts = np.flatnonzero(np.r_[True, process[1:] != process[:-1]])
    resident, share = (_known_or_zero(readings[name])[order] for name in ("resident", "proportional"))
    return _Readings(process, at[order], resident, share, firsts)


def _known_or_zero(column: Column) -> Numbers:
    values = np.nan_to_num(np.asarray(column.values).astype(np.float64))
    return values if column.known is None else np.where(np.asarray(column.known), values, 0.0)


def _used(table: _Readings) -> tuple[Numbers, int]:
    """Return what each reading counts with, and how many processes have a proportional one."""
    known = table.share > 0
    rows = np.where(known, np.arange(len(known)), len(known))
    first_known = np.minimum.reduceat(rows, table.firsts)
    has = first_known < len(known)
    shared = np.zeros(len(table.firsts))
    shared[has] = (table.resident - table.share)[first_known[has]]
    before = table.resident - np.repeat(shared, np.diff(np.r_[table.firsts, len(known)]))
    return np.where(known, table.share, np.maximum(before, 0.0)), int(has.sum())


def _highest(times: Whole, changes: Numbers) -> float:
    """Return the maximum of the running sum, all changes of one moment taken together."""
    order = np.argsort(times, kind="stable")
    times = times[order]
    moments = np.flatnonzero(np.r_[True, times[1:] != times[:-1]])
    return float(np.cumsum(np.add.reduceat(changes[order], moments)).max())
