"""Mean and standard deviation over repeats.

Method: the standard deviation of a sample, divided by n - 1: repeats are drawn from all that could have been.
"""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean, stdev

from longpole.model.spread import Spread


def spread_of(values: Iterable[float | None]) -> Spread | None:
    """Return what repeats gave; None if one of them is not known, or there are none.

    Examples:
        >>> spread_of([1.0, 2.0, 3.0])
        Spread(n=3, mean=2.0, sd=1.0, low=1.0, high=3.0)
        >>> spread_of([4.0]).sd, spread_of([4.0, None])
        (None, None)
    """
    every = list(values)
    known = [value for value in every if value is not None]
    if not known or len(known) < len(every):
        return None
    sd = stdev(known) if len(known) > 1 else None
    return Spread(len(known), fmean(known), sd, min(known), max(known))
