"""Why jobs fail: what was heard of each, and what the user is told of those that have failed for good."""

from __future__ import annotations

from typing import NamedTuple

from longpole.model.failure import FailedTask
from longpole.run.engines.port import Engine
from longpole.run.engines.printed import last_lines
from longpole.run.jobs import Job
from longpole.run.messages import Broken, Event, Executed, Verdict
from longpole.run.runner import Runner

_SHOWN_LINES = 10
# Of so many failures all that depend on them are counted: that is a walk over all of these for each.
_COUNTED = 100


class Cause(NamedTuple):
    """Why a job has failed: how, as a sentence, and for which of its tasks."""

    verdict: Verdict
    sentence: str
    task: int


class Causes:
    """The causes of one run's failures.

    Attributes:
        failed: What failed for good so far.
    """

    def __init__(self, runner: Runner, engine: Engine) -> None:
        """Begin with none."""
        self.failed: list[FailedTask] = []
        self._runner, self._engine = runner, engine
        self._heard: dict[int, Cause] = {}
        self._refused = False

    def hear(self, event: Event) -> None:
        """Take what an event tells of a failure, if it does; of a job that fails already, nothing more."""
        if isinstance(event, Executed | Broken) and event.verdict is not Verdict.OK:
            job = self._runner.graph.jobs[event.job]
            if not job.trouble:  # else this is a task that was stopped because of another one
                task = event.task if isinstance(event, Executed) else job.tasks[0]
                self._heard[event.job] = Cause(event.verdict, event.cause, task)

    def of(self, number: int) -> Cause:
        """Return why a job has failed."""
        job = self._runner.graph.jobs[number]
        return self._heard.get(number) or Cause(Verdict.FAILED, job.trouble, job.tasks[0])

    def tell_auxiliary(self, name: str, attempt: int, cause: str) -> None:
        """Tell the user that something could not be done for the workflow."""
        self.failed.append(FailedTask(name, attempt, cause))

    def tell_refused(self) -> None:
        """Tell the user, once, why no more tasks can come up, if they cannot."""
        if self._runner.refused and not self._refused:
            self._refused = True
            self.failed.append(FailedTask("workflow", 1, self._runner.refused))

    def tell(self, number: int) -> None:
        """Tell the user of a job that is given up, which is still open."""
        graph, opened = self._runner.graph, self._engine.job(number)
        job, (_, cause, task) = graph.jobs[number], self.of(number)
        name = self._runner.expansion.tasks[task].name
        behind = self._behind(job) if len(self.failed) < _COUNTED else 0
        if opened is None:
            self.failed.append(FailedTask(name, job.attempt, cause, skipped=behind))
            return
        output = opened.outputs.get(task, "")
        told = FailedTask(
            task=name,
            attempt=job.attempt,
            cause=cause,
            command=opened.orders[task].command if task in opened.orders else "",
            output=output,
            last_lines=tuple(last_lines(output, _SHOWN_LINES)) if output else (),
            folder=opened.folder if opened.own_folder else "",
            skipped=behind,
        )
        self.failed.append(told)

    def _behind(self, job: Job) -> int:
        """Return how many tasks depend on a job."""
        graph = self._runner.graph
        return sum(len(graph.jobs[other].tasks) for other in graph.after(job))
