"""Interference: what others used of a host's resource while the run wanted it.

Method: in each sample of the host, others are what is left of its use after the run's own, which is the mean
of all its processes' samples over the same time. The two are read at different moments, so single samples err
both ways: over the run the errors cancel before anything is cut off at zero, in a single sample they do not.
Time counts as contended while the host uses 0.95 of the capacity or more, others at least 0.02 of it (less is
within the error of the samples), and the run at least as much.

Limits: the recorder is one of the others unless its samples are among ``ours``. Time without a sample of the
host tells nothing; without one of the run, the run used nothing. Bytes that a process wrote reach the disk
later, and then nobody's name is on them. Capacities of disks and networks are mostly not known, and
contention of them then neither. For CPU the host's samples are user and system time together; with stolen
time among them, other guests of the machine are others too.
"""

from __future__ import annotations

import math

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, column, over, seconds
from longpole.analyse.levels import Level, level
from longpole.analyse.observations import readings
from longpole.model.attribution import SATURATED, Resource
from longpole.model.columns import Columns
from longpole.model.interference import Interference

# The least part of a capacity that counts as a share.
LEAST_SHARE = 0.02
_ROUNDING = 1e-9


def interference(host: Columns, ours: Columns, resource: Resource) -> Interference:
    """Return what others used of a resource.

    Args:
        host: Columns ``start_ns``, ``end_ns`` and ``value``: the host's use. Samples that overlap
            are parts of it and add up (user and system time; reads of several disks).
        ours: The same columns: use of the run's processes, which adds up too.
        resource: What was sampled, in the unit of both.
    """
    all_use, our_use = _level(host), _level(ours)
    some = all_use.some[:-1]
    start, end = all_use.moments[:-1][some], all_use.moments[1:][some]
    together, length = all_use.value[:-1][some], seconds(start, end)
    own = over(our_use.integral().over(start, end), length)
    others = np.maximum(together - own, 0.0)
    sampled_s, used, our_mass = (float(one.sum()) for one in (length, together * length, own * length))
    rest = max(0.0, used - our_mass)
    known = math.isfinite(resource.capacity)
    contended = _contended(together, own, others, resource.capacity)
    return Interference(
        intervals=_intervals((start, end), together, own, others),
        sampled_s=sampled_s,
        host=used,
        ours=our_mass,
        others=rest,
        others_share=rest / (resource.capacity * sampled_s) if known and sampled_s else None,
        contended_s=float((contended * length).sum()) if known else None,
    )


def _level(samples: Columns) -> Level:
    found = readings(samples)
    return level(found.start, found.end, found.rate)


def _contended(together: Numbers, own: Numbers, others: Numbers, capacity: float) -> Numbers:
    """Return one where others took a share of what the run wanted, and zero elsewhere."""
    full = np.maximum(together, own + others) >= (SATURATED - _ROUNDING) * capacity
    share = LEAST_SHARE * capacity
    return (full & (others >= share) & (own >= share)).astype(np.float64)


def _intervals(times: tuple[Whole, Whole], together: Numbers, own: Numbers, others: Numbers) -> Columns:
    return Columns(
        {
            "start_ns": column(times[0]),
            "end_ns": column(times[1]),
            "host": column(together),
            "ours": column(own),
            "others": column(others),
        }
    )
