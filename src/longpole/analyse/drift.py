"""Drift: how a machine grew slower or faster while runs were made in turns, and the runs without it.

Method: the median of its group is taken off each time (as a logarithm); what is left, in the order in which
the runs began, is drift and noise. The drift at a run is the running median of the runs around it: as many as
five rounds have, or half of all if that is more. Fewer would follow the noise, which made tests say too much;
`docs/methods/compare.md` has the numbers. A median passes over single slow runs and follows a step. Left out:
what changes faster than a few rounds, and groups that drift in different ways.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.analyse.arrays import Numbers, Whole

_ROUNDS = 5
# Runs were made in turns if no group's mean place in their order is further from the middle than this share.
_OFF_MIDDLE = 0.1


def in_turns(groups: Sequence[str]) -> bool:
    """Return whether runs of all groups were made in turns.

    Args:
        groups: The group of each run, in the order in which they began.

    Examples:
        >>> in_turns("abbaab"), in_turns("aaabbb"), in_turns("ab")
        (True, False, True)
    """
    every = len(groups)
    middle = (every - 1) / 2
    means = [
        sum(at for at, one in enumerate(groups) if one == name) / groups.count(name) for name in set(groups)
    ]
    # The last round may be broken off: then a group's mean is off by half a place for each group.
    slack = max(_OFF_MIDDLE * every, len(means) / 2)
    return all(abs(mean - middle) <= slack for mean in means)


def drift(logarithms: Numbers, groups: Whole) -> Numbers:
    """Return the drift at each run, in the order in which they began; nothing where there are too few.

    Args:
        logarithms: Logarithms of a time of each run.
        groups: The place of its group.
    """
    rest = logarithms.copy()
    for group in np.unique(groups):
        rest[groups == group] -= np.median(rest[groups == group])
    every = len(rest)
    wide = max(_ROUNDS * len(np.unique(groups)), every // 2)
    if wide >= every:
        return np.zeros(every)
    begins = np.clip(np.arange(every) - wide // 2, 0, every - wide)
    return np.asarray([np.median(rest[begin : begin + wide]) for begin in begins])
