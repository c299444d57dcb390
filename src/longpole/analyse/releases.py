"""What released each task: the last to end of those it depends on.

Method: a task begins with the first of its phases, and ends with the last. Of the tasks it depends on, the
one that ended last released it. Whether a slot was free then is judged by how many tasks ran at that moment:
as many as ever ran at once means that none was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.path import Release
from longpole.analyse.profile import profile
from longpole.analyse.tree import WAITS, Tree, numbers
from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True, eq=False)
class TaskPhases:
    """Where the phases of tasks are in a tree.

    Attributes:
        tops: Places of phases of tasks that are not within others of the same task.
        first: Place of each task's first, by id.
        last: Place of each task's last, by id.
    """

    tops: Whole
    first: dict[int, int]
    last: dict[int, int]


def task_phases(tree: Tree) -> TaskPhases:
    """Return where the phases of tasks are."""
    above = np.where(tree.parent >= 0, tree.task[tree.parent], 0)
    tops = np.flatnonzero((tree.task > 0) & (above != tree.task))
    by_start = tops[np.argsort(-tree.start_ns[tops], kind="stable")]
    by_end = tops[np.argsort(tree.end_ns[tops], kind="stable")]
    first = dict(zip(tree.task[by_start].tolist(), by_start.tolist(), strict=True))
    last = dict(zip(tree.task[by_end].tolist(), by_end.tolist(), strict=True))
    return TaskPhases(tops, first, last)


def releases(tree: Tree, edges: Columns) -> dict[int, Release]:
    """Return what released the first phase of each task, and the waits within it, by place.

    Args:
        tree: The phases of the run, waits included.
        edges: Columns ``from_task`` and ``to_task``.
    """
    tasks = task_phases(tree)
    if not len(tasks.tops) or not edges.rows:
        return {}
    waits = _waits_by_task(tree)
    room = _Room(tree, tasks.tops)
    found: dict[int, Release] = {}
    for to_task, befores in _befores(edges).items():
        first = tasks.first.get(to_task)
        before = [tasks.last[one] for one in befores if one in tasks.last]
        if first is None or not before:
            continue
        last = max(before, key=lambda place: int(tree.end_ns[place]))
        release = Release(last, room.at(int(tree.end_ns[last])))
        found.update(dict.fromkeys((first, *waits.get(to_task, ())), release))
    return found


def dependencies(tree: Tree, edges: Columns) -> dict[int, list[int]]:
    """Return the last phases of what each task depends on, by the place of its first phase; for a replay."""
    tasks = task_phases(tree)
    found: dict[int, list[int]] = {}
    for to_task, befores in _befores(edges).items():
        if to_task in tasks.first:
            found[tasks.first[to_task]] = [tasks.last[one] for one in befores if one in tasks.last]
    return found


class _Room:
    """Whether fewer tasks ran at a moment than ever did."""

    def __init__(self, tree: Tree, tops: Whole) -> None:
        running = _executing(tree, tops)
        self._profile = profile(tree.start_ns[running], tree.end_ns[running])

    def at(self, moment_ns: int) -> bool:
        place = int(np.searchsorted(self._profile.at_ns, moment_ns, side="right")) - 1
        return place < 0 or int(self._profile.running[place]) < self._profile.peak


def _executing(tree: Tree, tops: Whole) -> Whole:
    """Return the executions of tasks: those phases of that kind, or else the tops."""
    found = tree.places_of_kind("exec")
    return found if len(found) else tops


def _waits_by_task(tree: Tree) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for place in tree.places_of_kind(*WAITS).tolist():
        found.setdefault(int(tree.task[place]), []).append(place)
    return found


def _befores(edges: Columns) -> dict[int, Sequence[int]]:
    """Return what each task depends on, by id."""
    found: dict[int, Sequence[int]] = {}
    ends = numbers(edges["to_task"])
    order = np.argsort(ends, kind="stable")
    ends, befores = ends[order], numbers(edges["from_task"])[order]
    tasks, firsts = np.unique(ends, return_index=True)
    lasts = [*firsts[1:].tolist(), len(ends)]
    for task, first, last in zip(tasks.tolist(), firsts.tolist(), lasts, strict=False):
        found[task] = befores[first:last].tolist()
    return found
