"""Rows that stand for many phases: their histogram, their parts, and percentiles out of histograms.

Method: bins are a quarter of a doubling wide, so the end of one follows from its start. The first also holds
all that is shorter, and the last all that is longer: it ends where its mean, as the total tells it, is in its
middle. Within a bin durations are taken to lie evenly, so a percentile is off by a quarter at most. Bins may
overlap: what part of all is below a duration is summed over the bins, and that sum is inverted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from longpole.model.json_facts import facts_in
from longpole.units import Nanoseconds

PARTS = ("data", "forward", "backward", "optimizer", "checkpoint")
# The shortest duration of the first bin, and of the last, as rings have them.
_FIRST_NS, _LAST_NS = 1 << 8, 7 << 33
_MOST = 1 << 63


@dataclass(frozen=True, slots=True)
class Bin:
    """How many durations lie between two."""

    low_ns: float
    high_ns: float
    count: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What a row that stands for many says of them: ``bins`` by their start, and the time of each part."""

    bins: Mapping[Nanoseconds, int] = field(default_factory=dict)
    parts_ns: Mapping[str, Nanoseconds] = field(default_factory=dict)


def read_tally(attributes: str) -> Tally:
    """Return what the attributes of a row say; of those that are not ours, nothing.

    Examples:
        >>> read_tally('{"bins": [[256, 3], [320, 1]], "parts_ns": {"data": 70}}')
        Tally(bins={256: 3, 320: 1}, parts_ns={'data': 70})
    """
    said = facts_in(attributes)
    pairs, parts = said.get("bins"), said.get("parts_ns")
    bins: dict[Nanoseconds, int] = {}
    for pair in pairs if isinstance(pairs, list) else ():
        if isinstance(pair, list) and len(pair) == 2 and all(map(_is_amount, pair)):
            bins[pair[0]] = bins.get(pair[0], 0) + pair[1]
    times = parts if isinstance(parts, dict) else {}
    return Tally(bins, {part: times[part] for part in PARTS if _is_amount(times.get(part))})


def bins_of(starts: Mapping[Nanoseconds, int], total_ns: float, count: int) -> list[Bin]:
    """Return the bins of durations that sum up to a total; without any, all are taken to be the mean.

    Args:
        starts: How many durations are in each bin, by the bin's start.
        total_ns: The sum of all durations.
        count: How many they are.
    """
    bins = [Bin(*_edges(start), number) for start, number in sorted(starts.items()) if number > 0]
    if not bins:
        mean = total_ns / count if count > 0 else 0.0
        return [Bin(mean, mean, count)] if count > 0 else []
    last = bins[-1]
    if last.low_ns >= _LAST_NS:
        shorter = sum((one.low_ns + one.high_ns) / 2 * one.count for one in bins[:-1])
        mean = (total_ns - shorter) / last.count
        bins[-1] = Bin(last.low_ns, max(last.high_ns, 2 * mean - last.low_ns), last.count)
    return bins


def percentile(bins: Iterable[Bin], share: float) -> float | None:
    """Return the duration in ns that this share of all is not longer than; None if there are none.

    Examples:
        >>> percentile([Bin(100, 200, 8), Bin(200, 300, 2)], 0.5)
        162.5
    """
    known = [one for one in bins if one.count > 0]
    if not known:
        return None
    low = np.array([one.low_ns for one in known])
    high = np.array([max(one.high_ns, one.low_ns) for one in known])
    number = np.array([float(one.count) for one in known])
    edges = np.unique(np.concatenate((low, high)))
    reached = np.clip((edges[:, None] - low) / np.maximum(high - low, 1.0), 0.0, 1.0)
    below = np.where(edges[:, None] >= high, 1.0, reached) @ number  # a bin may have no width
    return float(np.interp(share * number.sum(), below, edges))


def _edges(start: Nanoseconds) -> tuple[float, float]:
    if start <= _FIRST_NS:
        return 0.0, _FIRST_NS * 1.25
    return float(start), float(start + (1 << max(0, start.bit_length() - 3)))


def _is_amount(value: object) -> bool:
    return type(value) is int and 0 <= value < _MOST
