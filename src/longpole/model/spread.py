"""A number that was measured several times: its mean, and how far single ones lie from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """What repeats of a measurement gave.

    Attributes:
        n: How many there are.
        mean: Their mean.
        sd: Their standard deviation, that of a sample (divided by n - 1); None for a single one.
        low: The least.
        high: The most.
    """

    n: int
    mean: float
    sd: float | None
    low: float
    high: float
