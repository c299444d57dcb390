"""Which number each task and each job has in the journal; they are planned there as they come up."""

from __future__ import annotations

from longpole.model.call_arguments import comes_after
from longpole.run.jobs import Job
from longpole.run.journal import Journal
from longpole.run.runner import Runner


class Identities:
    """The numbers that the tasks and jobs of one run have in its journal.

    Attributes:
        tasks: Those of tasks, by their numbers in the runner.
        jobs: Those of jobs, by theirs; a job of one task has the number of that.
    """

    def __init__(self, runner: Runner, journal: Journal) -> None:
        """Begin with none."""
        self.tasks: list[int] = []
        self.jobs: dict[int, int] = {}
        self._runner, self._journal = runner, journal

    def grow(self) -> None:
        """Write down the tasks and jobs that have come up since the last time."""
        graph = self._runner.graph
        for task in range(len(self.tasks), len(graph.job_of)):
            job = graph.jobs[graph.job_of[task]]
            group = self._group(job) if job.label else 0
            identity = self._journal.plan(self._runner.expansion.tasks[task], group, self._before(task))
            self.tasks.append(identity)
            if not job.label:
                self.jobs[job.number] = identity

    def _group(self, job: Job) -> int:
        """Return the number of a job of several tasks."""
        group = self.jobs.get(job.number)
        if not group:
            group = self.jobs[job.number] = self._journal.group(job.label, job.needs)
        return group

    def _before(self, task: int) -> list[int]:
        """Return the tasks that a task comes after though they hand no file over."""
        expansion = self._runner.expansion
        names = comes_after(expansion.tasks[task].template)
        found = (earlier for name in names for earlier in expansion.results_for(task, name))
        return [self.tasks[earlier] for earlier in found]
