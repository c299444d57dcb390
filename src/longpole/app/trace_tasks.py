"""The tasks of a run as part of its trace: lanes for each type, slices that nest as its phases do, arrows.

A slice is named as its task if it is a ``job``, as its kind if it is a part of that (``queue``, ``exec``),
else as itself (``command``, ``jobstep``). What runs at the same time lies in different lanes, unless one is
part of the other. All of it is in memory at once.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from longpole.app.trace_arrows import arrows_of
from longpole.app.trace_phases import TaskPhase, task_phases
from longpole.exchange.perfetto import LaneTrack, NestedSlice, Slice, Span, places_of
from longpole.model.execution import JOB_KINDS
from longpole.store.run import StoredRun

_GROUP = "Tasks"
_PARTS = frozenset(JOB_KINDS) - {"job", "jobstep"}
_WILDCARDS = "wildcards"
_Placed = tuple[TaskPhase, int, int]


@dataclass(frozen=True, slots=True)
class TaskTrace:
    """Tracks and slices of all tasks; none if there are no tasks.

    Attributes:
        arrows: How many arrows there are.
        arrows_left_out: How many pairs of tasks depend on each other without one.
    """

    tracks: tuple[LaneTrack, ...]
    slices: tuple[NestedSlice, ...]
    arrows: int
    arrows_left_out: int


def trace_tasks(run: StoredRun, uuids: Iterator[int]) -> TaskTrace:
    """Return the tasks of a run, on tracks that have the next of these uuids."""
    types: dict[str, list[TaskPhase]] = {}
    for phase in task_phases(run):
        types.setdefault(phase.type, []).append(phase)
    tracks: list[LaneTrack] = [LaneTrack(next(uuids), _GROUP)] if types else []
    placed: list[_Placed] = []
    for rank, phases in enumerate(types.values()):
        track = LaneTrack(next(uuids), phases[0].type, tracks[0].uuid, rank=rank)
        lanes, of_type = _lay_out(track, phases, uuids)
        tracks += lanes
        placed += of_type
    arrows = arrows_of(run, [phase for phase, _, _ in placed])
    slices = [
        NestedSlice(
            _slice(phase, uuid),
            depth,
            tuple(arrows.leads_to.get(phase.id, ())),
            tuple(arrows.comes_from.get(phase.id, ())),
        )
        for phase, uuid, depth in placed
    ]
    return TaskTrace(tuple(tracks), tuple(slices), arrows.drawn, arrows.left_out)


def _lay_out(
    track: LaneTrack, phases: list[TaskPhase], uuids: Iterator[int]
) -> tuple[list[LaneTrack], list[_Placed]]:
    """Return the lanes that a type needs, of which its own track is the first, and where each phase lies."""
    by_id = {phase.id: phase for phase in phases}
    places = places_of(Span(one.id, one.parent, one.start_ns, one.end_ns) for one in phases)
    further = range(1, 1 + max(place.lane for place in places))
    lanes = [track]
    lanes += [
        LaneTrack(uuid, f"{track.name} ({lane + 1})", track.uuid, rank=lane)
        for lane, uuid in zip(further, islice(uuids, len(further)), strict=True)
    ]
    return lanes, [(by_id[place.id], lanes[place.lane].uuid, place.depth) for place in places]


def _slice(phase: TaskPhase, uuid: int) -> Slice:
    facts = json.dumps(_facts(phase), ensure_ascii=False)
    return Slice(uuid, _name(phase), phase.kind, phase.start_ns, phase.end_ns, facts)


def _name(phase: TaskPhase) -> str:
    if phase.kind in _PARTS:
        return phase.kind
    if phase.kind != "job":
        return phase.name
    again = f" (attempt {phase.attempt})" if phase.attempt and phase.attempt > 1 else ""
    return phase.task_name + again


def _facts(phase: TaskPhase) -> dict[str, object]:
    """Return what is known of a phase: our own words first, which no attribute of this name replaces."""
    own: dict[str, object] = {"task": phase.task_name, "attempt": phase.attempt, "status": phase.status}
    if phase.kind == "job":
        needs = _values(phase.resources, "resources")
        own |= {_WILDCARDS: needs.pop(_WILDCARDS, None), "resources": needs or None}
    known = {name: value for name, value in own.items() if value not in (None, "")}
    return {**known, **{k: v for k, v in _values(phase.attributes, "attributes").items() if k not in known}}


def _values(text: str, name: str) -> dict[str, object]:
    """Return the values of a JSON object; a text that is none is kept whole, under a name."""
    try:
        values = json.loads(text or "{}")
    except (ValueError, RecursionError):
        values = text
    return values if isinstance(values, dict) else {name: text}
