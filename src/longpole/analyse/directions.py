"""Directions: where a dot can go, and how much each way gains at most.

Method, each way under the ceilings of the model and with all else as it is:

- up: to the bound that it has, by a better use of what bounds it;
- raise: the bound itself goes up: half the work on it or twice its speed, an overhead wholly gone; until the
  next ceiling, and of an overhead by no more than the makespan has of it;
- diagonal: more tasks at once, as many as depend on nothing and fit; beyond that, more workflows at once,
  which raises throughput and leaves each makespan as it is;
- intra-task: twice the nodes for each task, if it scales perfectly and still fits.

Gains are the most that is possible, not a prediction; ``explain`` replays runs for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from longpole.analyse.ceilings import ceilings_of
from longpole.analyse.chains import side_by_side
from longpole.analyse.direction_words import (
    batch_words,
    diagonal_words,
    raise_words,
    up_words,
    wider_words,
)
from longpole.analyse.dots import bound_at
from longpole.analyse.projections import with_faster, with_intra_task
from longpole.model.case import Case
from longpole.model.resources import Level
from longpole.model.roofline import Ceiling, Direction, Placed, Wall, Way

# Less than this is not worth a sentence.
_WORTH = 1.05
# Work can be halved, or a resource be twice as fast: a change one can imagine, whatever the resource.
_TWICE = 2.0
_ENDLESS = 1e9
# What gains alike is told in this order.
_ORDER = (Way.DIAGONAL, Way.UP, Way.INTRA_TASK, Way.RAISE)


@dataclass(frozen=True, slots=True)
class Standing:
    """A case, its ceilings and where its main dot stands; without a dot, the point that is attainable."""

    case: Case
    ceilings: Sequence[Ceiling]
    wall: Wall
    dot: Placed | None

    @property
    def x(self) -> int:
        """Tasks at once."""
        return self.dot.x if self.dot else self.case.parallel

    @property
    def bound(self) -> Ceiling:
        """What bounds it."""
        return self.at(self.x)[0]

    @property
    def height(self) -> float:
        """Tasks per second that its bound allows."""
        return self.at(self.x)[1]

    @property
    def reached(self) -> float:
        """Tasks per second that it has."""
        return self.dot.y if self.dot else self.height

    @property
    def efficiency(self) -> float:
        """How near to its bound it is."""
        return min(1.0, self.reached / self.height)

    @property
    def within(self) -> int:
        """The most tasks of one workflow that fit and could run at once."""
        tasks = self.case.tasks
        return min(self.wall.parallel, could_at_once(self.case) or tasks, tasks)

    def at(self, parallel: int, ceilings: Sequence[Ceiling] | None = None) -> tuple[Ceiling, float]:
        """Return the bound with so many tasks at once, and its height."""
        contended = bool(self.dot and self.dot.contended)
        return bound_at(ceilings or self.ceilings, self.case.tasks, parallel, contended=contended)


def could_at_once(case: Case) -> int | None:
    """Return how many tasks could run at once by what they wait for; None where nobody knows."""
    if case.could is not None or not any(kind.after for kind in case.kinds):
        return case.could
    return side_by_side(case.kinds)


def directions_of(here: Standing) -> tuple[Direction, ...]:
    """Return the ways to go that gain something: the best for the makespan, then batches, then the others."""
    found = [way for way in _shortening(here, _dominant(here)) if way.gain >= _WORTH]
    found.sort(key=lambda way: (_is_other_work(way, here), -round(way.gain, 2), _ORDER.index(way.way)))
    batches = [way for way in _batches(here) if way.gain >= _WORTH]
    return (*found[:1], *batches, *found[1:])


def _is_other_work(way: Direction, here: Standing) -> bool:
    """Say whether a way needs other work or another machine, whose gain is only that of an example."""
    return way.way is Way.RAISE and here.bound.kind is not Level.OVERHEAD


def _shortening(here: Standing, task: str) -> Iterator[Direction]:
    yield from _up(here, task)
    yield from _raise(here, task)
    yield from _diagonal(here)
    yield from _wider(here, task)


def _dominant(here: Standing) -> str:
    """Return the kind of task that has most of the bound."""
    times = here.bound.per_task_seconds
    work = {kind.name: kind.count * times.get(kind.name, 0.0) for kind in here.case.kinds}
    return max(work, key=lambda name: work[name])


def _up(here: Standing, task: str) -> Iterator[Direction]:
    if here.dot is None:
        return
    text = up_words(here.bound, task, here.efficiency)
    yield Direction(
        way=Way.UP,
        gain=here.height / here.reached,
        x=here.x,
        y=here.height,
        resource=here.bound.resource,
        task=task,
        then=here.bound.name,
        text=text,
    )


def _raise(here: Standing, task: str) -> Iterator[Direction]:
    if here.bound.kind is Level.STRUCTURE:
        return
    goes = here.bound.kind is Level.OVERHEAD
    then, height = here.at(here.x, _with_bound_faster(here, _ENDLESS))
    room = height / here.height
    twice = here.at(here.x, _with_bound_faster(here, _TWICE))[1] / here.height
    gain = min(room, _without_it(here)) if goes else twice
    next_one = "" if then.name == here.bound.name else then.name
    yield Direction(
        way=Way.RAISE,
        gain=gain,
        x=here.x,
        y=here.reached * gain,
        resource=here.bound.resource,
        task=task,
        then=next_one,
        text=raise_words(here.bound, task, next_one, room),
    )


def _with_bound_faster(here: Standing, factor: float) -> tuple[Ceiling, ...]:
    """Return the ceilings were that which bounds so many times higher, the structure with it."""
    return ceilings_of(with_faster(replace(here.case, dots=()), here.bound.resource, factor))


def _without_it(here: Standing) -> float:
    """Return the gain of a makespan that has nothing more of its bound; twice where there is no makespan."""
    if here.dot is None:
        return _TWICE
    rest = here.dot.makespan_s - here.dot.tasks / here.height
    return here.dot.makespan_s / rest if rest > 0 else _TWICE


def _diagonal(here: Standing) -> Iterator[Direction]:
    if here.within > here.x:
        text = diagonal_words(here.within, here.wall.parallel, here.case)
        yield _towards(here, here.within, here.ceilings, text)


def _batches(here: Standing) -> Iterator[Direction]:
    wall = here.wall.parallel
    if wall > max(here.x, here.within):
        beside = [_beside_others(one, wall / here.x) for one in here.ceilings]
        yield _towards(here, wall, beside, batch_words(wall, here.x, here.case))


def _beside_others(ceiling: Ceiling, workflows: float) -> Ceiling:
    """Return a ceiling of several workflows at once: chains of one do not hold the others."""
    if ceiling.kind is not Level.STRUCTURE:
        return ceiling
    return replace(ceiling, least_seconds=ceiling.least_seconds / workflows)


def _towards(here: Standing, parallel: int, ceilings: Sequence[Ceiling], text: str) -> Direction:
    then, height = here.at(parallel, ceilings)
    reached = height * here.efficiency
    return Direction(
        way=Way.DIAGONAL,
        gain=reached / here.reached,
        x=parallel,
        y=reached,
        resource=then.resource,
        task="",
        then=then.name,
        text=text,
    )


def _wider(here: Standing, task: str) -> Iterator[Direction]:
    fits = 2 * max(kind.nodes for kind in here.case.kinds) <= here.case.machine.nodes
    if here.bound.kind is not Level.NODE or not fits:
        return
    wider = with_intra_task(here.case, 2)
    parallel = min(here.x, wider.parallel)
    then, height = here.at(parallel, ceilings_of(wider))
    reached = height * here.efficiency
    yield Direction(
        way=Way.INTRA_TASK,
        gain=reached / here.reached,
        x=parallel,
        y=reached,
        resource=here.bound.resource,
        task=task,
        then=then.name,
        text=wider_words(here.case, wider),
    )
