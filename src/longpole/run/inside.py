"""Within a job of several tasks: which of them is executed when, as far as the job has room for them."""

from __future__ import annotations

from collections.abc import Iterable

from longpole.model.workflow import Resources
from longpole.plan.expansion import Expansion
from longpole.run.jobs import Graph, Job
from longpole.run.messages import Execute, Instruction
from longpole.run.retrying import with_more_memory
from longpole.run.tally import Tally
from longpole.units import Bytes


class Inside:
    """Leads the tasks of open clusters."""

    def __init__(self, expansion: Expansion, graph: Graph, tally: Tally, out: list[Instruction]) -> None:
        """Take what counts tasks, and where instructions go."""
        self._expansion, self._graph, self._tally, self._out = expansion, graph, tally, out

    def line_up(self, job: Job, tasks: Iterable[int]) -> None:
        """Let tasks wait for room, if they wait for nothing else."""
        assert job.line is not None
        for task in tasks:
            if task in job.left and self._graph.can_execute(task):
                job.left.discard(task)
                job.line.add(task, self._needs(job, task))

    def execute(self, job: Job) -> None:
        """Begin as many tasks as there is room for."""
        assert job.line is not None
        assert job.room is not None
        for task in job.line.admit(job.room):
            job.taken[task] = self._needs(job, task)
            job.executing.add(task)
            self._tally.begin(self._expansion.tasks[task].template.name)
            self._out.append(Execute(job.number, task))

    def ended(self, job: Job, task: int) -> None:
        """Take back what a task has taken."""
        assert job.room is not None
        job.executing.discard(task)
        job.room.give_back(job.taken.pop(task))
        self._tally.end(self._expansion.tasks[task].template.name)

    def again(self, job: Job, task: int) -> None:
        """Let a task be executed once more."""
        job.left.add(task)
        self.line_up(job, [task])

    def grow(self, job: Job, task: int, most: Bytes | None) -> None:
        """Give a task that ran out of memory more of it, from the next time on, but never more than most."""
        factor = self._expansion.tasks[task].template.retry.memory_factor
        job.grown[task] = with_more_memory(self._needs(job, task), factor, most)

    def _needs(self, job: Job, task: int) -> Resources:
        return job.grown.get(task) or self._expansion.tasks[task].template.resources
