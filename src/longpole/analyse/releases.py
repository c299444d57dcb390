"""What released each task: the last to end of those it depends on.

Method: a task begins with the first of its phases, and ends with the last. Of the tasks it depends on, the
one that ended last released it; a job that tries it again was released by the one before. Whether a slot was
free then is judged by how many tasks ran at that moment: as many as ever ran at once means that none was.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import begins, places
from longpole.analyse.graph import Whole
from longpole.analyse.path import Release
from longpole.analyse.profile import profile
from longpole.analyse.tree import NONE, WAITS, Marks, Tree, numbers
from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class TaskPhases:
    """Where the phases of tasks are in a tree; all but ``tops`` have a row for each task.

    Attributes:
        tops: Places of phases of tasks that are not within others of the same task.
        ids: Ids of the tasks, in order.
        first: Place of each task's first.
        last: Place of each task's last.
    """

    tops: Whole
    ids: Whole
    first: Whole
    last: Whole


@dataclass(frozen=True, slots=True, eq=False)
class Releases(Mapping[int, Release]):
    """What released phases, by place; each is made when it is asked for, since few of a million are.

    Attributes:
        phases: Place of what released each phase; ``NONE`` where nothing is known to have.
        slot_free: Whether there was room for it then.
    """

    phases: Whole
    slot_free: Marks

    def __getitem__(self, place: int) -> Release:
        """Return what released a phase."""
        if self.phases[place] == NONE:
            raise KeyError(place)
        return Release(int(self.phases[place]), bool(self.slot_free[place]))

    def __iter__(self) -> Iterator[int]:
        """Yield the places of phases that something released."""
        yield from np.flatnonzero(self.phases != NONE).tolist()

    def __len__(self) -> int:
        """Return how many there are."""
        return int((self.phases != NONE).sum())


def task_phases(tree: Tree) -> TaskPhases:
    """Return where the phases of tasks are."""
    above = np.where(tree.parent >= 0, tree.task[tree.parent], 0)
    tops = np.flatnonzero((tree.task > 0) & (above != tree.task))
    first = _last_of_each_task(tree, tops[np.argsort(-tree.start_ns[tops], kind="stable")])
    last = _last_of_each_task(tree, tops[np.argsort(tree.end_ns[tops], kind="stable")])
    return TaskPhases(tops, tree.task[first], first, last)


def releases(tree: Tree, edges: Columns) -> Releases:
    """Return what released the first phase of each task, and the waits within it, by place.

    Args:
        tree: The phases of the run, waits included.
        edges: Columns ``from_task`` and ``to_task``.
    """
    tasks = task_phases(tree)
    befores, afters = _ends_of(tasks, edges)
    by_end = np.lexsort((-tree.end_ns[befores], afters))
    latest = by_end[begins(afters[by_end])]
    by_task = np.full(len(tasks.ids), NONE, np.int64)
    by_task[afters[latest]] = befores[latest]
    phases = np.full(len(tree), NONE, np.int64)
    phases[tasks.first] = by_task
    waits = tree.places_of_kind(*WAITS)
    rows = places(tasks.ids, tree.task[waits])
    phases[waits[rows != NONE]] = by_task[rows[rows != NONE]]
    again, before = _tried_again(tree, tasks)
    before = _later(tree, again, before, by_task[places(tasks.ids, tree.task[again])])
    phases[again] = before
    of_again = places(np.sort(again), tree.parent[waits])
    phases[waits[of_again != NONE]] = before[np.argsort(again)][of_again[of_again != NONE]]
    return Releases(phases, _room_at(tree, tasks.tops, tree.end_ns[phases]))


def _tried_again(tree: Tree, tasks: TaskPhases) -> tuple[Whole, Whole]:
    """Return jobs that try a task again, and the jobs before them, by which these were released."""
    jobs = np.intersect1d(tasks.tops, tree.places_of_kind("job"))
    jobs = jobs[np.lexsort((tree.start_ns[jobs], tree.task[jobs]))]
    before, again = jobs[:-1], jobs[1:]
    follows = (tree.task[before] == tree.task[again]) & (tree.end_ns[before] <= tree.start_ns[again])
    return again[follows], before[follows]


def _later(tree: Tree, again: Whole, before: Whole, depends_on: Whole) -> Whole:
    """Return what released jobs that try again: what they depend on, if that ended after the job before.

    So it is where a driver went on with a run: what it does in the end was done in the end before, too.
    """
    ended_ns = tree.end_ns[depends_on]
    later = (depends_on != NONE) & (ended_ns > tree.end_ns[before]) & (ended_ns <= tree.start_ns[again])
    return np.where(later, depends_on, before)


def dependencies(tree: Tree, edges: Columns) -> dict[int, list[int]]:
    """Return the last phases of what each task depends on, by the place of its first phase; for a replay."""
    tasks = task_phases(tree)
    befores, afters = _ends_of(tasks, edges)
    order = np.argsort(afters, kind="stable")
    every, afters = befores[order].tolist(), afters[order]
    firsts = np.flatnonzero(begins(afters))
    bounds = [*firsts.tolist(), len(every)]
    keys = tasks.first[afters[firsts]].tolist()
    return {key: every[bounds[at] : bounds[at + 1]] for at, key in enumerate(keys)}


def _ends_of(tasks: TaskPhases, edges: Columns) -> tuple[Whole, Whole]:
    """Return for each edge the place where the one task ends, and the row of the other."""
    befores, afters = (places(tasks.ids, numbers(edges[name])) for name in ("from_task", "to_task"))
    there = (befores != NONE) & (afters != NONE)
    return tasks.last[befores[there]], afters[there]


def _last_of_each_task(tree: Tree, some: Whole) -> Whole:
    """Return of some phases the last of each task, in the order of tasks."""
    backwards = some[::-1]
    by_task = backwards[np.argsort(tree.task[backwards], kind="stable")]
    return by_task[begins(tree.task[by_task])]


def _room_at(tree: Tree, tops: Whole, moments_ns: Whole) -> Marks:
    """Return whether fewer tasks ran at each moment than ever did."""
    running = _executing(tree, tops)
    over_time = profile(tree.start_ns[running], tree.end_ns[running])
    at = np.searchsorted(over_time.at_ns, moments_ns, side="right")
    free: Marks = np.append(0, over_time.running)[at] < max(over_time.peak, 1)
    return free


def _executing(tree: Tree, tops: Whole) -> Whole:
    """Return the executions of tasks: those phases of that kind, or else the tops."""
    found = tree.places_of_kind("exec")
    return found if len(found) else tops
