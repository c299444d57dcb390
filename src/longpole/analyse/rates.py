"""How much phases of each group use while they are active: learned where samples are too coarse to show it.

Method: where nearly all of every sample's mass falls to one group if weights are equal, those of the others
do not matter; where all samples have about the same rate for each active phase, there is nothing to learn
from them but noise. Otherwise weights are learned by least squares, which takes a library that is slow to
load. A weight whose standard error is more than half of the mean of all is not believed, and that mean takes
its place. A group that is found to use nothing keeps a very small weight: what is used where nothing else is
active is its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, distinct, over, sums, whole
from longpole.analyse.attribution import attribute
from longpole.analyse.levels import level
from longpole.analyse.observations import observations
from longpole.model.attribution import Attribution, Demand, KindWeight, Resource, Workload
from longpole.model.columns import Columns

# The share of all mass that may fall to another group of the same sample before weights are learned.
_MOST_SHARED = 0.05
# Rates of samples that differ by less from their mean are noise.
_MOST_EVEN = 0.06
_LEAST_WEIGHT = 1e-3
_MOST_ERROR = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Use given to phases, and groups that samples cannot tell apart."""

    attribution: Attribution
    alike: tuple[tuple[str, ...], ...] = ()


def give(work: Workload, samples: Columns, resource: Resource) -> Given:
    """Return what each phase used; its kind is the group that it belongs to, and no rule is known of any."""
    shared, spread = _shares(work, samples)
    if shared <= _MOST_SHARED or spread <= _MOST_EVEN:
        groups = work.phases["kind"].words or ()
        return Given(attribute(work, samples, resource, dict.fromkeys(groups, Demand.variable())))
    from longpole.analyse.weights import learn_weights

    learned = learn_weights(work, samples)
    mass = float(observations(samples, work.window).mass.sum())
    mean = mass / (sum(one.active_s for one in learned.kinds) or 1.0)
    demands = {one.kind: Demand.variable(_weight(one, mean)) for one in learned.kinds}
    return Given(attribute(work, samples, resource, demands), learned.alike)


def newest(work: Workload, moments: Whole) -> Whole:
    """Return the row of the phase that began last of those before each moment; below zero if there is none.

    Where phases overlap, as those of threads do, this is one of them; where none is active, it has ended.
    """
    start = whole(work.phases["start_ns"])
    order = np.argsort(start, kind="stable")
    place = np.searchsorted(start[order], moments, "right") - 1
    return np.where(place >= 0, order[np.maximum(place, 0)], -1) if len(order) else place


def per_group(work: Workload, values: Numbers) -> Numbers:
    """Return values of phases, added up by group."""
    return sums(whole(work.phases["kind"]), values, len(work.phases["kind"].words or ()))


def _weight(one: KindWeight, mean: float) -> float:
    """Return a weight that can be believed: the mean of all where samples hardly tell this group's."""
    if one.weight is None or one.error is None or one.error > _MOST_ERROR * mean:
        return mean
    return max(one.weight, _LEAST_WEIGHT * mean)


def _shares(work: Workload, samples: Columns) -> tuple[float, float]:
    """Return two shares of all mass, by which it is judged whether weights matter.

    What equal weights would not give to the largest group of its sample; and by how much the rates of
    samples, for each active phase, differ from their mean, on average.
    """
    observed = observations(samples, work.window)
    start, end, group = (whole(work.phases[name]) for name in ("start_ns", "end_ns", "kind"))
    times = np.zeros((1, len(observed)))
    for one in distinct(group).tolist():
        mine = group == one
        active = level(start[mine], end[mine], np.ones(int(mine.sum()))).integral()
        times = np.vstack((times, active.over(observed.start, observed.end)))
    every = times.sum(axis=0)
    mass = np.where(every > 0, observed.mass, 0.0)
    if not mass.sum() > 0:
        return 0.0, 0.0
    elsewhere = mass * over(every - times.max(axis=0), every)
    even = every * mass.sum() / every.sum()
    return float(elsewhere.sum() / mass.sum()), float(np.abs(mass - even).sum() / mass.sum())
