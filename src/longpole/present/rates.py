"""Throughputs as people read them: per second, or per hour or day where that would be tiny."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longpole.model.roofline import Roofline

# What is less than this in a second is told of an hour, and then of a day.
_LEAST = 1e-3
_PERIODS = (("s", 1.0), ("h", 3600.0), ("d", 86400.0))


@dataclass(frozen=True, slots=True)
class Rates:
    """How to write the throughputs of one roofline: all of them alike."""

    unit: str
    period: str
    seconds: float

    def show(self, per_second: float) -> str:
        """Return a throughput with its unit.

        Examples:
            >>> Rates("task", "s", 1.0).show(0.005859), Rates("epoch", "h", 3600.0).show(160)
            ('0.00586 tasks/s', '576,000 epochs/h')
        """
        return f"{plain(per_second * self.seconds)} {self.unit}s/{self.period}"


def rates_of(roofline: Roofline) -> Rates:
    """Return how the throughputs of a roofline read best."""
    least = min([roofline.throughput, *(dot.y for dot in roofline.dots)])
    period, seconds = next((one for one in _PERIODS if least * one[1] >= _LEAST), _PERIODS[-1])
    return Rates(roofline.unit, period, seconds)


def plain(number: float) -> str:
    """Return a number to three digits, without a power of ten unless it is very large or very small.

    Examples:
        >>> plain(0.0058594), plain(1767.9), plain(28), plain(1.5e9), plain(2.5e-7), plain(0)
        ('0.00586', '1,770', '28', '1.5e+09', '2.5e-07', '0')
    """
    if not number or not 1e-5 <= abs(number) < 1e7:
        return f"{number:.3g}"
    rounded = float(f"{number:.3g}")
    if abs(rounded) >= 100:
        return f"{rounded:,.0f}"
    return f"{rounded:.7f}".rstrip("0").rstrip(".")


def exact_seconds(seconds: float) -> str:
    """Return seconds as seconds, to be divided by.

    Examples:
        >>> exact_seconds(1000.0), exact_seconds(1767.94), exact_seconds(4.2145)
        ('1,000 s', '1,768 s', '4.21 s')
    """
    return f"{seconds:,.0f} s" if seconds >= 1000 else f"{plain(seconds)} s"


def reached(efficiency: float) -> str:
    """Return how near to its ceiling something is; what lies above it in times.

    Examples:
        >>> reached(0.977), reached(1.0), reached(10.94)
        ('98 %', '100 %', '10.9 times')
    """
    return percent(efficiency) if efficiency < 1.005 else f"{plain(efficiency)} times"


def between(shares: Sequence[float]) -> str:
    """Return the least and the greatest of some shares, or one if they read alike.

    Examples:
        >>> between([0.35, 0.3442]), between([0.344, 0.341])
        ('34 % to 35 %', '34 %')
    """
    low, high = reached(min(shares)), reached(max(shares))
    return low if low == high else f"{low} to {high}"


def percent(share: float) -> str:
    """Return a share as people read it.

    Examples:
        >>> percent(0.977), percent(0.034), percent(0.0004), percent(1.0)
        ('98 %', '3.4 %', '0.04 %', '100 %')
    """
    if share >= 0.0995 or share <= 0:
        return f"{100 * share:.0f} %"
    return f"{100 * share:.2g} %"
