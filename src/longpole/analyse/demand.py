"""What each process wants of the cores, and how long it would take if it had them for itself.

Method: the kernel tells how long the threads of a process ran, and how long they could have run but waited
for a core. Without the waits it would have taken so much less; of threads that ran side by side, the same
share less. Where nobody told of waits, a process that was not on a core while all cores were busy waited for
one. It wants the time it ran over that shorter time. What a worker of a pool did is taken for done in the
jobs it marked. Cores for the run are those of the host less what others used in the mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole
from longpole.analyse.pools import JOBS
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
        there: How many cores there are for the run; 0 if that is not known.
        needed: Which share of that it needs by itself, and not because it waits for others by a pipe; None
            for all of it.
    """

    cores: Shares
    alone: Shares
    there: float = 0.0
    needed: Shares | None = None

    def of(self, places: Whole) -> Demand:
        """Return that of some phases."""
        needed = None if self.needed is None else self.needed[places]
        return Demand(self.cores[places], self.alone[places], self.there, needed)


@dataclass(frozen=True, slots=True, eq=False)
class CoreTime:
    """How processes spent their time, by id.

    Attributes:
        ran_ns: How long threads of it were on a core.
        waited_ns: How long they waited for one; missing where nobody told.
    """

    ran_ns: Mapping[int, float]
    waited_ns: Mapping[int, float]


@dataclass(frozen=True, slots=True, eq=False)
class BusyCores:
    """How many cores of a host were in use, by intervals in their order."""

    starts_ns: Whole
    ends_ns: Whole
    cores: Shares
    capacity: float

    def mean(self) -> float:
        """Return how many cores were in use in the mean."""
        lengths = (self.ends_ns - self.starts_ns).astype(np.float64)
        return float(np.average(self.cores, weights=lengths)) if lengths.sum() else 0.0

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


def demand(tree: Tree, times: CoreTime, busy: BusyCores | None) -> Demand:
    """Return what processes want of the cores.

    Args:
        tree: The phases of the run.
        times: How its processes spent their time.
        busy: How the cores of the host were used; None if that is not known.
    """
    places = tree.places_of_kind("process")
    places = places[np.isin(tree.process[places], list(times.ran_ns))]
    ids = tree.process[places].tolist()
    ran = np.array([times.ran_ns[process] for process in ids], np.float64)
    active = _active_ns(tree, places)
    waited = _waited_ns(tree, places, times, busy, np.maximum(active - ran, 0.0))
    on_core = np.minimum(active, ran + waited)
    lost = on_core * waited / np.maximum(ran + waited, 1.0)
    most = (
        busy.capacity if busy is not None else np.inf
    )  # lives are known to a tick, and may come out too short
    alone = {process: float(1.0 - one) for process, one in zip(ids, lost / active, strict=True)}
    cores = {
        process: min(float(one), most)
        for process, one in zip(ids, ran / np.maximum(active - lost, 1.0), strict=True)
    }
    of_phase = tree.process.tolist()
    return Demand(
        np.array([cores.get(process, 0.0) for process in of_phase], np.float64),
        np.array([alone.get(process, 1.0) for process in of_phase], np.float64),
        _cores_for_run(tree, float(sum(times.ran_ns.values())), busy),
    )


def _active_ns(tree: Tree, places: Whole) -> Shares:
    """Return for how long each process had something to do: its jobs if it marked some, else its life."""
    lived = (tree.end_ns[places] - tree.start_ns[places]).astype(np.float64)
    jobs = tree.places_of_kind(*JOBS)
    if not len(jobs):
        return lived
    in_jobs = np.bincount(tree.process[jobs], tree.end_ns[jobs] - tree.start_ns[jobs])
    own = in_jobs[np.minimum(tree.process[places], len(in_jobs) - 1)]
    known = (tree.process[places] < len(in_jobs)) & (own > 0) & (own < lived)
    return np.where(known, own, lived)


def _waited_ns(tree: Tree, places: Whole, times: CoreTime, busy: BusyCores | None, idle_ns: Shares) -> Shares:
    """Return how long threads of each process waited for a core, as told or, where nobody did, as likely."""
    full = np.zeros(len(places))
    if busy is not None:
        full = busy.saturated_share(tree.start_ns[places], tree.end_ns[places])
    likely = idle_ns * full
    told = [times.waited_ns.get(process) for process in tree.process[places].tolist()]
    return np.array([one if one is not None else guess for one, guess in zip(told, likely, strict=True)])


def _cores_for_run(tree: Tree, ran_ns: float, busy: BusyCores | None) -> float:
    """Return how many cores others left in the mean; never fewer than the run used."""
    took = float(tree.end_ns[0] - tree.start_ns[0]) if len(tree) else 0.0
    if busy is None or not took:
        return 0.0
    ours = ran_ns / took
    return max(busy.capacity - max(busy.mean() - ours, 0.0), min(ours, busy.capacity))
