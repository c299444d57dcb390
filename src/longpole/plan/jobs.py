"""The graph of jobs: which tasks are one job, and in which order jobs can run.

Templates whose tasks are not known yet take part as one job each that may turn out to be any number of jobs,
unless a cluster takes them in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from longpole.plan.clusters import Clusters, Group
from longpole.plan.expansion import Expansion


@dataclass(frozen=True, slots=True)
class Jobs:
    """Jobs, as far as tasks are known.

    Attributes:
        groups: The tasks of each job.
        of_task: The job of each task, by their numbers.
        levels: The level of each job, from 1.
        unknown_levels: The levels of templates whose tasks are not known and will be jobs of their own.
    """

    groups: tuple[Group, ...]
    of_task: tuple[int, ...]
    levels: tuple[int, ...]
    unknown_levels: dict[str, int]

    def per_level(self) -> tuple[int | None, ...]:
        """Return how many jobs each level has; None where that is not known."""
        deepest = max([*self.levels, *self.unknown_levels.values()], default=0)
        counts: list[int | None] = [0] * deepest
        for level in self.levels:
            counts[level - 1] = (counts[level - 1] or 0) + 1
        for level in self.unknown_levels.values():
            counts[level - 1] = None
        return tuple(counts)


def jobs_of(expansion: Expansion, clusters: Clusters) -> Jobs:
    """Return the jobs of all tasks that are known now, which ``clusters`` has not seen yet."""
    groups = clusters.assign(range(len(expansion.tasks)))
    of_task = [0] * len(expansion.tasks)
    for job, group in enumerate(groups):
        for number in group.tasks:
            of_task[number] = job
    before: list[set[int]] = [
        {of_task[other] for number in group.tasks for other in expansion.dependencies(number)} - {job}
        for job, group in enumerate(groups)
    ]
    unknown = _add_unknown(before, groups, of_task, (expansion, clusters))
    levels = _levels(before)
    return Jobs(
        tuple(groups),
        tuple(of_task),
        tuple(levels[: len(groups)]),
        {name: levels[unit] for name, unit in unknown.items() if unit >= len(groups)},
    )


def _add_unknown(
    before: list[set[int]],
    groups: Sequence[Group],
    of_task: Sequence[int],
    known: tuple[Expansion, Clusters],
) -> dict[str, int]:
    """Add a job for each template without tasks, or let it join its cluster; return which each has become."""
    expansion, clusters = known
    labelled = {group.label: job for job, group in enumerate(groups) if group.label}
    units: dict[str, int] = {}
    for name in expansion.unexpanded:
        label = clusters.label_of(name)
        unit = labelled.get(label, len(before))
        if unit == len(before):
            before.append(set())
        if label:
            labelled[label] = unit
        units[name] = unit
        for earlier in expansion.before[name]:
            before[unit].update(of_task[number] for number in expansion.tasks_of(earlier))
            before[unit].update({units[earlier]} if earlier in units else ())
        before[unit].discard(unit)
    return units


def _levels(before: Sequence[set[int]]) -> list[int]:
    """Return the level of each job, from 1."""
    waiting = [len(jobs) for jobs in before]
    behind: list[list[int]] = [[] for _ in before]
    for job, jobs in enumerate(before):
        for earlier in jobs:
            behind[earlier].append(job)
    levels = [1] * len(before)
    ready = deque(job for job, count in enumerate(waiting) if not count)
    while ready:
        job = ready.popleft()
        for later in behind[job]:
            levels[later] = max(levels[later], levels[job] + 1)
            waiting[later] -= 1
            if not waiting[later]:
                ready.append(later)
    return levels
