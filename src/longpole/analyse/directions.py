"""Directions: where a dot can go, and how much each way gains at most.

Method, each way under the ceilings of the model and with all else as it is:

- up: to the bound that it has, by a better use of what bounds it;
- raise: the bound itself goes up: half the work on it or twice its speed, an overhead wholly gone; until the
  next ceiling, and of an overhead by no more than the makespan has of it;
- diagonal: more tasks at once, as many as depend on nothing and fit; beyond that, more workflows at once,
  which raises throughput and leaves each makespan as it is;
- intra-task: twice the nodes for each task, if it scales perfectly and still fits.

Gains are the most that is possible, not a prediction; ``whatif`` and ``explain`` replay runs for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from longpole.analyse.ceilings import ceilings_of
from longpole.analyse.direction_words import (
    batch_words,
    diagonal_words,
    raise_words,
    up_words,
    wider_words,
)
from longpole.analyse.dots import bound_at
from longpole.analyse.projections import with_intra_task
from longpole.model.case import Case
from longpole.model.resources import Level
from longpole.model.roofline import Ceiling, Direction, Placed, TaskView, Wall, Way

# Less than this is not worth a sentence.
_WORTH = 1.05
# Work can be halved, or a resource be twice as fast: a change one can imagine, whatever the resource.
_TWICE = 2.0
# What gains alike is told in this order.
_ORDER = (Way.DIAGONAL, Way.UP, Way.INTRA_TASK, Way.RAISE)


class Field:
    """A case, its ceilings and where its main dot stands; without a dot, the point that is attainable."""

    def __init__(self, case: Case, ceilings: Sequence[Ceiling], wall: Wall, dot: Placed | None) -> None:
        """Take what was found so far."""
        self.case, self.ceilings, self.wall, self.dot = case, ceilings, wall, dot
        self.x = dot.x if dot else case.parallel
        self.contended = bool(dot and dot.contended)
        self.bound, self.height = self.at(self.x)
        self.reached = dot.y if dot else self.height

    def at(self, parallel: int, ceilings: Sequence[Ceiling] | None = None) -> tuple[Ceiling, float]:
        """Return the bound with so many tasks at once, and its height."""
        return bound_at(ceilings or self.ceilings, self.case.tasks, parallel, contended=self.contended)

    @property
    def efficiency(self) -> float:
        """How near to its bound it is."""
        return min(1.0, self.reached / self.height)


def directions_of(field: Field, views: Sequence[TaskView]) -> tuple[Direction, ...]:
    """Return the ways to go that gain something: the best for the makespan, then batches, then the others."""
    found = [way for way in _shortening(field, _dominant(field, views)) if way.gain >= _WORTH]
    found.sort(key=lambda way: (_is_other_work(way, field), -round(way.gain, 2), _ORDER.index(way.way)))
    batches = [way for way in _batches(field) if way.gain >= _WORTH]
    return (*found[:1], *batches, *found[1:])


def _is_other_work(way: Direction, field: Field) -> bool:
    """Say whether a way needs other work or another machine, whose gain is only that of an example."""
    return way.way is Way.RAISE and field.bound.kind is not Level.OVERHEAD


def _shortening(field: Field, task: str) -> Iterator[Direction]:
    yield from _up(field, task)
    yield from _raise(field, task)
    yield from _diagonal(field)
    yield from _wider(field, task)


def _dominant(field: Field, views: Sequence[TaskView]) -> str:
    """Return the kind of task that the bound is about: the one that lost most, or has most of it."""
    lost = {
        view.name: view.count * (view.seconds - view.least_seconds)
        for view in views
        if view.seconds is not None and (field.dot is None or view.dot == field.dot.name)
    }
    times = field.bound.per_task_seconds
    work = {kind.name: kind.count * times.get(kind.name, 0.0) for kind in field.case.kinds}
    chosen = lost if lost and field.bound.kind is not Level.SYSTEM else work
    return max(chosen, key=lambda name: chosen[name])


def _up(field: Field, task: str) -> Iterator[Direction]:
    if field.dot is None:
        return
    text = up_words(field.bound, task, field.efficiency)
    yield Direction(
        *(Way.UP, field.height / field.reached, field.x, field.height),
        *(field.bound.resource, task, field.bound.name, text),
    )


def _raise(field: Field, task: str) -> Iterator[Direction]:
    if field.bound.kind is Level.STRUCTURE:
        return
    room, then = _room(field)
    gain = min(room, _without_it(field) if field.bound.kind is Level.OVERHEAD else _TWICE)
    text = raise_words(field.bound, task, then, room)
    yield Direction(
        *(Way.RAISE, gain, field.x, field.reached * gain), *(field.bound.resource, task, then, text)
    )


def _room(field: Field) -> tuple[float, str]:
    """Return how far the bound can rise until another ceiling bounds, and which; endlessly if none does."""
    others = [
        one
        for one in field.ceilings
        if one.resource != field.bound.resource and one.kind is not Level.STRUCTURE
    ]
    if not others:
        return float("inf"), ""
    then, height = field.at(field.x, others)
    return height / field.height, then.name


def _without_it(field: Field) -> float:
    """Return the gain of a makespan that has nothing more of its bound; twice where there is no makespan."""
    if field.dot is None:
        return _TWICE
    rest = field.dot.makespan_s - field.dot.tasks / field.height
    return field.dot.makespan_s / rest if rest > 0 else _TWICE


def _diagonal(field: Field) -> Iterator[Direction]:
    case, wall = field.case, field.wall.parallel
    within = min(wall, case.could or case.tasks, case.tasks)
    if within > field.x:
        yield _towards(field, within, field.ceilings, diagonal_words(within, wall, case))


def _batches(field: Field) -> Iterator[Direction]:
    case, wall = field.case, field.wall.parallel
    within = min(wall, case.could or case.tasks, case.tasks)
    if wall > max(field.x, within):
        beside = [_beside_others(one, wall / field.x) for one in field.ceilings]
        yield _towards(field, wall, beside, batch_words(wall, field.x, case))


def _beside_others(ceiling: Ceiling, workflows: float) -> Ceiling:
    """Return a ceiling of several workflows at once: chains of one do not hold the others."""
    if ceiling.kind is not Level.STRUCTURE:
        return ceiling
    return replace(ceiling, least_seconds=ceiling.least_seconds / workflows)


def _towards(field: Field, parallel: int, ceilings: Sequence[Ceiling], text: str) -> Direction:
    then, height = field.at(parallel, ceilings)
    reached = height * field.efficiency
    return Direction(
        Way.DIAGONAL, reached / field.reached, parallel, reached, then.resource, "", then.name, text
    )


def _wider(field: Field, task: str) -> Iterator[Direction]:
    fits = 2 * max(kind.nodes for kind in field.case.kinds) <= field.case.machine.nodes
    if field.bound.kind is not Level.NODE or not fits:
        return
    wider = with_intra_task(field.case, 2)
    parallel = min(field.x, wider.parallel)
    then, height = field.at(parallel, ceilings_of(wider))
    reached = height * field.efficiency
    yield Direction(
        *(Way.INTRA_TASK, reached / field.reached, parallel, reached),
        *(field.bound.resource, task, then.name, wider_words(field.case, wider)),
    )
