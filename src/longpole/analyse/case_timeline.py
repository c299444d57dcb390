"""A case over time: its tasks on as many lanes as run at once, and the critical path through them.

Method: list scheduling. Kinds in the order in which they wait for each other, a task on the lane that is free
first, as long as it was measured to take, else its least time. It is how such a workflow may run, not how one
ran: lanes are alike, and nothing slows anything down.
"""

from __future__ import annotations

from collections.abc import Mapping
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from longpole.analyse.ceilings import least_task_seconds
from longpole.analyse.chains import in_order
from longpole.model.case import Case, Dot, TaskKind
from longpole.model.resources import SYSTEM
from longpole.model.timeline import Bar, Level, Piece, Row, Timeline

_MOST_ROWS = 40
_MOST_TASKS = 20_000
# The first task on a lane has none before it.
_NONE = -1


class _Slot(NamedTuple):
    """A task on a lane, and the place of the one that it began after."""

    kind: str
    lane: int
    start_s: float
    end_s: float
    before: int


def case_timeline(case: Case, dot: Dot | None = None) -> Timeline:
    """Return a case over time, with the times of a dot where it tells them; empty for too many tasks."""
    seconds = _seconds(case, dot)
    if case.tasks > _MOST_TASKS or not any(seconds.values()):
        return Timeline((), 0.0)
    slots = _scheduled(case, seconds)
    lanes: dict[tuple[str, int], list[_Slot]] = {}
    for slot in slots:
        lanes.setdefault((slot.kind, slot.lane), []).append(slot)
    shown = list(lanes.items())[:_MOST_ROWS]
    rows = tuple(
        Row(kind, kind, tuple(Bar(one.start_s, one.end_s, "ok") for one in run)) for (kind, _), run in shown
    )
    hidden = list(lanes.values())[_MOST_ROWS:]
    places = {key: at for at, (key, _) in enumerate(shown)}
    length = max(slot.end_s for slot in slots)
    return Timeline(
        rows=rows,
        length_s=length,
        profile=_profile(slots),
        critical=_critical(slots, places),
        peak=int(max(level.running for level in _profile(slots))),
        mean=sum(slot.end_s - slot.start_s for slot in slots) / length,
        left_out=len(hidden),
        left_out_bars=sum(len(run) for run in hidden),
    )


def _seconds(case: Case, dot: Dot | None) -> dict[str, float]:
    told: Mapping[str, float] = dot.kinds if dot else {}
    return {kind.name: told.get(kind.name) or kind.seconds or _least_s(case, kind) for kind in case.kinds}


def _least_s(case: Case, kind: TaskKind) -> float:
    """Return the least time of a task beside others of its kind, with which it shares what all share."""
    beside = min(case.parallel, kind.count)
    return max(
        (
            seconds * (beside if name in SYSTEM else 1)
            for name, seconds in least_task_seconds(kind, case.machine).items()
        ),
        default=0.0,
    )


def _scheduled(case: Case, seconds: Mapping[str, float]) -> list[_Slot]:
    """Return all tasks on lanes; a kind begins when all those it waits for are done."""
    free = [(0.0, lane, _NONE) for lane in range(case.parallel)]
    heapify(free)
    done: dict[str, tuple[float, int]] = {}
    slots: list[_Slot] = []
    for kind in in_order(case.kinds):
        ready = max((done[name] for name in kind.after if name in done), default=(0.0, _NONE))
        for _ in range(kind.count):
            at, lane, last = heappop(free)
            start, before = max((at, last), ready)
            slots.append(_Slot(kind.name, lane, start, start + seconds[kind.name], before))
            mine = slots[-1].end_s, len(slots) - 1
            heappush(free, (mine[0], lane, mine[1]))
            done[kind.name] = max(done.get(kind.name, mine), mine)
    return slots


def _profile(slots: list[_Slot]) -> tuple[Level, ...]:
    changes: dict[float, int] = {}
    for slot in slots:
        changes[slot.start_s] = changes.get(slot.start_s, 0) + 1
        changes[slot.end_s] = changes.get(slot.end_s, 0) - 1
    levels, running = [], 0
    for moment in sorted(changes):
        running += changes[moment]
        levels.append(Level(moment, running))
    return tuple(levels)


def _critical(slots: list[_Slot], places: Mapping[tuple[str, int], int]) -> tuple[Piece, ...]:
    """Return the chain of tasks that ends last: each began when its lane or what it waits for was done."""
    at = max(range(len(slots)), key=lambda place: slots[place].end_s)
    chain = []
    while at != _NONE:
        chain.append(slots[at])
        at = slots[at].before
    pieces = [slot for slot in reversed(chain) if (slot.kind, slot.lane) in places]
    return tuple(Piece(places[slot.kind, slot.lane], slot.start_s, slot.end_s) for slot in pieces)
