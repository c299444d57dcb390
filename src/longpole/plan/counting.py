"""What a plan moves: by the rule of the paper, and in truth.

Method: the rule counts, for every job, its inputs, checkpoints and code files, one program for each kind of
task and its image; an intermediate counts once for each job that uses it, and of a cluster's only names that
come from outside it, each once. (Krawczuk et al. 2021, Table II; where data is on a shared file system,
programs do not count.) The rule counts an image even where it is there already, a link as a file, and a
program that serves several kinds of task once for each of them; the truth counts what is copied.
Left out: what jobs read again from their own disk, and attempts that fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from longpole.model.patterns import fill, matcher
from longpole.model.plan import Amount, Handing, Movement, Rules, Sent
from longpole.model.workflow import Task
from longpole.plan.clusters import Group
from longpole.plan.expansion import Expansion
from longpole.plan.jobs import Jobs
from longpole.plan.outside import Outside

NOTHING = Movement(Amount(0), Amount(0))


@dataclass(frozen=True, slots=True)
class Staged:
    """What comes to a job, each once.

    Attributes:
        files: Inputs and code files.
        checkpoints: What it continues from, if that is there.
        programs: What it executes.
        kinds: Kinds of its tasks that execute a program.
        images: What it runs in.
    """

    files: frozenset[str]
    checkpoints: frozenset[str]
    programs: frozenset[str]
    kinds: frozenset[str]
    images: frozenset[str]


def auxiliary_jobs(levels: int) -> int:
    """Return how many jobs there are besides: create_dir, cleanup, and two for each level.

    Examples:
        >>> auxiliary_jobs(5)
        12
    """
    return 2 + 2 * levels


class Counting:
    """Counts what jobs use and make."""

    def __init__(self, expansion: Expansion, jobs: Jobs, outside: Outside) -> None:
        """Take the jobs, and what is known of files from outside."""
        self._expansion, self._jobs, self._outside = expansion, jobs, outside
        self._complete = not expansion.unexpanded
        self._wanted = [matcher(pattern) for pattern in expansion.workflow.results]

    def files_staged_in(self, rules: Rules) -> Amount:
        """Return what the rule counts."""
        counted = sum(
            len(job.files | job.checkpoints)
            + (len(job.kinds) if rules.programs is Sent.EACH_JOB else 0)
            + len(job.images)
            for job in map(self._staged_of, self._jobs.groups)
        )
        return Amount(counted, self._complete)

    def brought(self, rules: Rules) -> Movement:
        """Return what is copied to jobs."""
        if not rules.copies:
            return NOTHING
        staged = map(self._staged_of, self._jobs.groups)
        return _sum((self._brought_to(job, rules) for job in staged), complete=self._complete)

    def sent(self, rules: Rules) -> Movement:
        """Return what is copied back from jobs."""
        if rules.stage_out is Handing.MOVE:
            return NOTHING
        users = self._users()
        moved = (self._sent_by(job, group, users) for job, group in enumerate(self._jobs.groups))
        return _sum(moved, complete=self._complete)

    def outside_files(self) -> tuple[int, int]:
        """Return how many files come from outside, and how many of these are not there."""
        templates = self._expansion.workflow.templates.values()
        names = set(self._expansion.outside)
        names.update(name for template in templates for name in (*template.code, template.program) if name)
        return len(names), sum(map(self._outside.is_missing, names))

    def _staged_of(self, group: Group) -> Staged:
        tasks = [self._expansion.tasks[number] for number in group.tasks]
        inside = frozenset(group.tasks) if len(tasks) > 1 else frozenset()
        files = {
            name for task in tasks for names in task.inputs for name in self._from_outside(names, inside)
        }
        files.update(name for task in tasks for name in task.template.code)
        return Staged(
            frozenset(files),
            frozenset(name for task in tasks for name in _checkpoints(task)),
            frozenset(task.template.program for task in tasks if task.template.program),
            frozenset(task.template.name for task in tasks if task.template.program),
            frozenset(task.template.image for task in tasks if task.template.image),
        )

    def _from_outside(self, names: Iterable[str], inside: frozenset[int]) -> Iterable[str]:
        if not inside:
            return names
        makers = self._expansion.makers_of_name
        return (name for name in names if not any(maker in inside for maker in makers(name)))

    def _brought_to(self, job: Staged, rules: Rules) -> Movement:
        names = job.files | job.programs | {name for name in job.checkpoints if self._outside.is_there(name)}
        images = job.images if rules.image is Sent.EACH_JOB else frozenset()
        return self._movement([*names, *images])

    def _users(self) -> dict[str, set[int]]:
        """Return which jobs use each file that a task makes; of interest if some job has several tasks."""
        users: dict[str, set[int]] = {}
        if all(len(group.tasks) == 1 for group in self._jobs.groups):
            return users
        for number, task in enumerate(self._expansion.tasks):
            for name in (name for names in task.inputs for name in names):
                if name not in self._expansion.outside:
                    users.setdefault(name, set()).add(self._jobs.of_task[number])
        return users

    def _sent_by(self, job: int, group: Group, users: dict[str, set[int]]) -> Movement:
        tasks = [self._expansion.tasks[number] for number in group.tasks]
        alone = len(tasks) == 1
        sure = [
            name
            for task in tasks
            for uses, names in zip(task.template.outputs, task.outputs, strict=True)
            for name in names
            if not uses.optional and (alone or self._leaves(name, job, users.get(name, set())))
        ]
        checkpoints = {name for task in tasks for name in _checkpoints(task)}
        moved = self._movement([*sure, *checkpoints])
        if any(_makes_more(task) for task in tasks):
            return Movement(
                *(Amount(each.at_least, exact=False) for each in (moved.files, moved.moved_bytes))
            )
        return moved

    def _leaves(self, name: str, job: int, users: set[int]) -> bool:
        """Return whether a file goes out of a cluster: others use it, or it is a result."""
        if users - {job}:
            return True
        return any(fits.fullmatch(name) for fits in self._wanted) if self._wanted else not users

    def _movement(self, names: list[str]) -> Movement:
        sizes = [self._outside.size(name) for name in names]
        known = [size for size in sizes if size is not None]
        return Movement(Amount(len(names)), Amount(sum(known), len(known) == len(sizes)))


def _checkpoints(task: Task) -> Iterator[str]:
    return (fill(pattern, task.members) for pattern in task.template.checkpoints)


def _makes_more(task: Task) -> bool:
    return any(task.many) or any(uses.optional for uses in task.template.outputs)


def _sum(movements: Iterable[Movement], *, complete: bool) -> Movement:
    """Return all movements together; where tasks are not known yet, there is more to come."""
    files, size, counted, measured = 0, 0, complete, complete
    for each in movements:
        files, size = files + each.files.at_least, size + each.moved_bytes.at_least
        counted, measured = counted and each.files.exact, measured and each.moved_bytes.exact
    return Movement(Amount(files, counted), Amount(size, measured))
