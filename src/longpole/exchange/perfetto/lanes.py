"""Lanes for trees of intervals: what overlaps lies in different lanes, unless one is part of the other.

Method: an interval stays within its parent if it lies in it and no earlier one of that parent is in its way;
all others stand alone. Those that stand alone are taken in the order of their starts, each into the lowest
lane that is free by then (greedy partitioning, which needs as many lanes as ever overlap). Those with a
parent elsewhere have lanes of their own, after all others, and not close to their parent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush

from longpole.exchange.perfetto.bounds import NEVER
from longpole.units import Nanoseconds


@dataclass(frozen=True, slots=True)
class Span:
    """An interval that may be part of another; ``end_ns`` is None when it is later than all others."""

    id: int
    parent: int | None
    start_ns: Nanoseconds
    end_ns: Nanoseconds | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where an interval lies: in which lane, and how many that it is part of enclose it there."""

    id: int
    lane: int
    depth: int


def lanes_of(intervals: Iterable[tuple[Nanoseconds, Nanoseconds | None]]) -> Iterator[int]:
    """Yield, for each of some intervals sorted by start, the lowest lane in which none before overlaps it.

    Examples:
        >>> list(lanes_of([(0, 10), (2, 5), (4, 12), (5, 7), (10, None), (13, 14)]))
        [0, 1, 2, 1, 0, 1]
    """
    busy: list[tuple[int, int]] = []  # heap of (end, lane)
    free: list[int] = []  # heap
    for start, end in intervals:
        while busy and busy[0][0] <= start:
            heappush(free, heappop(busy)[1])
        lane = heappop(free) if free else len(busy)
        heappush(busy, (NEVER if end is None else end, lane))
        yield lane


def places_of(spans: Iterable[Span]) -> list[Place]:
    """Return where each interval lies, each lane in the order in which nested slices are written."""
    inside = _kept_together(spans)
    found: list[Place] = []
    lanes = 0
    for alone in (inside.get(_TOP, []), inside.get(_APART, [])):
        first = lanes
        for span, lane in zip(alone, lanes_of((one.start_ns, one.end_ns) for one in alone), strict=True):
            lanes = max(lanes, first + lane + 1)
            found += _tree(span, first + lane, inside)
    return found


# What stands alone is kept under these, in place of a parent.
_TOP, _APART = "top", "apart"


def _kept_together(spans: Iterable[Span]) -> dict[int | str, list[Span]]:
    """Return the intervals that stay within each, and those that stand alone, in the order of time."""
    known = {span.id: span for span in spans}
    inside: dict[int | str, list[Span]] = defaultdict(list)
    for span in sorted(known.values(), key=_order):
        above = known.get(span.parent) if span.parent is not None else None
        if above is None:
            inside[_TOP].append(span)
        elif _encloses(above, span) and not (inside[above.id] and _end(inside[above.id][-1]) > span.start_ns):
            inside[above.id].append(span)
        else:
            inside[_APART].append(span)
    return inside


def _encloses(above: Span, span: Span) -> bool:
    if (above.start_ns, above.end_ns) == (span.start_ns, span.end_ns):
        return above.id < span.id  # two that are each other's parent must not both be inside
    return above.start_ns <= span.start_ns and _end(span) <= _end(above)


def _tree(root: Span, lane: int, inside: dict[int | str, list[Span]]) -> Iterator[Place]:
    waiting = [(root, 0)]
    while waiting:
        span, depth = waiting.pop()
        yield Place(span.id, lane, depth)
        waiting += [(one, depth + 1) for one in reversed(inside.get(span.id, []))]


def _order(span: Span) -> tuple[int, int, int]:
    return span.start_ns, _end(span), span.id


def _end(span: Span) -> int:
    return NEVER if span.end_ns is None else span.end_ns
