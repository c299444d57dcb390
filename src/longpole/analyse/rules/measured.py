"""What was measured of resources, over time: curves whose pieces are the intervals between samples.

Method: the samples of one scope, kind and metric are added up over owners, and their mean is taken over each
piece. Time without a sample counts as zero. Of several hosts, cores are added up and pressure is averaged:
one full host among many is then not seen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case
from longpole.analyse.tree import Marks, known_rows, numbers
from longpole.model.columns import Column, Columns

Numbers = NDArray[np.float64]
# Metrics of a host's cores that are work, and the one that is waiting.
BUSY = ("user", "system")
IO_WAIT = "waiting for I/O"


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Samples.

    Attributes:
        starts_ns: When each begins.
        ends_ns: When each ends.
        values: The mean over it.
        owners: Id of the host or process that it is of.
        capacities: The most that it can be; NaN if that is not known.
    """

    starts_ns: Whole
    ends_ns: Whole
    values: Numbers
    owners: Whole
    capacities: Numbers

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.values)

    def only(self, some: Marks | Whole) -> Rows:
        """Return some of them."""
        return Rows(*(getattr(self, name)[some] for name in Rows.__slots__))

    @property
    def capacity(self) -> float:
        """The capacities of all owners together; 0 if none is known."""
        known = self.only(~np.isnan(self.capacities))
        _, firsts = np.unique(known.owners, return_index=True)
        return float(known.capacities[firsts].sum())


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """A value over time: ``values[n]`` from ``edges[n]`` to ``edges[n + 1]``."""

    edges: Whole
    values: Numbers

    def times(self, other: Numbers | float) -> Curve:
        """Return the curve, each piece multiplied."""
        return replace(self, values=self.values * other)

    def integral(self, starts_ns: Whole, ends_ns: Whole) -> Numbers:
        """Return the value times nanoseconds over intervals; nothing outside the curve."""
        if len(self.edges) < 2:
            return np.zeros(len(starts_ns))
        total = np.r_[0.0, np.cumsum(self.values * np.diff(self.edges))]
        at = [
            np.interp(moments - self.edges[0], self.edges - self.edges[0], total)
            for moments in (ends_ns, starts_ns)
        ]
        found: Numbers = at[0] - at[1]
        return found

    def mean(self, start_ns: int, end_ns: int) -> float:
        """Return the mean over an interval, parts outside the curve counting as zero."""
        mass = self.integral(np.array([start_ns]), np.array([end_ns]))
        return float(mass[0]) / max(1, end_ns - start_ns)


def rows(case: Case, kind: str, *metrics: str, scope: str = "host") -> Rows:
    """Return the samples of a kind of resource that have a length."""
    samples = case.samples
    wanted = _are(samples, "kind", kind) & _are(samples, "scope", scope) & _are(samples, "metric", *metrics)
    found = Rows(
        numbers(samples["start_ns"]),
        numbers(samples["end_ns"]),
        _floats(samples["value"]),
        np.where(known_rows(samples["owner"]), numbers(samples["owner"]), 0),
        _floats(samples["capacity"]),
    )
    return found.only(wanted & (found.ends_ns > found.starts_ns) & ~np.isnan(found.values))


def edges_of(found: Rows) -> Whole:
    """Return the moments at which samples begin and end."""
    return np.unique(np.r_[found.starts_ns, found.ends_ns])


def summed(found: Rows, edges: Whole) -> Curve:
    """Return samples added up over their owners."""
    if not len(found) or len(edges) < 2:
        return Curve(edges, np.zeros(max(0, len(edges) - 1)))
    moments = np.r_[found.starts_ns, found.ends_ns]
    order = np.argsort(moments, kind="stable")
    moments = moments[order]
    heights = np.cumsum(np.r_[found.values, -found.values][order])
    total = np.r_[0.0, np.cumsum(heights[:-1] * np.diff(moments))]
    at = np.interp(edges - moments[0], moments - moments[0], total)
    return Curve(edges, np.maximum(np.diff(at), 0.0) / np.diff(edges))


def averaged(found: Rows) -> Curve | None:
    """Return samples averaged over their owners, on their own pieces; nothing if there are none."""
    if not len(found):
        return None
    return summed(found, edges_of(found)).times(1.0 / len(np.unique(found.owners)))


def pressure(case: Case, metric: str) -> Curve | None:
    """Return the share of time in which tasks waited: ``memory some``, ``io full`` and so on."""
    found = averaged(rows(case, "pressure", metric))
    return None if found is None else replace(found, values=np.minimum(found.values, 1.0))


def cores_used(case: Case, processes: Whole, start_ns: int, end_ns: int) -> float | None:
    """Return how many cores processes used over an interval; nothing if none of them was sampled."""
    found = rows(case, "cpu", "used", scope="process")
    found = found.only(np.isin(found.owners, processes))
    if not len(found):
        return None
    return float(summed(found, np.array([start_ns, end_ns])).values[0])


def cpu_ns(case: Case) -> Numbers:
    """Return the CPU time that each phase's process used during it; NaN where it was not sampled."""
    tree, used = case.tree, rows(case, "cpu", "used", scope="process")
    found = np.full(len(tree), np.nan)
    by_process, by_owner = np.argsort(tree.process, kind="stable"), np.argsort(used.owners, kind="stable")
    for process in np.intersect1d(tree.process[tree.process > 0], used.owners).tolist():
        places = by_process[slice(*np.searchsorted(tree.process[by_process], (process, process + 1)))]
        mine = by_owner[slice(*np.searchsorted(used.owners[by_owner], (process, process + 1)))]
        own = used.only(mine)
        curve = summed(own, edges_of(own))
        found[places] = curve.integral(tree.start_ns[places], tree.end_ns[places])
    return found


def _are(samples: Columns, name: str, *words: str) -> Marks:
    column = samples[name]
    wanted = [at for at, word in enumerate(column.words or ()) if word in words]
    return np.isin(numbers(column), wanted) & known_rows(column)


def _floats(column: Column) -> Numbers:
    values = np.asarray(column.values).astype(np.float64)
    return np.where(known_rows(column), values, np.nan)
