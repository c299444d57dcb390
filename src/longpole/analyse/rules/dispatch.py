"""Dispatch: many short tasks, and between them the time that it takes to start the next.

Method: the tasks that are parts of one phase, at least 50 of them, on as many slots as ran at once. The gap
of a task is the time from a slot's being free to its start (``slots``). Either the median task is shorter
than 10 median gaps, or shorter than a second and gaps are a tenth of the makespan. A gap that is longer than
10 median gaps has another reason (a dependency, a barrier) and counts as 10. If the phase is a process that
computes for half of the time between its tasks, the gaps are its own work, and nothing is said. The change
puts k tasks into one job: k so large that a job takes 10 gaps, and so small that each slot still gets 4 jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds
from longpole.analyse.rules.measured import cores_used
from longpole.analyse.slots import Items, gaps_ns

LEAST_TASKS = 50
WORTH_GAPS = 10
SHORT_NS = 1_000_000_000
LEAST_SHARE = 0.1
LEAST_PATH_SHARE = 0.02
JOBS_PER_SLOT = 4
_TASKS = ("job", "exec", "task", "process", "command", "jobstep")
_COMPUTES = 0.5
_MOST = 3


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The rule."""

    name: str = "dispatch"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield a suspicion for each phase whose many short tasks are started too slowly."""
        found = [_tasks_of(case, parent) for parent in _parents(case)]
        worth = [tasks for tasks in found if _suspected(case, tasks)]
        for tasks in sorted(worth, key=lambda one: -one.lost_ns)[:_MOST]:
            yield _suspicion(self.name, case, tasks)


RULE = Dispatch()


@dataclass(frozen=True, slots=True, eq=False)
class _Tasks:
    """The tasks of one phase.

    Attributes:
        parent: Place of the phase.
        took_ns: How long each took, in the order of their starts.
        gaps: The gap before each; 10 median gaps at most.
        between_ns: The part of the gaps in which none of the tasks ran: the phase's own time.
        own_ns: All of the phase's own time.
        slots: How many ran at once.
    """

    parent: int
    took_ns: Whole
    gaps: Whole
    between_ns: int
    own_ns: int
    slots: int

    @property
    def gap_ns(self) -> float:
        """The median gap."""
        return float(np.median(self.gaps))

    @property
    def task_ns(self) -> float:
        """The median time of a task."""
        return float(np.median(self.took_ns))

    @property
    def lost_ns(self) -> float:
        """How long a slot waited for its tasks to be started."""
        return float(self.gaps.sum()) / self.slots

    @property
    def together(self) -> int:
        """How many tasks to put into one job; 1 if there are too few of them."""
        count = len(self.gaps)
        most = count if self.slots == 1 else count // (JOBS_PER_SLOT * self.slots)
        return min(most, max(2, ceil(WORTH_GAPS * self.gap_ns / max(self.task_ns, 1.0))))


def _parents(case: Case) -> list[int]:
    """Return phases of at least 50 tasks."""
    parents = case.tree.parent[case.tree.places_of_kind(*_TASKS)]
    found, counts = np.unique(parents[parents >= 0], return_counts=True)
    return [int(place) for place in found[counts >= LEAST_TASKS]]


def _tasks_of(case: Case, parent: int) -> _Tasks:
    tree = case.tree
    parts = np.flatnonzero(tree.parent == parent)
    parts = parts[np.lexsort((tree.end_ns[parts], tree.start_ns[parts]))]
    tasks = parts[np.isin(parts, tree.places_of_kind(*_TASKS))]
    begin = int(tree.start_ns[tasks[0]])
    starts, ends = tree.start_ns[tasks] - begin, tree.end_ns[tasks] - begin
    items = Items(starts, ends, tree.kind[tasks])
    gaps = gaps_ns(items)
    most = WORTH_GAPS * float(np.median(gaps))
    idle = np.maximum(starts[1:] - np.maximum.accumulate(ends)[:-1], 0)
    own_ns = int(case.took_ns[parent]) - _covered_ns(case, parent, parts)
    between = min(own_ns, int(np.minimum(idle, most).sum()))
    return _Tasks(parent, ends - starts, np.minimum(gaps, round(most)), between, own_ns, items.slots)


def _covered_ns(case: Case, parent: int, parts: Whole) -> int:
    """Return for how much of a phase any part of it ran."""
    starts = np.maximum(case.tree.start_ns[parts], case.tree.start_ns[parent])
    reach = np.maximum.accumulate(np.minimum(case.tree.end_ns[parts], case.tree.end_ns[parent]))
    since = np.maximum(starts, np.r_[starts[:1], reach[:-1]])
    return int(np.maximum(reach - since, 0).sum())


def _suspected(case: Case, tasks: _Tasks) -> bool:
    if tasks.together < 2 or not tasks.gap_ns or _computes(case, tasks):
        return False
    share = tasks.lost_ns / case.makespan_ns
    short = tasks.task_ns < WORTH_GAPS * tasks.gap_ns and share >= LEAST_PATH_SHARE
    return short or (tasks.task_ns < SHORT_NS and share >= LEAST_SHARE)


def _computes(case: Case, tasks: _Tasks) -> bool:
    """Return whether the phase is a process that has work of its own between its tasks."""
    tree, place = case.tree, tasks.parent
    if tree.kinds[int(tree.kind[place])] != "process" or tasks.own_ns <= 0:
        return False
    begin, end = int(tree.start_ns[place]), int(tree.end_ns[place])
    cores = cores_used(case, tree.process[place : place + 1], begin, end)
    return cores is not None and cores * (end - begin) >= _COMPUTES * tasks.own_ns


def _suspicion(rule: str, case: Case, tasks: _Tasks) -> Suspicion:
    count, together = len(tasks.gaps), tasks.together
    label = case.labels.of(tasks.parent)
    return Suspicion(
        rule=rule,
        title="Many short tasks, started one by one",
        phase=label,
        evidence=(
            (
                f"{count:,} tasks took {seconds(tasks.task_ns)} each at the median, and"
                f" {seconds(tasks.gap_ns)} passed"
                " before each was started."
            ),
            (
                f"Each of {tasks.slots:,} slot(s) waited {seconds(tasks.lost_ns)} for tasks to be started,"
                " while the run"
                f" took {seconds(case.makespan_ns)}: {percent(tasks.lost_ns / case.makespan_ns)}."
            ),
        ),
        advice=(
            f"Put about {together:,} tasks into one job, so that {ceil(count / together):,} are started"
            " instead of"
            f" {count:,}: {_means(case, together)}."
        ),
        change=_change(case, tasks, 1.0 / together),
        change_said=f"{together:,} tasks started together, with gaps {together:,} times shorter in all",
        at_least=_change(case, tasks, (1.0 + 1.0 / together) / 2),
        at_most=_change(case, tasks, 0.0),
    )


def _means(case: Case, together: int) -> str:
    """Return how tasks are put together: as our own planner does, or as others do."""
    if case.overview.workflow:
        return "a loop over inputs inside one process, or --placement clustering"
    return (
        f"a loop over inputs inside one process, 'xargs -n {together}', 'group:' in Snakemake, job arrays,"
        f" batch_size={together} in joblib, chunksize={together} in a Pool"
    )


def _change(case: Case, tasks: _Tasks, factor: float) -> Change:
    """Return the change in which gaps are multiplied."""
    own = 1.0 - (1.0 - factor) * tasks.between_ns / max(tasks.own_ns, 1)
    return Change(factors=case.factors(np.array([tasks.parent]), own), gaps={tasks.parent: factor})
