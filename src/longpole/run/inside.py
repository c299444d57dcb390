"""Within a job of several tasks: which of them is executed when, as far as the job has room for them."""

from __future__ import annotations

from collections.abc import Iterable

from longpole.model.workflow import Resources
from longpole.run.failing import Failing
from longpole.run.gathering import Gathering
from longpole.run.jobs import Graph, Job
from longpole.run.messages import Close, Execute, Executed, Instruction, Verdict
from longpole.run.tally import Tally


class Inside:
    """Leads the tasks of open clusters."""

    def __init__(
        self, graph: Graph, tally: Tally, gathering: Gathering, failing: Failing, out: list[Instruction]
    ) -> None:
        """Take what counts tasks, tells who may still come, decides on failures; where instructions go."""
        self._graph, self._tally, self._gathering = graph, tally, gathering
        self._failing, self._out = failing, out

    def begin(self, job: Job) -> None:
        """Begin the tasks of a cluster that is ready for them."""
        if self._failing.stopped:
            self._failing.end_stopped(job)
        else:
            self.go_on(job, list(job.tasks))

    def go_on(self, job: Job, tasks: Iterable[int]) -> None:
        """Begin tasks of an open cluster that nothing keeps waiting, or close it."""
        if job.line is None or job.trouble:
            return
        self._line_up(job, tasks)
        if not self._failing.stopped:
            self._execute(job)
        if job.executing:
            return
        if not job.has_waiting:
            self._close_if_complete(job)
        elif self._failing.stopped:
            self._failing.end_stopped(job)

    def ended(self, job: Job, task: int) -> None:
        """Take back what a task has taken."""
        assert job.room is not None
        job.executing.discard(task)
        job.room.give_back(job.taken.pop(task))
        self._tally.end(self._graph.template(task).name)

    def fail(self, job: Job, event: Executed) -> None:
        """Execute a task again, with more memory if that ran out, or give its cluster up."""
        task = event.task
        if job.trouble or not self._failing.try_again(job, task, event.verdict):
            self._failing.give_up(job, task, event.verdict, event.cause)
            return
        if event.verdict is Verdict.OUT_OF_MEMORY:
            job.grown[task] = self._failing.with_more_memory(self._needs(job, task), task)
        job.left.add(task)
        self.go_on(job, [task])

    def _line_up(self, job: Job, tasks: Iterable[int]) -> None:
        """Let tasks wait for room, if they wait for nothing else."""
        assert job.line is not None
        for task in tasks:
            if task in job.left and self._graph.can_execute(task):
                job.left.discard(task)
                job.line.add(task, self._needs(job, task))

    def _execute(self, job: Job) -> None:
        """Begin as many tasks as there is room for."""
        assert job.line is not None
        assert job.room is not None
        for task in job.line.admit(job.room):
            job.taken[task] = self._needs(job, task)
            job.executing.add(task)
            self._tally.begin(self._graph.template(task).name)
            self._out.append(Execute(job.number, task))

    def _close_if_complete(self, job: Job) -> None:
        """Close a cluster whose tasks were all executed, if no more can come."""
        if not job.closing and self._gathering.is_complete(job):
            job.closing = True
            self._out.append(Close(job.number))

    def _needs(self, job: Job, task: int) -> Resources:
        return job.grown.get(task) or self._graph.template(task).resources
