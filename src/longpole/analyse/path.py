"""The critical path over recorded time: the chain of phases and waits that ends last.

Method: walk back from the end of the run. Within a phase, the part that ended last before the present moment
is what the phase waited for: the time since then is its own, and the walk goes on in that part. At the begin
of a phase the walk goes on before it: at what released it, where that is known (a task it depends on, a
phase that launched it), else within the phase around it. So each moment of the run lies in one stretch. What
a process itself has marked comes before the processes that it started: these are looked into only for the
time between its marks, for workers that live as long as a loop do not explain it.

Time between the parts of a run, or of a job that says when it was executed, is that of a process in the run,
if one lived then: it had the others in its hands.

Waits are named: ``queue`` (ready, and no slot), ``dependency`` (held until another had ended), ``dispatch``
(what it depends on had ended and a slot was free), ``idle`` (nothing is known of that moment). The method
takes the last to end for the cause; a phase that another polls for, or that merely ended just before, is
taken for one too.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.tree import NONE, WAITS, Marks, Tree


class Because(StrEnum):
    """What a stretch of the path is."""

    WORK = "work"
    QUEUE = "queue"
    DEPENDENCY = "dependency"
    DISPATCH = "dispatch"
    IDLE = "idle"


_WAITS = dict(zip(WAITS, (Because.DEPENDENCY, Because.QUEUE, Because.QUEUE), strict=True))
# How many processes are tried, to find one that lived at a moment.
_TRIED = 8
# Kinds of phase whose own time is nobody's work; that of a job is not, if it says when it was executed.
_NOBODY = ("run", "workflow")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the path.

    Attributes:
        phase: Place in the tree of the phase it belongs to; of a wait, the phase that waited.
        start_ns: When it begins.
        end_ns: When it ends.
        because: What it is.
        whole: Whether it is the phase with all its parts, which are serial.
    """

    phase: int
    start_ns: int
    end_ns: int
    because: Because
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Release:
    """What a phase waited for before it could begin.

    Attributes:
        phase: Place of the last of what it depends on.
        slot_free: Whether there was room for it as soon as that had ended.
    """

    phase: int
    slot_free: bool = True


def critical_path(tree: Tree, releases: Mapping[int, Release] | None = None) -> list[Stretch]:
    """Return the stretches of the path in their order; together they are the run, without gap or overlap."""
    if not len(tree):
        return []
    walk = _Walk(tree, releases or {})
    walk.go()
    return walk.found[::-1]


def nobodys(tree: Tree) -> Marks:
    """Return of which phases the own time is nobody's work."""
    found = np.zeros(len(tree), np.bool_)
    found[tree.places_of_kind(*_NOBODY)] = True
    jobs = tree.places_of_kind("job")
    found[jobs[np.isin(jobs, tree.parent[tree.places_of_kind("exec")])]] = True
    return found


class _Walk:
    """Walks back through a tree; never further than ``_floor``, where it returns to who sent it."""

    def __init__(self, tree: Tree, releases: Mapping[int, Release]) -> None:
        self._tree = tree
        self._releases = releases
        self._parts = _Parts(tree)
        self._waits = {at: _WAITS[kind] for at, kind in enumerate(tree.kinds) if kind in _WAITS}
        self._nobody = nobodys(tree)
        self.found: list[Stretch] = []
        self._at, self._now = 0, int(tree.end_ns[0])
        self._begin = self._floor = int(tree.start_ns[0])
        self._senders: list[tuple[int, int]] = []
        self._visited: set[int] = set()

    def go(self) -> None:
        """Walk until the begin of the run."""
        while self._now > self._begin:
            while self._now <= self._floor and self._senders:
                self._at, self._floor = self._senders.pop()
            part, floor = self._parts.last_before(self._at, self._now)
            begun = max(self._floor, int(self._tree.start_ns[self._at]))
            if part == NONE or int(self._tree.end_ns[part]) <= begun:
                self._leave()
                continue
            self._own(self._at, int(self._tree.end_ns[part]))
            if self._is_whole(part) and int(self._tree.start_ns[part]) >= floor:
                self._take_whole(part)
            else:
                self._enter(part, floor)

    def _enter(self, part: int, floor: int) -> None:
        if floor > max(self._floor, int(self._tree.start_ns[part])):
            self._senders.append((self._at, self._floor))
            self._floor = floor
        self._at = part

    def _take_whole(self, part: int) -> None:
        """Take a serial phase, what released it if that is serial too, and so on: there may be a million."""
        before = part
        while before != NONE and self._is_whole(before):
            part = before
            start = int(self._tree.start_ns[part])
            self.found.append(Stretch(part, start, self._now, Because.WORK, whole=True))
            self._now = start
            before = self._released_by(part, during=False)
        self._at = max(int(self._tree.parent[part]), 0) if before == NONE else before

    def _is_whole(self, phase: int) -> bool:
        return bool(self._tree.serial[phase]) and int(self._tree.start_ns[phase]) >= self._floor

    def _leave(self) -> None:
        """Go to the begin of the present phase, and on to what was before it."""
        at = self._at
        before = NONE
        if int(self._tree.kind[at]) in self._waits:
            before = self._released_by(at, during=True)
        if before == NONE:
            self._own(at, int(self._tree.start_ns[at]))
            before = self._released_by(at, during=False)
        self._at = max(int(self._tree.parent[at]), 0) if before == NONE else before
        if before != NONE and self._is_whole(before):
            self._take_whole(before)

    def _released_by(self, at: int, *, during: bool) -> int:
        """Return what released a phase, if that is known and was the reason, having gone to its end."""
        release = self._releases.get(at)
        if release is None or release.phase in self._visited:
            return NONE
        ended = int(self._tree.end_ns[release.phase])
        if ended > self._now or ended <= self._floor or not (release.slot_free or ended == self._now):
            return NONE
        if during and ended <= int(self._tree.start_ns[at]):
            return NONE
        self._visited.add(release.phase)
        if ended < self._now:
            because = self._waits[int(self._tree.kind[at])] if during else Because.DISPATCH
            self.found.append(Stretch(at, ended, self._now, because))
            self._now = ended
        return release.phase

    def _own(self, at: int, since: int) -> None:
        """Take the time since a moment as a phase's own, or as a wait."""
        since = max(since, self._floor)
        if since >= self._now:
            return
        kind = int(self._tree.kind[at])
        because = self._waits.get(kind, Because.IDLE if self._nobody[at] else Because.WORK)
        if because is Because.IDLE:
            self._of_living(at, since)
        if since < self._now:
            self.found.append(Stretch(at, since, self._now, because))
            self._now = since

    def _of_living(self, at: int, since: int) -> None:
        """Take what is nobody's time as that of processes that lived then: one that drives others, say."""
        while self._now > since and (process := self._living(at)) != NONE:
            begun = max(since, int(self._tree.start_ns[process]))
            self.found.append(Stretch(process, begun, self._now, Because.WORK))
            self._now = begun

    def _living(self, at: int) -> int:
        """Return a process of a phase that lives now, else one of a phase around it."""
        while (process := self._parts.living(at, self._now)) == NONE and at > 0:
            at = max(int(self._tree.parent[at]), 0)
        return process


class _Parts:
    """The parts of each phase in the order of their ends, processes that it started apart."""

    def __init__(self, tree: Tree) -> None:
        started = np.isin(tree.kind, [at for at, kind in enumerate(tree.kinds) if kind == "process"])
        started[:1] = False
        self._own = _Ended(tree, np.flatnonzero(~started))
        self._started = _Ended(tree, np.flatnonzero(started))
        self._starts, self._ends = tree.start_ns, tree.end_ns

    def last_before(self, phase: int, now: int) -> tuple[int, int]:
        """Return the part that ended last by now, and down to which moment it may be looked into."""
        own, started = self._own.last_before(phase, now), self._started.last_before(phase, now)
        if NONE in (started, own):
            return max(own, started), 0
        marked_until = int(self._ends[own])
        return (started, marked_until) if int(self._ends[started]) > marked_until else (own, 0)

    def living(self, phase: int, now: int) -> int:
        """Return a process of a phase that had begun before now and ended later; none if there is none."""
        for process in self._started.ended_after(phase, now):
            if self._starts[process] < now:
                return process
        return NONE


class _Ended:
    """Some phases of a tree, by the phase that they are part of and in the order of their ends."""

    def __init__(self, tree: Tree, some: Whole) -> None:
        has_parts = np.zeros(len(tree), np.bool_)
        has_parts[tree.parent[1:]] = True  # of two that took the same time, the one that tells more
        keys = (has_parts[some], -tree.start_ns[some], tree.end_ns[some], tree.parent[some])
        order = some[np.lexsort(keys)]
        self._order: Whole = order
        self._ends = tree.end_ns[order]
        counts = np.bincount(tree.parent[order] + 1, minlength=len(tree) + 1)
        self._first: Whole = np.concatenate([[0], np.cumsum(counts)])

    def last_before(self, phase: int, now: int) -> int:
        """Return which part of a phase ended last, at this moment or before; none if there is none."""
        low, high = int(self._first[phase + 1]), int(self._first[phase + 2])
        place = bisect_right(self._ends, now, low, high) - 1
        return int(self._order[place]) if place >= low else NONE

    def ended_after(self, phase: int, now: int) -> list[int]:
        """Return parts of a phase that ended at this moment or later, the first few of them."""
        low, high = int(self._first[phase + 1]), int(self._first[phase + 2])
        place = bisect_left(self._ends, now, low, high)
        return [int(at) for at in self._order[place : min(high, place + _TRIED)]]
