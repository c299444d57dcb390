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


class _Slot(NamedTuple):
    """A task on a lane."""

    kind: str
    lane: int
    start_s: float
    end_s: float


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
        critical=_critical(case, slots, places),
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
    free = [(0.0, lane) for lane in range(case.parallel)]
    heapify(free)
    done: dict[str, float] = {}
    slots: list[_Slot] = []
    for kind in in_order(case.kinds):
        ready = max((done[name] for name in kind.after if name in done), default=0.0)
        for _ in range(kind.count):
            at, lane = heappop(free)
            start = max(at, ready)
            slots.append(_Slot(kind.name, lane, start, start + seconds[kind.name]))
            heappush(free, (slots[-1].end_s, lane))
        done[kind.name] = max(slot.end_s for slot in slots if slot.kind == kind.name)
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


def _critical(case: Case, slots: list[_Slot], places: Mapping[tuple[str, int], int]) -> tuple[Piece, ...]:
    """Return the chain of tasks that ends last: each began when its lane or what it waits for was done."""
    after = {kind.name: set(kind.after) for kind in case.kinds}
    chain = [max(slots, key=lambda slot: slot.end_s)]
    while chain[-1].start_s > 0:
        last = chain[-1]
        before = [
            slot
            for slot in slots
            if slot.end_s == last.start_s
            and slot is not last
            and (slot.lane == last.lane or slot.kind in after[last.kind])
        ]
        if not before:
            break
        chain.append(before[0])
    pieces = [slot for slot in reversed(chain) if (slot.kind, slot.lane) in places]
    return tuple(Piece(places[slot.kind, slot.lane], slot.start_s, slot.end_s) for slot in pieces)
