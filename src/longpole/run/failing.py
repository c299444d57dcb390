"""What becomes of jobs that fail: another try, or the end; and when nothing new begins any more."""

from __future__ import annotations

from longpole.model.workflow import Resources
from longpole.run.jobs import Graph, Job
from longpole.run.losses import Losses
from longpole.run.messages import Abandon, Discard, Instruction, Stop, Verdict
from longpole.run.retrying import with_more_memory
from longpole.run.room import Room
from longpole.run.tally import Tally

_STOPPED = "It was stopped."


class Failing:
    """Decides on failures of one run.

    Attributes:
        stopped: Whether the user has stopped it.
    """

    def __init__(
        self, graph: Graph, tally: Tally, losses: Losses, room: Room, out: list[Instruction]
    ) -> None:
        """Take what counts and holds jobs, and where instructions go."""
        self.stopped = False
        self._graph, self._tally, self._losses = graph, tally, losses
        self._room, self._out = room, out

    @property
    def halted(self) -> bool:
        """Whether nothing new begins: the user has stopped it, or something has failed that ends it."""
        return self.stopped or self._losses.halting

    def stop(self) -> None:
        """Stop what runs."""
        self.stopped = True
        self._out += [Stop(job) for job in sorted(self._room.running)]

    def try_again(self, job: Job, task: int, verdict: Verdict) -> bool:
        """Take one of the tries that a task has left; return whether it has one, and may be tried again."""
        if verdict is Verdict.STOPPED or job.tries[task] <= 0 or self.halted:
            return False
        job.tries[task] -= 1
        self._tally.retry(task)
        return True

    def with_more_memory(self, needs: Resources, task: int) -> Resources:
        """Return what a task needs the next time that ran out of memory with these needs."""
        factor = self._graph.template(task).retry.memory_factor
        return with_more_memory(needs, factor, self._room.most_memory_bytes)

    def end_stopped(self, job: Job) -> None:
        """Give a job up that the user has stopped before anything of it has failed."""
        self.give_up(job, job.tasks[0], Verdict.STOPPED, _STOPPED)

    def give_up(self, job: Job, task: int, verdict: Verdict, cause: str) -> None:
        """Give a job up for a task of it, once nothing of it is executed any more."""
        first = not job.trouble
        if first:
            job.trouble, job.culprit = cause or verdict.value, task
        if job.executing:
            self._out += [Stop(job.number)] if first and not self.stopped else []
            return
        self._out.append(Discard(job.number) if self.stopped else Abandon(job.number))
        self._room.leave(job)
        note = self._tally.stopped if self.stopped else self._tally.failed
        note(job, self._graph.template(job.culprit).name)
        self._losses.give_up(job)
