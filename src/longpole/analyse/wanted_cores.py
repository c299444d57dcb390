"""Cores that phases wanted: all of the host's, or as many as they can use by themselves.

Method: a phase can use as many cores as it used when it computed: the median of its group by core-seconds,
rounded, and one at least; rounded up where all cores of the host were in use, for it may have got less than
it could use. So many are its exact demand: a phase that uses 0.95 of them is held by its own cores, and more
cores of the host would change nothing. Where it uses less, but at least 0.2 of a core, and all cores of the
host are in use (0.95 of them), it is held by the host's.

Source: section 3 of the execution model, but that a phase which has all the cores that it can use is never
held by the host's. Limits: a phase whose threads wait for each other half of the time looks as if it could
use fewer. How long a phase was ready and had no core is not recorded: one that many others leave less than
0.2 of a core looks as if it waited, and one that uses more and waits for something else as if it lacked some.
"""

from __future__ import annotations

import numpy as np

from longpole.analyse.arrays import Marks, Numbers, Whole, column, numbers, over, seconds, whole
from longpole.analyse.attribution import attribute
from longpole.analyse.levels import Level, level
from longpole.analyse.rates import newest
from longpole.model.attribution import SATURATED, Attribution, Demand, Workload
from longpole.model.columns import Columns

# A phase that uses less of a core on a full host is taken to wait for something else, not for a core.
LEAST_CORES = 0.2
_ROUNDING_UP = 0.05


def own_cores(work: Workload, given: Attribution, host: Numbers) -> Numbers:
    """Return how many cores a phase of each group can use by itself, one at least.

    Args:
        work: The phases.
        given: The use of cores that was given to them.
        host: How many cores the host used in each piece of that; zero if it is not known.
    """
    start, used, length = _pieces(given)
    group = _group(work, start)
    each = over(used, _at_once(work).at(start))
    whole_cores = np.where(_full(given, host, used), np.ceil(each - _ROUNDING_UP), np.round(each))
    groups = len(work.phases["kind"].words or ())
    found = [_median(whole_cores[group == at], (each * length)[group == at]) for at in range(groups)]
    return np.minimum(np.maximum(found, 1.0), max(given.resource.capacity, 1.0))


def hold_by_cores(work: Workload, given: Attribution, own: Numbers, host: Numbers) -> Attribution:
    """Return use of cores by which ``bottlenecks`` can tell what held each phase.

    Args:
        work: The phases.
        given: The use of cores that was given to them.
        own: How many cores a phase of each group can use.
        host: How many cores the host used in each piece of that; zero if it is not known.
    """
    start, used, _ = _pieces(given)
    capacity = given.resource.capacity
    can_use = np.append(own, 0.0)[_group(work, start)] * _at_once(work).at(start)
    lacks = (used >= LEAST_CORES) & ((used < SATURATED * can_use) | (can_use >= capacity))
    value = np.where(_full(given, host, used) & lacks, capacity, np.minimum(used, can_use))
    value = np.where(lacks, value, np.minimum(value, np.nextafter(SATURATED * capacity, 0.0)))
    table = {"start_ns": column(start), "end_ns": given.pieces["end_ns"], "value": column(value)}
    groups = work.phases["kind"].words or ()
    demands = {group: Demand.exact(float(amount)) for group, amount in zip(groups, own, strict=True)}
    return attribute(work, Columns(table), given.resource, demands)


def _full(given: Attribution, host: Numbers, used: Numbers) -> Marks:
    full: Marks = np.maximum(host, used) >= SATURATED * given.resource.capacity
    return full


def _group(work: Workload, moments: Whole) -> Whole:
    """Return the group of the phase that began last before each moment; below zero if there is none."""
    row = newest(work, moments)
    return np.where(row >= 0, whole(work.phases["kind"])[row], -1) if work.phases.rows else row


def _at_once(work: Workload) -> Level:
    start, end = whole(work.phases["start_ns"]), whole(work.phases["end_ns"])
    return level(start, end, np.ones(len(start)))


def _pieces(given: Attribution) -> tuple[Whole, Numbers, Numbers]:
    """Return when pieces begin, what phases used in them, and how long they are."""
    start, end = whole(given.pieces["start_ns"]), whole(given.pieces["end_ns"])
    used = np.maximum(numbers(given.pieces["used"]) - numbers(given.pieces["background"]), 0.0)
    return start, used, seconds(start, end)


def _median(values: Numbers, weights: Numbers) -> float:
    """Return the value below which half of the weight lies; zero if there is none."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order])
    if not len(below) or below[-1] <= 0:
        return 0.0
    return float(values[order][np.searchsorted(below, below[-1] / 2)])
