"""Arrows between tasks of which one depends on the other.

An arrow leads from the execution in the last attempt of a task to that in the first attempt of the other;
where no execution is known, from or to what stands for it. Perfetto takes the earlier of two slices for the
begin of an arrow. So one that leads back in time is left out, as is all above a bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from longpole.app.trace_phases import TaskPhase
from longpole.exchange.tables import Cell, chunks
from longpole.store.run import StoredRun

MOST_ARROWS = 100_000
_PAIRS = """
    SELECT from_task, to_task FROM edges WHERE from_task IS NOT NULL AND to_task IS NOT NULL
    GROUP BY ALL ORDER BY min(id)
"""
# Where an arrow begins or ends, the best last.
_ENDS = ("job", "submitted", "exec")


class _Attempt(IntEnum):
    """Which attempt of a task counts."""

    LAST = 1
    FIRST = -1


@dataclass(frozen=True, slots=True)
class Arrows:
    """The arrows of a run, as numbers from 1.

    Attributes:
        leads_to: Those that begin at each phase.
        comes_from: Those that end at each phase.
        drawn: How many there are.
        left_out: How many pairs of tasks depend on each other and have none.
    """

    leads_to: Mapping[int, Sequence[int]]
    comes_from: Mapping[int, Sequence[int]]
    drawn: int
    left_out: int


def arrows_of(run: StoredRun, phases: Sequence[TaskPhase]) -> Arrows:
    """Return the arrows between these phases, which come in the order in which they are written."""
    pairs = [row for chunk in chunks(run.query(_PAIRS)) for row in chunk]
    leads_to, comes_from = defaultdict(list), defaultdict(list)
    drawn = 0
    for before, after in _ends_of(pairs, phases):
        if drawn < MOST_ARROWS:
            drawn += 1
            leads_to[before].append(drawn)
            comes_from[after].append(drawn)
    return Arrows(leads_to, comes_from, drawn, len(pairs) - drawn)


def _ends_of(pairs: list[tuple[Cell, ...]], phases: Sequence[TaskPhase]) -> Iterator[tuple[int, int]]:
    """Yield the phases at both ends of each arrow that leads forward."""
    written = {one.id: (one.start_ns, place) for place, one in enumerate(phases)}
    last, first = _chosen(phases, _Attempt.LAST), _chosen(phases, _Attempt.FIRST)
    for from_task, to_task in pairs:
        before, after = last.get(from_task), first.get(to_task)
        if before is not None and after is not None and written[before] < written[after]:
            yield before, after


def _chosen(phases: Sequence[TaskPhase], attempt: _Attempt) -> dict[Cell, int]:
    """Return the phase of each task at which its arrows begin or end."""
    best: dict[Cell, tuple[int, int, int]] = {}
    chosen: dict[Cell, int] = {}
    for one in phases:
        if one.kind in _ENDS:
            merit = (attempt * (one.attempt or 1), _ENDS.index(one.kind), attempt * one.start_ns)
            if one.task not in best or merit > best[one.task]:
                best[one.task], chosen[one.task] = merit, one.id
    return chosen
