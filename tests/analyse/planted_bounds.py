"""Runs whose use of resources is planted: phases of processes, what they used, and what the host did."""

from __future__ import annotations

from typing import Any

from longpole.analyse.bounds import Usage, bounds
from longpole.analyse.process_samples import ProcessSamples
from longpole.model.bounds import Bound, Bounded
from longpole.model.columns import Columns, floats, integers, texts
from longpole.model.execution import Metric
from tests.analyse.planted import Planted, S


class PlantedUse(Planted):
    """A run with one host; times are in seconds from its begin."""

    def __init__(self, makespan_s: float, cores: int = 2) -> None:
        """Begin with the run itself."""
        super().__init__(makespan_s, cores)
        self._processes: list[tuple[int, float, float]] = []
        self._read: list[tuple[str, str, int, float, float, float]] = []
        self._totals: list[tuple[int, str, float]] = []

    def process(self, name: str, start_s: float, end_s: float, parent: int = 1) -> int:
        """Put down a process; return the id of its phase. Its own id is that of the phase, too."""
        place = self.phase("process", name, start_s, end_s, parent, process=len(self._phases) + 1)
        self._processes.append((place, start_s, end_s))
        return place

    def read(
        self,
        process: int,
        start_s: float,
        end_s: float,
        value: float,
        kind: str = "cpu",
        metric: str = "used",
    ) -> None:
        """Put down what a process used from one reading to the next."""
        self._read.append((kind, metric, process, start_s, end_s, value))

    def total(self, process: int, metric: Metric, value: float) -> None:
        """Put down what a process used over its life."""
        self._totals.append((process, metric, value))

    def host(self, start_s: float, end_s: float, cores: float) -> None:
        """Put down how many cores the host used."""
        self.sample("cpu", "user", start_s, end_s, cores, name="all cores", owner=1, capacity=self._cores)

    def usage(self) -> Usage:
        """Return what was measured of processes."""
        ids, starts, ends = zip(*self._processes, strict=True) if self._processes else ((), (), ())
        processes = {
            "id": integers(ids),
            "host": integers([1 for _ in ids]),
            "start_ns": integers([round(moment * S) for moment in starts]),
            "end_ns": integers([round(moment * S) for moment in ends]),
        }
        hosts = {"id": integers([1]), "cores": integers([self._cores])}
        return Usage(Columns(processes), Columns(hosts), self.process_samples())

    def process_samples(self) -> ProcessSamples:
        """Return what processes used."""
        kinds, metrics, owners, starts, ends, values = columns_of(self._read, 6)
        samples = {
            "kind": texts(kinds),
            "metric": texts(metrics),
            "owner": integers(owners),
            "start_ns": integers([round(moment * S) for moment in starts]),
            "end_ns": integers([round(moment * S) for moment in ends]),
            "value": floats(values),
        }
        owners, metrics, values = columns_of(self._totals, 3)
        totals = {"process": integers(owners), "metric": texts(metrics), "value": floats(values)}
        return ProcessSamples(Columns(samples), Columns(totals))

    def bounded(self, **more: Any) -> Bounded:
        """Return what bounds its phases."""
        return bounds(self.case(), self.usage(), **more)

    def bound(self, what: str) -> Bound:
        """Return what bounds phases of one name."""
        return next(one for one in self.bounded().bounds if one.what == what)


def columns_of(rows: list[Any], count: int) -> list[list[Any]]:
    """Rows as so many lists."""
    return [[row[at] for row in rows] for at in range(count)]


def held(bound: Bound) -> dict[tuple[str, str], float]:
    """Shares by what held phases, and how."""
    return {(one.resource, one.how.value): one.share for one in bound.held}


def used(bound: Bound, resource: str = "cores") -> float:
    """What phases used of a resource."""
    return next((one.mean for one in bound.uses if one.resource == resource), 0.0)


def gains(bound: Bound) -> dict[str, float]:
    """What phases could gain by themselves, by resource."""
    return {one.resource: one.seconds for one in bound.gains}
