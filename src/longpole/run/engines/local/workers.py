"""The workers that execute tasks: some do plain jobs as a whole, others call functions.

What a worker says is decoded and noted here; what follows of it is for who asked. If a worker has died,
whatever its task left running is ended, and what it has printed is kept.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable

from longpole.run.engines.local import functions, short_jobs
from longpole.run.engines.local.asking import Asking
from longpole.run.engines.local.crew import Crew, Tell
from longpole.run.engines.local.outputs import Outputs
from longpole.run.engines.local.pace import Pace
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.local.starting import Starting
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.survivors import end_survivors
from longpole.units import Nanoseconds

HearDone = Callable[[short_jobs.Answer | None], None]
HearCalled = Callable[[functions.Answer | None], None]
"""Both hear what came of a task; None if its worker has died."""


class Workers:
    """The workers of one engine that execute tasks."""

    def __init__(
        self, settings: Settings, asking: Asking, starting: Starting, outputs: Outputs, stopping: mmap.mmap
    ) -> None:
        """Let crews join that are asked here; ``stopping`` tells them that a signal to end comes from us."""
        self._settings, self._asking, self._starting = settings, asking, starting
        self._outputs, self._stopping = outputs, stopping
        self._doers = Crew(self._doer, settings.workers, settings.scratch)
        self._callers = Crew(self._caller, settings.workers, settings.scratch)
        self._pace = Pace(settings.workers)
        asking.join(self._doers)
        asking.join(self._callers)

    @property
    def ahead(self) -> int:
        """How many tasks of one core they take beyond those they execute."""
        return self._pace.ahead

    def gather_s(self) -> float:
        """Return how long we may wait to hear of several tasks at once."""
        return self._pace.gather_s(len(self._doers) + len(self._callers))

    def unbegun(self) -> set[int]:
        """Return the keys of executions that wait behind others."""
        return self._doers.unbegun() | self._callers.unbegun()

    def started_for(self, key: int) -> tuple[int, Nanoseconds]:
        """Return the process that was started for a plain job, and when; zeros if none was."""
        return self._doers.started_for(key)

    def do(self, job: OpenJob, execution: Execution, then: HearDone) -> None:
        """Let a worker do the whole of a plain job.

        Raises:
            OSError: Its program is not there.
        """
        request = short_jobs.as_bytes(self._starting.request(job, execution))
        execution.key = self._asking.ask(
            self._doers, request, lambda data, pid: then(self._done(job, execution, data, pid))
        )

    def call(self, job: OpenJob, execution: Execution, then: HearCalled) -> None:
        """Let a worker call the function of a task.

        Raises:
            TypeError: An argument is no plain value.
        """
        order = execution.order
        assert order.call is not None
        output = os.path.join(self._settings.output, job.output_name(order.task))
        own = self._starting.variables(job, execution)
        request = functions.Request(order.template.name, *order.call, job.folder, output, own)
        execution.key = self._asking.ask(
            self._callers,
            functions.as_bytes(request),
            lambda data, pid: then(self._called(job, execution, data, pid)),
        )

    def end_left(self, job: OpenJob, task: int | None = None) -> None:
        """End what an attempt of a job has left running that failed, or one task of it: it may run again."""
        end_survivors(self._starting.mark(job, task), self._callers.pids)

    def _done(self, job: OpenJob, execution: Execution, data: bytes, pid: int) -> short_jobs.Answer | None:
        task = execution.order.task
        if not data:
            self.end_left(job)
            job.note_output(task, self._outputs.rescue(pid, job.output_name(task)))
            return None
        answer = short_jobs.answer_of(data)
        if not answer.is_undone:
            self._pace.note(answer.times[3] - answer.times[0])
            job.note_output(task, answer.output)
        return answer

    def _called(self, job: OpenJob, execution: Execution, data: bytes, pid: int) -> functions.Answer | None:
        task = execution.order.task
        execution.pid = pid
        if not data:
            job.note_output(task, self._outputs.rescue(pid, job.output_name(task)))
            return None
        answer = functions.answer_of(data)
        self._pace.note(answer.end_ns - answer.start_ns)
        job.note_output(task, answer.output)
        return answer

    def _doer(self, tell: Tell) -> short_jobs.Server:
        return short_jobs.Server(self._settings, tell, self._stopping)

    def _caller(self, _: Tell) -> functions.Server:
        spare = os.path.join(self._settings.output, f".{os.getpid()}-0")
        return functions.Server(self._settings.templates, self._settings.folder, spare)
