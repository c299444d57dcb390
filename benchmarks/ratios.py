"""Ratios of rounds: each round is compared within itself, and the rounds are summed up.

A machine that is slow for a while is slow for a whole round. Bounds of the mean are by Student's t (95 %,
two-sided, the quantile by its series in 1/n): rounds are few, and the normal bound would be too tight. The
bound of the median is the order statistic that the binomial distribution gives: one disturbed round does not
move it.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence

BASE, AGAIN = "bare", "bare-again"
_Z = 1.959964


def summary(ratios: Sequence[float]) -> dict[str, float]:
    """Return median and mean of ratios, and their bounds (nan where there are too few)."""
    mean = statistics.fmean(ratios) if ratios else math.nan
    half = _half_width(ratios)
    return {
        "rounds": float(len(ratios)),
        "median": statistics.median(ratios) if ratios else math.nan,
        "median_upper95": _median_upper(ratios),
        "mean": mean,
        "lower95": mean - half,
        "upper95": mean + half,
    }


def over_bare(rounds: Sequence[Mapping[str, float]], name: str) -> list[float]:
    """Return, for each round that has all three, a value over the mean of both bare ones."""
    return [
        found[name] / ((found[BASE] + found[AGAIN]) / 2)
        for found in rounds
        if {name, BASE, AGAIN} <= found.keys()
    ]


def null_control(rounds: Sequence[Mapping[str, float]]) -> list[float]:
    """Return the second bare value over the first, for each round that has both."""
    return [found[AGAIN] / found[BASE] for found in rounds if {BASE, AGAIN} <= found.keys()]


def _half_width(values: Sequence[float]) -> float:
    if len(values) < 2:
        return math.nan
    free = len(values) - 1
    quantile = _Z + (_Z**3 + _Z) / (4 * free) + (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * free**2)
    return quantile * statistics.stdev(values) / math.sqrt(len(values))


def _median_upper(values: Sequence[float]) -> float:
    """Return the smallest of the values that the median exceeds with a probability of at most 2.5 %."""
    upper, probability = math.nan, 0.0
    for above, value in enumerate(sorted(values, reverse=True)):
        probability += math.comb(len(values), above) / 2 ** len(values)
        if probability > 0.025:
            break
        upper = value
    return upper
