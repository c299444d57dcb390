"""The most memory that one job had at a moment, by kind of job.

Method: the peak of all processes of a job together, as ``memory`` finds it, or what somebody told of the job
if that is more. Of a kind only its largest job counts; jobs that cannot be larger than one that was looked at
are passed over. Of a part of a program that is marked, only readings while it went on count.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, numbers, rows, whole
from longpole.analyse.memory import peak_memory
from longpole.analyse.run_units import Unit, Units
from longpole.analyse.values import number
from longpole.analyse.values import whole as whole_number
from longpole.model.columns import Columns
from longpole.units import Bytes, Nanoseconds


@dataclass(frozen=True, slots=True, eq=False)
class MemoryEvidence:
    """What is known of memory.

    Attributes:
        readings: Columns ``process``, ``at_ns``, ``resident`` and ``proportional``, in any order.
        processes: Columns ``id``, ``end_ns``, ``peak`` (bytes) and ``exact``: 1 if the kernel kept the peak.
        told: The peak of each unit as somebody told it; NaN where nobody did.
        marked: With marks as units, the process that each is of.
    """

    readings: Columns
    processes: Columns
    told: Numbers
    marked: Whole


def largest_jobs(units: Units, evidence: MemoryEvidence) -> dict[int, Bytes]:
    """Return the memory of the largest job of each kind, by the kind's place; unknown ones are missing."""
    found: dict[int, Bytes] = {}
    groups = _groups(units, evidence)
    for unit in np.argsort(-groups.bound, kind="stable").tolist():
        kind = int(units.kind[unit])
        if groups.bound[unit] > found.get(kind, 0):
            found[kind] = max(found.get(kind, 0), groups.peak(unit) or 0)
    return {kind: peak for kind, peak in found.items() if peak}


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Readings and kept peaks by unit: ``bound`` is what a unit cannot have had more than."""

    evidence: MemoryEvidence
    bound: Numbers
    readings: Mapping[int, Whole]
    kept: Mapping[int, list[Bytes]]
    ends: Mapping[int, Nanoseconds]

    def peak(self, unit: int) -> Bytes | None:
        told = self.evidence.told[unit]
        chosen = self.readings.get(unit, np.zeros(0, np.int64))
        some = Columns({name: rows(each, chosen) for name, each in self.evidence.readings.items()})
        kept = [*self.kept.get(unit, []), *([round(float(told))] if np.isfinite(told) else [])]
        return peak_memory(some, self.ends, tuple(kept)).bytes


def _groups(units: Units, evidence: MemoryEvidence) -> _Groups:
    """Return what is known of each unit."""
    readings = dict(_readings_of(units, evidence))
    kept = {} if units.unit is Unit.MARK else _kept(units, evidence, readings)
    resident = np.fmax(*(numbers(evidence.readings[name]) for name in ("resident", "proportional")))
    process = whole(evidence.readings["process"])
    bound = np.nan_to_num(evidence.told)
    for unit, places in readings.items():
        bound[unit] = max(bound[unit], _sum_of_largest(process[places], np.nan_to_num(resident[places])))
    for unit, peaks in kept.items():
        bound[unit] = max(bound[unit], sum(peaks))
    known = zip(evidence.processes["id"], evidence.processes["end_ns"], strict=True)
    ends = {int(one): int(end) for one, end in known if one is not None and end is not None}
    return _Groups(evidence, bound, readings, kept, ends)


def _kept(units: Units, evidence: MemoryEvidence, readings: Mapping[int, Whole]) -> dict[int, list[Bytes]]:
    """Return peaks of single processes: those the kernel kept, and of units without a reading all others."""
    kept: dict[int, list[Bytes]] = {}
    for row in evidence.processes.records():
        unit, peak = units.owners.get(whole_number(row["id"]) or 0), number(row["peak"])
        if unit is not None and peak is not None and (row["exact"] or unit not in readings):
            kept.setdefault(unit, []).append(round(peak))
    return kept


def _sum_of_largest(process: Whole, resident: Numbers) -> float:
    """Return the largest readings of processes, added up."""
    _, place = np.unique(process, return_inverse=True)
    largest = np.zeros(len(process))
    np.maximum.at(largest, place, resident)
    return float(largest.sum())


def _readings_of(units: Units, evidence: MemoryEvidence) -> Iterator[tuple[int, Whole]]:
    """Yield each unit that has readings, and which these are."""
    process, at = whole(evidence.readings["process"]), whole(evidence.readings["at_ns"])
    known, place = np.unique(process, return_inverse=True)
    owner = np.array([units.owners.get(one, -1) for one in known.tolist()], np.int64)[place]
    if units.unit is Unit.MARK:
        for unit in range(len(units)):
            mine = owner == evidence.marked[unit]
            inside = mine & (at >= units.start_ns[unit]) & (at <= units.end_ns[unit])
            if inside.any():
                yield unit, np.flatnonzero(inside)
        return
    order = np.argsort(owner, kind="stable")
    order = order[owner[order] >= 0]
    for some in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        if len(some):
            yield int(owner[some[0]]), some
