"""What each process wants of the cores, and how long it would take if it had them for itself.

Method: a process that was not on a core while all cores were busy waited for one; while some were free, it
waited for something else. So of the time it was not on a core, the share in which the host was saturated is
contention, and without that it would have taken so much less. It wants its CPU time over that shorter time.
Takes for granted that others, who kept the cores busy, were phases of the run too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.tree import Tree, numbers
from longpole.analyse.values import number
from longpole.model.columns import Columns

Shares = NDArray[np.float64]
SATURATED = 0.95


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """By place of a phase.

    Attributes:
        cores: How many cores it wants while it runs; 0 where that is not known.
        alone: Which share of its recorded time it would take alone.
    """

    cores: Shares
    alone: Shares


@dataclass(frozen=True, slots=True, eq=False)
class BusyCores:
    """How many cores of a host were in use, by intervals in their order."""

    starts_ns: Whole
    ends_ns: Whole
    cores: Shares
    capacity: float

    def saturated_share(self, starts_ns: Whole, ends_ns: Whole) -> Shares:
        """Return in which share of each interval all cores were in use; 0 where nothing was sampled."""
        full = (self.cores >= SATURATED * self.capacity).astype(np.float64)
        length = (self.ends_ns - self.starts_ns).astype(np.float64)
        moments = np.concatenate([self.starts_ns[:1], self.ends_ns]).astype(np.float64)
        every = np.concatenate([[0.0], np.cumsum(length)])
        of_full = np.concatenate([[0.0], np.cumsum(full * length)])
        if len(moments) < 2:
            return np.zeros(len(starts_ns))
        ends = [np.interp(at.astype(np.float64), moments, every) for at in (starts_ns, ends_ns)]
        filled = [np.interp(at.astype(np.float64), moments, of_full) for at in (starts_ns, ends_ns)]
        seen = ends[1] - ends[0]
        found: Shares = np.where(seen > 0, (filled[1] - filled[0]) / np.where(seen > 0, seen, 1.0), 0.0)
        return found


def busy_cores(samples: Columns) -> BusyCores | None:
    """Return how the cores of the first host were used; None if that was not sampled.

    Args:
        samples: Columns ``start_ns``, ``end_ns``, ``cores`` and ``capacity``, in order.
    """
    if not samples.rows or not (capacity := number(samples["capacity"][0])):
        return None
    cores = np.asarray(samples["cores"].values).astype(np.float64)
    return BusyCores(numbers(samples["start_ns"]), numbers(samples["end_ns"]), cores, capacity)


def demand(tree: Tree, cpu_ns: Mapping[int, float], busy: BusyCores | None) -> Demand:
    """Return what processes want of the cores.

    Args:
        tree: The phases of the run.
        cpu_ns: CPU time by id of the process.
        busy: How the cores of the host were used; None if that is not known.
    """
    cores, alone = np.zeros(len(tree)), np.ones(len(tree))
    places = tree.places_of_kind("process", "exec", "job")
    used = np.array([cpu_ns.get(int(process), 0.0) for process in tree.process[places]])
    wall = (tree.end_ns[places] - tree.start_ns[places]).astype(np.float64)
    full = np.zeros(len(places))
    if busy is not None:
        full = busy.saturated_share(tree.start_ns[places], tree.end_ns[places])
    contended = np.maximum(0.0, wall - used) * full
    alone[places] = (wall - contended) / wall
    cores[places] = used / np.maximum(wall - contended, 1.0)
    return Demand(cores, alone)
