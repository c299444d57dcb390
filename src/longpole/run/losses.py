"""What has failed for good, and what can never run because of that."""

from __future__ import annotations

from longpole.run.growth import Growth
from longpole.run.jobs import Graph, Job
from longpole.run.policy import Policy
from longpole.run.tally import Tally


class Losses:
    """The losses of one run.

    Attributes:
        failures: Why each job that gave up has failed; below zero, what is no fault of a job.
        skipped: Jobs that cannot run, since one before them has failed.
    """

    def __init__(self, graph: Graph, growth: Growth, tally: Tally, policy: Policy) -> None:
        """Begin with none."""
        self.failures: dict[int, str] = {}
        self.skipped: set[int] = set()
        self._graph, self._growth, self._tally, self._policy = graph, growth, tally, policy

    @property
    def halting(self) -> bool:
        """Whether nothing new begins because of them."""
        return bool(self.failures) and not self._policy.keep_going

    def note(self, cause: str) -> None:
        """Take a failure that is no job's."""
        self.failures[-1 - len(self.failures)] = cause

    def give_up(self, job: Job) -> None:
        """Take a job that has failed, and skip all that depend on it."""
        self.failures[job.number] = job.trouble
        self._skip_after(job)
        job.open = False
        self._lose(job)

    def skip(self, job: Job) -> None:
        """Skip a job, and all that depend on it."""
        self._skip_after(job)
        self._skip_one(job)

    def _skip_after(self, job: Job) -> None:
        for number in sorted(self._graph.left_after(job)):
            self._skip_one(self._graph.jobs[number])

    def _skip_one(self, job: Job) -> None:
        if not job.done:
            self.skipped.add(job.number)
            self._tally.skip(self._graph.templates(job))
            self._lose(job)

    def _lose(self, job: Job) -> None:
        job.done = True
        for task in job.tasks:
            self._growth.lost(task)
