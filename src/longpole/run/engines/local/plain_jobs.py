"""Plain jobs: handed over to workers as a whole, and gone on with here if they are not as plain as that."""

from __future__ import annotations

from time import monotonic_ns

from longpole.run.engines.local.closing import Closing
from longpole.run.engines.local.endings import judge_short
from longpole.run.engines.local.events import Events
from longpole.run.engines.local.executions import Executions
from longpole.run.engines.local.opening import Opening
from longpole.run.engines.local.phases import note_short
from longpole.run.engines.local.short_jobs import Answer
from longpole.run.engines.local.workers import Workers
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.messages import Made, Verdict
from longpole.run.orders import TaskOrder

_DIED = "The worker process that executed it has died."


class PlainJobs:
    """The plain jobs of one engine."""

    def __init__(
        self, workers: Workers, executions: Executions, opening: Opening, closing: Closing, events: Events
    ) -> None:
        """Take who does them, and what goes on with what is left."""
        self._workers, self._executions = workers, executions
        self._opening, self._closing, self._events = opening, closing, events

    def hand_over(self, job: OpenJob, order: TaskOrder) -> None:
        """Let a worker do a job of one plain task; ``Closed`` or ``Broken`` follows."""
        execution = job.executing[order.task] = Execution(order, monotonic_ns())
        try:
            self._workers.do(job, execution, lambda answer: self._done(job, order, answer))
        except OSError as error:
            self._executions.not_started(job, order, error)

    def _done(self, job: OpenJob, order: TaskOrder, answer: Answer | None) -> None:
        execution = job.executing.pop(order.task)
        if answer is None:
            self._died(job, execution)
        elif answer.is_undone:
            self._opening.go_on(job, [order])
        else:
            note_short(job, answer)
            self._end(job, execution, answer)

    def _died(self, job: OpenJob, execution: Execution) -> None:
        """Tell why a task ended whose worker has died: by us, or by itself."""
        if execution.verdict is Verdict.OK:
            self._events.broken(job, _DIED)
        else:
            self._events.broken(job, execution.cause, execution.verdict)

    def _end(self, job: OpenJob, execution: Execution, answer: Answer) -> None:
        verdict, cause = judge_short(execution.order, answer, execution)
        if verdict is not Verdict.OK:
            self._events.broken(job, cause, verdict)
        elif answer.made is None:
            self._closing.finish(job)
        else:
            made = tuple(Made(*each) for each in answer.made)
            self._closing.finish_done(job, execution.order.task, made)
