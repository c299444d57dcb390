"""Whether one group of numbers lies above another, and by how much: ranks, exactly.

Method: the rank-sum test (Wilcoxon 1945; Mann and Whitney 1947), an exact permutation test: of all ways to
deal the pooled numbers to the two groups, how many have a sum of ranks as far out as the one seen. Equal
numbers share their mean rank; all ways are counted all the same. The shift is the median of all differences
of a number of one group and one of the other (Hodges and Lehmann 1963), and its interval is made of all
shifts that the test does not reject, so that the two never disagree, unless numbers are equal. It asks no
normal distribution, and one wild number is no more than the largest rank. Left out: groups that differ in
their spread and not in their place. Beyond ``_MOST_EXACT`` numbers, a normal distribution stands for the
sum of ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import comb, sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from longpole.analyse.arrays import Numbers

_MOST_EXACT = 120


def p_value(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how often, of all ways to deal the numbers, the groups lie as far apart: in either direction.

    Examples:
        >>> p_value([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
        0.1
        >>> p_value([1.0, 1.0], [1.0, 1.0])
        1.0
    """
    doubled = _doubled_ranks([*one, *other])
    seen = sum(doubled[len(one) :])
    if len(doubled) > _MOST_EXACT:
        return _normal_p(doubled, len(other), seen)
    chances = _chances(tuple(sorted(doubled)), len(other))
    return float(min(1.0, 2 * min(chances[: seen + 1].sum(), chances[seen:].sum())))


def least_p(one: int, other: int) -> float:
    """Return the smallest p that groups of these sizes can give.

    Examples:
        >>> least_p(3, 3), round(least_p(5, 5), 4)
        (0.1, 0.0079)
    """
    return min(1.0, 2 / comb(one + other, one))


def differences(one: Numbers, other: Numbers) -> Numbers:
    """Return the differences of each number of the other group and each of the one, in their order."""
    return np.sort((other[None, :] - one[:, None]).ravel())


def beyond(one: int, other: int, level: float) -> int:
    """Return how many of the ordered differences lie beyond the interval of the shift, at each of its ends.

    Args:
        one: Size of one group.
        other: Size of the other.
        level: How often the interval may miss; 0 is returned where these sizes give no such interval.

    Examples:
        >>> beyond(10, 10, 0.05), beyond(3, 3, 0.05)
        (24, 0)
    """
    if one + other > _MOST_EXACT:
        mean, sd = one * other / 2, sqrt(one * other * (one + other + 1) / 12)
        return max(0, int(mean - 0.5 + sd * float(ndtri(level / 2))) + 1)
    ranks = tuple(range(2, 2 * (one + other) + 1, 2))
    chances = _chances(ranks, other)[other * (other + 1) :: 2]  # of how many differences are below zero
    return int((np.cumsum(chances) <= level / 2 * (1 + 1e-12)).sum())


def _doubled_ranks(numbers: Sequence[float]) -> list[int]:
    """Return twice the rank of each number: whole even where equal ones share a rank."""
    _, places, counts = np.unique(np.asarray(numbers), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    doubled = 2 * last - counts + 1
    return [int(rank) for rank in doubled[places]]


@lru_cache(maxsize=256)
def _chances(doubled: tuple[int, ...], chosen: int) -> Numbers:
    """Return how probable each sum of so many of these ranks is, from 0 on, if chance chooses them."""
    ways = np.zeros((chosen + 1, sum(doubled) + 1))
    ways[0, 0] = 1.0
    for rank in doubled:
        ways[1:, rank:] += ways[:-1, :-rank].copy()
    found: Numbers = ways[chosen] / ways[chosen].sum()
    found.flags.writeable = False
    return found


def _normal_p(doubled: list[int], chosen: int, seen: int) -> float:
    ranks = np.asarray(doubled, np.float64)
    every, left = len(ranks), len(ranks) - chosen
    sd = sqrt(float(((ranks - ranks.mean()) ** 2).sum()) * chosen * left / (every * (every - 1)))
    if not sd:
        return 1.0
    away = max(0.0, abs(seen - chosen * float(ranks.mean())) - 1.0)  # doubled: half of a rank and half again
    return float(min(1.0, 2 * ndtr(-away / sd)))
