"""Executions: tasks that are processes of our own or calls at workers, from their start to the verdict."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns

from longpole.errors import LongpoleError
from longpole.run.engines.local import functions
from longpole.run.engines.local.closing import Closing
from longpole.run.engines.local.collecting import MissingOutputError, made_of
from longpole.run.engines.local.ending import STOPPED
from longpole.run.engines.local.endings import how_it_ended, out_of_memory, why_not_started
from longpole.run.engines.local.events import Events
from longpole.run.engines.local.processes import Reaped
from longpole.run.engines.local.starting import Starting
from longpole.run.engines.local.workers import Workers
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.messages import Executed, Verdict
from longpole.run.orders import TaskOrder
from longpole.store.derive.workflow_notes import Part
from longpole.units import Nanoseconds, show_bytes

# What functions of one job may return together: their commit is one note of its log.
_MOST_VALUE_BYTES = 1 << 28


class Executions:
    """What an engine executes.

    Attributes:
        processes: The job and the task of each process, by its pid.
        limited: How many tasks are executed that may use so much memory and no more.
    """

    def __init__(
        self,
        starting: Starting,
        workers: Workers,
        closing: Closing,
        events: Events,
        watch: Callable[[OpenJob, Execution], None],
    ) -> None:
        """Take who starts processes, who calls functions, what comes behind, and who looks at the time."""
        self._starting, self._workers, self._closing = starting, workers, closing
        self._events, self._watch = events, watch
        self.processes: dict[int, tuple[OpenJob, int]] = {}
        self.limited = 0

    def start(self, job: OpenJob, order: TaskOrder) -> None:
        """Execute a task; of a job of several ``Executed`` follows, else the job is closed or broken."""
        if job.stopped:
            self._events.add(Executed(job.number, order.task, Verdict.STOPPED, STOPPED))
            return
        execution = job.executing[order.task] = Execution(order, monotonic_ns())
        try:
            self._begin(job, execution)
        except (OSError, TypeError, ValueError, LongpoleError) as error:
            self.limited += execution.limit is not None  # as if it had run
            self.not_started(job, order, error)
            return
        self.limited += execution.limit is not None
        self._watch(job, execution)

    def not_started(self, job: OpenJob, order: TaskOrder, error: Exception) -> None:
        """Hear that a task could not be started."""
        self._ended(job, order.task, monotonic_ns(), why_not_started(order, error))

    def reaped(self, ended: Reaped) -> bool:
        """Hear that a process has ended; return whether it was a task."""
        found = self.processes.pop(ended.pid, None)
        if found is not None:
            job, task = found
            # What a container's processes used is not in that of the runtime, which does not reap them.
            used = () if job.executing[task].order.template.image else ended.used
            self._ended(job, task, ended.end_ns, how_it_ended(ended.status), used)
        return found is not None

    def withdrawn(self, job: OpenJob, task: int) -> None:
        """Hear that a task was taken back before a worker began it."""
        self._ended(job, task, monotonic_ns(), STOPPED)

    def _begin(self, job: OpenJob, execution: Execution) -> None:
        order = execution.order
        self._starting.prepare(job, order)
        if order.call is not None:
            self._workers.call(job, execution, lambda answer: self._called(job, execution, answer))
        else:
            self._starting.spawn(job, execution)
            self.processes[execution.pid] = job, order.task

    def _called(self, job: OpenJob, execution: Execution, answer: functions.Answer | None) -> None:
        task = execution.order.task
        if answer is None:
            self._ended(job, task, monotonic_ns(), "The worker process that called it has died.")
            return
        execution.start_ns = job.began_ns = answer.start_ns
        self._ended(job, task, answer.end_ns, answer.cause or _valued(job, task, answer.value), answer.cpu_us)

    def _ended(
        self, job: OpenJob, task: int, end_ns: Nanoseconds, cause: str, used: tuple[int, ...] = ()
    ) -> None:
        execution = job.executing.pop(task)
        self._starting.give_back(job, execution)
        verdict, cause = self._judged(execution, cause)
        made: tuple[str, ...] = ()
        if job.shared and verdict is Verdict.OK:
            try:
                made = _made_inside(job, execution.order)
            except MissingOutputError as error:
                verdict, cause = Verdict.FAILED, str(error)
        job.parts.append(_part(job, execution, end_ns, verdict, used))
        if job.shared:
            if verdict is not Verdict.OK:
                self._workers.end_left(job, task)
            value = job.values.get(task, b"")
            self._events.add(Executed(job.number, task, verdict, cause, made, value))
        elif verdict is Verdict.OK:
            self._closing.finish(job)
        else:
            self._events.broken(job, cause, verdict)

    def _judged(self, execution: Execution, cause: str) -> tuple[Verdict, str]:
        """Return how a task went, and why it failed."""
        limit = execution.limit
        if limit is not None:
            self.limited -= 1
            ran_out = limit.ran_out()
            limit.close()
            if ran_out and cause:
                return Verdict.OUT_OF_MEMORY, out_of_memory(execution.order, limit.peak_bytes())
        if execution.verdict is not Verdict.OK:
            return execution.verdict, execution.cause
        return (Verdict.FAILED, cause) if cause else (Verdict.OK, "")


def _valued(job: OpenJob, task: int, value: bytes) -> str:
    """Keep what a function returned; return why that cannot be kept, if it cannot."""
    total = job.value_bytes + len(value)
    if total > _MOST_VALUE_BYTES:
        return (
            f"Together, the functions of its cluster have returned {show_bytes(total)}, which is "
            "too much for the log of a run: write files instead, and name them in outputs."
        )
    job.values[task], job.value_bytes = value, total
    return ""


def _made_inside(job: OpenJob, order: TaskOrder) -> tuple[str, ...]:
    """Return what a task of several has made: it is there for the others."""
    made = job.made[order.task] = made_of(job, order)
    job.there.update(made)
    return tuple(made)


def _part(
    job: OpenJob, execution: Execution, end_ns: Nanoseconds, verdict: Verdict, used: tuple[int, ...]
) -> Part:
    """Return the phase of an execution; of a job of several tasks, that of one of them."""
    failed, own = int(verdict is not Verdict.OK), int(execution.output is not None)
    of_task = job.task_ids(execution.order.task) if job.shared else 0
    return Part("exec", execution.start_ns, end_ns, failed, of_task, -1, 0, execution.pid, own, used)
