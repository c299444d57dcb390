"""Samples and the resources they are of: readings of processes, and gauges of hosts and devices.

A reading of a process covers an interval: CPU time becomes cores in use, bytes become bytes a second, memory
is as it was at the end. Rates of nothing are left out, but for CPU. Readings without length are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.log.slots import GAUGE, PROCESS_SAMPLE
from longpole.model.execution import Scope
from longpole.store.derive.arrays import Arrays, Marks, Part, Whole, floats, integers, places, texts
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.exits import believable
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.notes import Resource
from longpole.store.derive.processes import Processes
from longpole.store.derive.records import Records, none_of

_Key = tuple[int, str, str, str, str]
_Values = NDArray[np.float64]

# Kind, name, metric, unit, then how a reading and its nanoseconds become a value.
_OF_PROCESS: tuple[tuple[str, str, str, str, Callable[[Records, _Values], _Values]], ...] = (
    ("cpu", "all cores", "used", "cores", lambda found, took: _cpu_us(found) * 1e3 / took),
    ("memory", "memory", "resident", "bytes", lambda found, _: found["resident_kib"] * 1024.0),
    ("memory", "memory", "proportional", "bytes", lambda found, _: found["proportional_kib"] * 1024.0),
    ("io", "system calls", "read", "bytes/s", lambda found, took: found["read"] * 1e9 / took),
    ("io", "system calls", "written", "bytes/s", lambda found, took: found["written"] * 1e9 / took),
    ("storage", "storage", "read", "bytes/s", lambda found, took: found["storage_read"] * 1e9 / took),
    ("storage", "storage", "written", "bytes/s", lambda found, took: found["storage_written"] * 1e9 / took),
)
# What is summed for each process; the last two are its largest resident size and how often it was read.
SUMMED = (
    *("user_us", "system_us", "read", "written", "storage_read", "storage_written"),
    *("resident_kib", "readings"),
)
_WORDS = ("kind", "name", "metric", "unit")
_KEPT_AT_ZERO = ("used", "resident")
_GAUGE_FIELDS = ("first", "second", "third", "fourth")


class Readings:
    """Readings of processes and gauges, over all logs, as they lie in the log."""

    def __init__(self, logs: list[LogContent]) -> None:
        """Take them out of all logs."""
        self.impossible = 0
        self.of_processes = [self._take(log, PROCESS_SAMPLE) for log in logs]
        self.gauges = [self._take(log, GAUGE) for log in logs]

    def latest_ns(self, offsets: list[Axis]) -> int | None:
        """Return the end of the last one, on UTC."""
        pairs = [*zip(self.of_processes, offsets, strict=True), *zip(self.gauges, offsets, strict=True)]
        return max((int(found["end"].max()) + offset for found, offset in pairs if len(found)), default=None)

    def _take(self, log: LogContent, kind: int) -> Records:
        found, _ = log.agent.pop(kind)
        sound = believable(found)
        self.impossible += int((~sound).sum())
        return found if sound.all() else found[sound]


class Resources:
    """The resources met so far, with their ids from 1."""

    def __init__(self) -> None:
        """Start with none."""
        self._ids: dict[_Key, int] = {}
        self._capacities: list[float | None] = []

    def id_of(self, key: _Key, capacity: float | None) -> int:
        """Return the id of a resource: host, kind, name, metric and unit."""
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = len(self._ids) + 1
            self._capacities.append(capacity)
        return known

    def __len__(self) -> int:
        """Return how many resources there are."""
        return len(self._ids)

    def table(self) -> Arrays:
        """Return the rows of ``resources``."""
        words = {name: texts([key[1:][at] for key in self._ids]) for at, name in enumerate(_WORDS)}
        return {
            "id": np.arange(1, len(self._ids) + 1),
            "host": integers([key[0] for key in self._ids]),
            **words,
            "capacity": floats(self._capacities),
        }


def sample_parts(
    readings: Readings, logs: list[LogContent], hosts: Hosts, processes: Processes, resources: Resources
) -> list[Part]:
    """Return the rows of ``samples``, resource by resource; the resources are added to ``resources``."""
    parts: list[Part] = []
    for at, log in enumerate(logs):
        place = _Place(hosts.ids[at], hosts.offsets[at], resources)
        capacities = {"cpu": hosts.cores(place.host), "memory": hosts.memory_bytes(place.host)}
        parts += _of_processes(readings.of_processes[at], processes.numbers(at), place, capacities)
        parts += _of_gauges(readings.gauges[at], log, place)
        readings.of_processes[at], readings.gauges[at] = none_of(PROCESS_SAMPLE), none_of(GAUGE)
    return parts


@dataclass(frozen=True, slots=True)
class _Place:
    """Where readings are from: the host, the offset of its clock, and the resources met so far."""

    host: int
    offset: Axis
    resources: Resources


def _of_processes(
    found: Records, numbers: tuple[Whole, Whole], place: _Place, capacities: Mapping[str, float | None]
) -> list[Part]:
    owners = np.append(numbers[1], 0)[places(numbers[0], found["owner"])].astype(np.int32)
    chosen = (owners > 0) & (found["end"] > found["start"])
    if not chosen.all():
        found, owners = found[chosen], owners[chosen]
    times = {
        "start_ns": found["start"] + place.offset,
        "end_ns": found["end"] + place.offset,
        "owner": owners,
    }
    took = (found["end"] - found["start"]).astype(np.float64)
    parts: list[Part] = []
    for kind, name, metric, unit, value in _OF_PROCESS:
        values = value(found, took)
        some = values > 0 if metric not in _KEPT_AT_ZERO else np.ones(len(values), np.bool_)
        if some.any():
            resource = place.resources.id_of((place.host, kind, name, metric, unit), capacities.get(kind))
            rows = _chosen({**times, "value": values}, some)
            parts.append({"resource": resource, "scope": Scope.PROCESS.value, **rows})
    return parts


def _of_gauges(found: Records, log: LogContent, place: _Place) -> list[Part]:
    found = found[np.argsort(found["owner"], kind="stable")]
    parts: list[Part] = []
    for note in {note.number: note for note in log.notes.of(Resource)}.values():
        first, last = np.searchsorted(found["owner"], (note.number, note.number + 1))
        if first < last:
            parts += _of_gauge(found[first:last], note, place)
    return parts


def _of_gauge(found: Records, note: Resource, place: _Place) -> list[Part]:
    times = {"start_ns": found["start"] + place.offset, "end_ns": found["end"] + place.offset}
    parts: list[Part] = []
    for (metric, unit), field in zip(note.fields, _GAUGE_FIELDS, strict=False):
        key = (place.host, note.kind, note.name, metric, unit)
        resource = place.resources.id_of(key, _capacity(note, unit))
        rows = _chosen({**times, "value": found[field].copy()}, np.isfinite(found[field]))
        if len(rows["value"]):
            parts.append({"resource": resource, "scope": note.scope, "owner": place.host, **rows})
    return parts


def _chosen(rows: Arrays, some: Marks) -> Arrays:
    """Return some of the rows; all of them share the memory of the others of their log."""
    return rows if some.all() else {name: values[some] for name, values in rows.items()}


def _capacity(note: Resource, unit: str) -> float | None:
    """Return what a gauge can show at most: its note's capacity is of its main unit, a fraction's is 1."""
    if note.kind == "gpu":
        return note.capacity if unit == "bytes" else 1.0 if unit == "fraction" else None
    return note.capacity


def _cpu_us(found: Records) -> _Values:
    spent: _Values = np.add(found["user_us"], found["system_us"], dtype=np.float64)
    return spent


def sampled_sums(readings: Records, numbers: Whole, ids: Whole) -> Arrays:
    """Return what the readings of each process add up to, by process id."""
    owners = np.append(ids, 0)[places(numbers, readings["owner"])]
    count = int(ids.max()) + 1 if len(ids) else 1
    sums = {name: np.bincount(owners, readings[name], count) for name in SUMMED[:6]}
    peaks = np.zeros(count)
    np.maximum.at(peaks, owners, readings["resident_kib"])
    return {**sums, "resident_kib": peaks, "readings": np.bincount(owners, minlength=count)}
