"""Several tests at once: p-values corrected, and the level that each test was held to.

Method: Holm 1979. The smallest p is held to the level by the number of tests, the next to the level by one
less, and so on up to the first that is not shown; nothing beyond that is shown. Whatever depends on what, the
chance that anything is said to differ that does not stays within the level.
"""

from __future__ import annotations

from collections.abc import Sequence


def corrected(ps: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number.

    Examples:
        >>> [round(p, 3) for p in corrected([0.04, 0.001, 0.03])]
        [0.06, 0.003, 0.06]
    """
    found, highest = [0.0] * len(ps), 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=lambda at: ps[at])):
        highest = max(highest, min(1.0, ps[at] * (len(ps) - rank)))
        found[at] = highest
    return found


def levels(ps: Sequence[float], level: float) -> list[float]:
    """Return the level that each test was held to, so that an interval at that level agrees with the test.

    Those that are not shown share the level of the first of them.

    Examples:
        >>> [round(one, 4) for one in levels([0.04, 0.001, 0.03], 0.05)]
        [0.025, 0.0167, 0.025]
    """
    found, held = [0.0] * len(ps), 0.0
    still = True
    for rank, at in enumerate(sorted(range(len(ps)), key=lambda at: ps[at])):
        if still:
            held = level / (len(ps) - rank)
            still = ps[at] <= held
        found[at] = held
    return found
