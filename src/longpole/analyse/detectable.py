"""How large a difference so many runs would have shown, by the noise that they had.

Method: residuals (what runs lie off the median of their group) are drawn with replacement, as many for two
groups as these had, up to two thousand times, from a fixed seed. Of each drawing it is found by how much one
group must be shifted until the rank-sum test shows it. Nine in ten drawings are shown at the 0.9 quantile of
these shifts. Residuals are made larger by the root of n / (n - groups), as the median was fitted to them.
Left out: noise that these runs did not happen to meet, which matters most where they are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from longpole.analyse.arrays import Numbers
from longpole.analyse.rank_sum import beyond
from longpole.model.comparison import POWER

_SEED = 1979
# How often is drawn: so often, or as often as makes so many differences, but hundreds of times at least.
_MOST_DRAWN, _MOST_DIFFERENCES, _LEAST_DRAWN = 2000, 400_000, 400
# How many differences are in memory at once.
_AT_ONCE = 4_000_000
_MOST_NEEDED = 1000


def seen_shift(one: Numbers, other: Numbers, level: float) -> float | None:
    """Return the shift from which on a difference would have been seen with a probability of 0.9.

    Args:
        one: Logarithms of the times of one group, without drift.
        other: Of the other.
        level: What p must not exceed; None is returned where so few runs never get there.
    """
    cut = beyond(len(one), len(other), level)
    if not cut:
        return None
    pool = residuals(one, other)
    if not pool.any():
        return 0.0
    drawn = np.random.default_rng(_SEED)
    times = max(_LEAST_DRAWN, min(_MOST_DRAWN, _MOST_DIFFERENCES // (len(one) * len(other))))
    first, second = (drawn.choice(pool, (times, len(group))) for group in (one, other))
    step = max(1, _AT_ONCE // (len(one) * len(other)))
    needed = np.concatenate(
        [_needed_shifts(first[at : at + step], second[at : at + step], cut) for at in range(0, times, step)]
    )
    return max(0.0, float(np.quantile(needed, POWER)))


def _needed_shifts(first: Numbers, second: Numbers, cut: int) -> Numbers:
    """Return by how much the second of two groups must be shifted to be shown, for each drawing."""
    every = (second[:, None, :] - first[:, :, None]).reshape(len(first), -1)
    return -np.partition(every, cut - 1, axis=1)[:, cut - 1]


def runs_needed(seen: float, wanted: float, sizes: Sequence[int]) -> int | None:
    """Return how many runs of each group would show a shift: noise falls with the root of their number.

    Args:
        seen: The shift that these runs would have shown.
        wanted: The one that is to be shown.
        sizes: How many runs there are of the two groups.

    Returns:
        None for more than a thousand.
    """
    now = 2 / sum(1 / size for size in sizes)
    if wanted <= 0 or now * (seen / wanted) ** 2 > _MOST_NEEDED:
        return None
    return max(math.ceil(now * (seen / wanted) ** 2), math.ceil(now) + 1)


def residuals(one: Numbers, other: Numbers) -> Numbers:
    """Return what the numbers of two groups lie off their medians, made as large as noise is."""
    pool = np.concatenate([one - np.median(one), other - np.median(other)])
    return pool * math.sqrt(len(pool) / max(1, len(pool) - 2))
