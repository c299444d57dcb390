"""How busy GPUs were for each job, and how much of their memory was used while it ran.

Method: how busy GPUs were at a moment is shared among the jobs that had some then, by how many each had;
memory is the largest reading of one GPU while a job of the kind ran. Both are the run's own where the driver
tells its processes apart, else those of the whole device. Jobs that declare no GPU have none; where nothing
is declared, all jobs are taken to have those GPUs that were used at all. A share is of the time that was
sampled, about once a second: a job between two readings is not seen.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, known, numbers, whole
from longpole.analyse.run_units import Units
from longpole.analyse.sharing_out import shared_out
from longpole.analyse.unions import union
from longpole.model.columns import Column, Columns
from longpole.model.execution import Scope

_BUSY, _MEMORY, _PROCESSES = "busy", "memory used", "processes"
NOT_SAMPLED = "no GPU was sampled: NVML found none"
NOT_USED = "none of its processes was seen on a GPU"
NOT_ASSIGNED = "no GPU was assigned to it"
TOO_SHORT = "it ran between two readings of the GPUs, which are about a second apart"
NOT_TIMED = "it is not known when it ran"


@dataclass(frozen=True, slots=True, eq=False)
class GpuUses:
    """What units did on GPUs, by their places.

    Attributes:
        busy_s: How long GPUs were busy for each.
        had_s: How long each had GPUs, as far as that was sampled; 0 if it had none, or nothing was seen.
        memory: The most memory in use on one GPU while each ran; NaN where there was no reading.
        assigned: Which units have GPUs.
        reason: Why nothing is known of any unit; empty if something is.
        anybodys: Whether these are figures of whole devices, whoever used them.
    """

    busy_s: Numbers
    had_s: Numbers
    memory: Numbers
    assigned: Marks
    reason: str = ""
    anybodys: bool = False


def gpu_uses(units: Units, samples: Columns, declared: Numbers) -> GpuUses:
    """Return what units did on GPUs.

    Args:
        units: Jobs, marks or programs.
        samples: Columns ``gpu`` (which one), ``scope``, ``metric``, ``start_ns``, ``end_ns``, ``value``.
        declared: How many GPUs each unit was given; NaN where nobody says.
    """
    if not samples.rows:
        return _nothing(units, NOT_SAMPLED)
    if not units.timed.all():
        return _nothing(units, NOT_TIMED)
    assigned = np.nan_to_num(declared) > 0
    scope = _scope(samples)
    if scope is None and not assigned.any():
        return _nothing(units, NOT_USED)
    mine = assigned if np.isfinite(declared).any() else np.ones(len(units), np.bool_)
    found = _Chosen(samples, scope or Scope.DEVICE)
    count = np.where(np.isfinite(declared), np.nan_to_num(declared), found.used)
    busy_s, had_s = _busy(units, found, mine, count)
    whose = scope or Scope.DEVICE
    return GpuUses(busy_s, had_s, _memory(units, found, mine), mine, anybodys=whose is Scope.DEVICE)


def _nothing(units: Units, reason: str) -> GpuUses:
    none = np.zeros(len(units))
    return GpuUses(none, none, np.full(len(units), np.nan), np.zeros(len(units), np.bool_), reason)


def _scope(samples: Columns) -> Scope | None:
    """Return whose figures count: the run's, a device's; None if the run's own tell that it used none."""
    value, own = numbers(samples["value"]), _are(samples["scope"], Scope.TREE)
    if not (own & _are(samples["metric"], _BUSY) & np.isfinite(value)).any():
        return Scope.DEVICE
    there = own & _are(samples["metric"], _PROCESSES) & (value > 0)
    return Scope.TREE if there.any() else None


class _Chosen:
    """Samples of one scope."""

    def __init__(self, samples: Columns, scope: Scope) -> None:
        self._samples, self._scope = samples, _are(samples["scope"], scope)

    def of(self, metric: str) -> tuple[Whole, Whole, Numbers, Whole]:
        """Return begins, ends, values and GPUs of what is known of one metric."""
        value = numbers(self._samples["value"])
        chosen = np.flatnonzero(self._scope & _are(self._samples["metric"], metric) & np.isfinite(value))
        start, end, gpu = (whole(self._samples[name])[chosen] for name in ("start_ns", "end_ns", "gpu"))
        return start, end, value[chosen], gpu

    @property
    def used(self) -> float:
        """How many GPUs were busy at any time, or held memory of ours."""
        _, _, busy, gpu = self.of(_BUSY)
        _, _, there, which = self.of(_PROCESSES)
        return float(max(1, len(np.unique(np.concatenate((gpu[busy > 0], which[there > 0]))))))


def _busy(units: Units, found: _Chosen, mine: Marks, count: Numbers) -> tuple[Numbers, Numbers]:
    """Return how long GPUs were busy for units, and how long these had them while they were sampled."""
    start, end, value, _ = found.of(_BUSY)
    long = end > start
    start, end, value = start[long], end[long], value[long]
    busy, had = np.zeros(len(units)), np.zeros(len(units))
    if not mine.any() or not len(start):
        return busy, had
    busy[mine] = shared_out((start, end, value), units.start_ns[mine], units.end_ns[mine], count[mine])
    sampled = union(start, end)
    had[mine] = count[mine] * sampled.within(units.start_ns[mine], units.end_ns[mine]) / 1e9
    return busy, had


def _memory(units: Units, found: _Chosen, mine: Marks) -> Numbers:
    """Return the largest reading of one GPU while each unit ran."""
    _, at, value, _ = found.of(_MEMORY)
    order = np.argsort(at, kind="stable")
    at, value = at[order], value[order]
    peak = np.full(len(units), np.nan)
    first = np.searchsorted(at, units.start_ns, "left")
    last = np.searchsorted(at, units.end_ns, "right")
    for unit in np.flatnonzero(mine & (first < last)).tolist():
        peak[unit] = value[first[unit] : last[unit]].max()
    return peak


def _are(column: Column, word: str) -> Marks:
    wanted = [at for at, one in enumerate(column.words or ()) if one == word]
    found: Marks = np.isin(whole(column), wanted) & known(column)
    return found
