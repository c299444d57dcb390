"""Blocked time: which blocking resource held each phase, for how long, and for how long alone.

Method: intervals of one phase and resource are joined first, so that none counts twice. Then one sweep over
the begins and ends of each phase counts how many resources hold it; while it is one, the running sum of the
holders' numbers is that one's number. To remove a resource frees only the time that it holds a phase alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import NANOSECONDS, Numbers, Whole, sums, whole
from longpole.analyse.intervals import Intervals, union
from longpole.analyse.pieces import Activity
from longpole.model.attribution import Workload


@dataclass(frozen=True, slots=True, eq=False)
class Blocked:
    """One row for each phase and blocking resource that held it.

    Attributes:
        names: The blocking resources.
        row: The row of the phase.
        resource: The place of the resource in ``names``.
        held_s: How long it held the phase.
        alone_s: How long no other held it at the same time.
        blocked_s: How long anything held a phase, by the row of the phase.
    """

    names: tuple[str, ...]
    row: Whole
    resource: Whole
    held_s: Numbers
    alone_s: Numbers
    blocked_s: Numbers


def blocked_time(work: Workload, found: Activity) -> Blocked:
    """Return what held the phases, within the window."""
    names = work.blocking["resource"].words or ("",)
    resource = whole(work.blocking["resource"])[found.blocked_by]
    blocked = found.blocked
    each = union(Intervals(blocked.row * len(names) + resource, blocked.start, blocked.end))
    keys, place = np.unique(each.row, return_inverse=True)
    numbered = Intervals(place.astype(np.int64), each.start, each.end)
    return Blocked(
        names=names,
        row=keys // len(names),
        resource=keys % len(names),
        held_s=numbered.summed(len(keys)),
        alone_s=_alone(numbered, keys // len(names)),
        blocked_s=union(blocked).summed(found.phases),
    )


def _alone(numbered: Intervals, phase: Whole) -> Numbers:
    """Return the seconds in which each row's intervals are the only ones of the row's phase."""
    place = np.concatenate((numbered.row, numbered.row))
    moments = np.concatenate((numbered.start, numbered.end))
    step = np.repeat(np.array((1, -1)), (len(numbered), len(numbered)))
    order = np.lexsort((moments, phase[place]))
    holders, holder = np.cumsum(step[order]), np.cumsum((step * place)[order])
    lasts = np.diff(moments[order], append=0) / NANOSECONDS
    alone = holders == 1
    return sums(holder[alone], lasts[alone], len(phase))
