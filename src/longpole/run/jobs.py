"""Jobs and who waits for whom: grows with the tasks that become known.

A task waits inside its job until those of the same job that it depends on were executed; a job waits outside
until all jobs that its tasks depend on were closed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from longpole.model.workflow import Resources, Template
from longpole.plan.expansion import Expansion
from longpole.run.capacity import Capacity, Lines
from longpole.units import Bytes


@dataclass(slots=True)
class Job:
    """One task, or several that share a folder.

    Attributes:
        number: Its place among all jobs.
        label: What a job of several is called; empty: it is one task.
        level: Its level in the graph of jobs.
        past: Whether its tasks are committed since before this driver.
        tasks: Its tasks.
        needs: What it holds while it is open.
        attempt: Which try this is, from 1; 0: it has not begun.
        tries: How many more there may be, for each task.
        grown: Of several tasks: what those need whose memory has grown, since it ran out.
        taken: Of several tasks: what those that are executed have taken of the room.
        outside: How many outside dependencies are not done.
        room: Of several tasks: what is free for them.
        line: Of several tasks: those that wait for room.
        left: Tasks that were not executed yet.
        executing: Tasks that are being executed.
        trouble: Why it fails; empty while it does not.
        culprit: The task that it fails for.
        queued: Whether it waits for room.
        open: Whether it was told to open, and has not ended.
        closing: Whether it was told to close.
        done: Whether it is committed, or gave up.
    """

    number: int
    label: str = ""
    level: int = 1
    past: bool = False
    tasks: list[int] = field(default_factory=list)
    needs: Resources = field(default_factory=Resources)
    attempt: int = 0
    tries: dict[int, int] = field(default_factory=dict)
    grown: dict[int, Resources] = field(default_factory=dict)
    taken: dict[int, Resources] = field(default_factory=dict)
    outside: int = 0
    room: Capacity | None = None
    line: Lines | None = None
    left: set[int] = field(default_factory=set)
    executing: set[int] = field(default_factory=set)
    trouble: str = ""
    culprit: int = -1
    queued: bool = False
    open: bool = False
    closing: bool = False
    done: bool = False

    @property
    def has_waiting(self) -> bool:
        """Whether tasks of it, of several, wait for others or for room."""
        return bool(self.left) or (self.line is not None and len(self.line) > 0)

    def memory_for(self, task: int) -> Bytes | None:
        """Return the most memory that a task of it may use now; None: all."""
        return self.taken.get(task, self.needs).memory_bytes


class Graph:
    """All jobs, and what they wait for.

    Attributes:
        jobs: All jobs so far.
        job_of: The job of each task.
    """

    def __init__(self, expansion: Expansion) -> None:
        """Begin with no job."""
        self.jobs: list[Job] = []
        self.job_of: list[int] = []
        self._expansion = expansion
        self._inside: list[int] = []
        self._outside: list[int] = []
        self._behind: list[list[int]] = []
        self._executed: list[bool] = []
        self._done: list[bool] = []

    def add_job(self, label: str, level: int) -> Job:
        """Make a job without tasks."""
        self.jobs.append(job := Job(len(self.jobs), label, level))
        return job

    def template(self, task: int) -> Template:
        """Return what a task is one of."""
        return self._expansion.tasks[task].template

    def templates(self, job: Job) -> list[str]:
        """Return the names of the templates of a job's tasks, in their order."""
        return [self._expansion.tasks[task].template.name for task in job.tasks]

    def make_room(self, count: int) -> None:
        """Take in so many more tasks; they have no jobs yet."""
        self.job_of += [-1] * count
        self._inside += [0] * count
        self._outside += [0] * count
        self._behind += [[] for _ in range(count)]
        self._executed += [False] * count
        self._done += [False] * count

    def join(self, task: int, job: Job) -> None:
        """Give a task to a job."""
        self.job_of[task] = job.number
        job.tasks.append(task)
        job.left.add(task)

    def link(self, task: int) -> bool:
        """Let a task, which has a job, wait for those it depends on; return whether all of these can come."""
        job, possible = self.job_of[task], True
        for before in self._expansion.dependencies(task):
            if self.job_of[before] == job:
                if not self._executed[before]:
                    self._inside[task] += 1
                    self._behind[before].append(task)
            elif not self._done[before]:
                self._outside[task] += 1
                self.jobs[job].outside += 1
                self._behind[before].append(task)
                possible = possible and not self.jobs[self.job_of[before]].done
        return possible

    def is_committed(self, task: int) -> bool:
        """Return whether the job of a task is committed."""
        return self._done[task]

    def can_execute(self, task: int) -> bool:
        """Return whether nothing keeps a task of an open job from being executed."""
        return not self._inside[task] and not self._outside[task]

    def executed(self, task: int) -> Iterator[int]:
        """Note that a task was executed; yield those of its job that wait for no other any more."""
        self._executed[task] = True
        job = self.job_of[task]
        for later in self._behind[task]:
            if self.job_of[later] == job:
                self._inside[later] -= 1
                if not self._inside[later] and not self._outside[later]:
                    yield later

    def closed(self, job: Job) -> Iterator[int]:
        """Note that a job is committed; yield tasks of others that wait for none any more."""
        for task in job.tasks:
            self._done[task] = self._executed[task] = True
        for task in job.tasks:
            for later in self._behind[task]:
                other = self.job_of[later]
                if other != job.number:
                    self._outside[later] -= 1
                    self.jobs[other].outside -= 1
                    if not self._outside[later]:
                        yield later

    def left_after(self, job: Job) -> set[int]:
        """Return all jobs that depend on one and have not ended; behind one that has, there are none."""
        found: set[int] = set()
        waiting = [job]
        while waiting:
            for task in waiting.pop().tasks:
                for number in {self.job_of[later] for later in self._behind[task]} - found - {job.number}:
                    if not self.jobs[number].done:
                        found.add(number)
                        waiting.append(self.jobs[number])
        return found

    def after(self, job: Job) -> set[int]:
        """Return all jobs that depend on one, directly or not; what is committed needs it no more."""
        found: set[int] = set()
        waiting = [job]
        while waiting:
            for task in waiting.pop().tasks:
                for later in self._behind[task]:
                    number = self.job_of[later]
                    if number not in found and number != job.number and not self._done[later]:
                        found.add(number)
                        waiting.append(self.jobs[number])
        return found
