"""Attempts of jobs as they are written down: when each begins, and how it ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import monotonic_ns

from longpole.run.causes import Cause
from longpole.run.engines.opened import OpenJob
from longpole.run.engines.port import Engine
from longpole.run.identities import Identities
from longpole.run.jobs import Job
from longpole.run.journal import Failure, Journal, Result
from longpole.run.messages import Closed, Made, Open, Verdict
from longpole.run.orders import TaskOrder
from longpole.run.resuming import together
from longpole.run.runner import Runner
from longpole.units import Nanoseconds

_FAILED, _STOPPED = 1, 2

Remember = Callable[[TaskOrder, tuple[Made, ...], bytes], None]
"""Takes what a task has made and returned, for other runs."""


class Attempts:
    """Writes down the attempts of one run."""

    def __init__(
        self, runner: Runner, engine: Engine, journal: Journal, identities: Identities, remember: Remember
    ) -> None:
        """Take who knows of them, where they are written, and what hears of what was made."""
        self._runner, self._engine, self._journal = runner, engine, journal
        self._identities, self._remember = identities, remember
        self._ready_ns: dict[int, Nanoseconds] = {}
        # The attempt of each job that has begun and not ended; the runner may be one ahead.
        self._begun: dict[int, int] = {}

    def note_ready(self) -> None:
        """Keep when jobs became ready: now, if the runner has just said so."""
        ready = self._runner.ready
        if ready:
            now_ns = monotonic_ns()
            for number in ready:
                self._ready_ns[number] = now_ns
            ready.clear()

    def begin(self, each: Open, now_ns: Nanoseconds) -> None:
        """Write down that an attempt begins."""
        ready_ns = self._ready_ns.pop(each.job, now_ns)
        self._begun[each.job] = each.attempt
        self._journal.start(self._identities.jobs[each.job], each.attempt, now_ns, ready_ns)

    def commit(self, event: Closed) -> None:
        """Write down that a job is done, and let the engine forget it."""
        job = self._runner.graph.jobs[event.job]
        made = tuple(each for some in event.made.values() for each in some)
        value = self._value(job, event.values)
        opened = self._engine.job(job.number)
        if opened is not None:
            for task, order in opened.orders.items():
                self._remember(order, event.made.get(task, ()), value)
        parts = self._engine.take_parts(job.number)
        began_ns, ended_ns = _times(opened)
        result = Result(made, value, began_ns)
        self._begun.pop(job.number, None)
        self._journal.commit(self._identities.jobs[job.number], job.attempt, ended_ns, parts, result)
        self._engine.forget(job.number)

    def fail(self, number: int, cause: Cause) -> None:
        """Write down that an attempt has failed, or was stopped."""
        job, opened = self._runner.graph.jobs[number], self._engine.job(number)
        status = _STOPPED if cause.verdict is Verdict.STOPPED else _FAILED
        began_ns, ended_ns = _times(opened)
        parts = self._engine.take_parts(number)
        attempt = self._begun.pop(number, job.attempt)
        failure = Failure(status, cause.sentence, began_ns)
        self._journal.fail(self._identities.jobs[number], attempt, ended_ns, parts, failure)

    def _value(self, job: Job, values: Mapping[int, bytes]) -> bytes:
        """Return what a function returned; of a job of several tasks, by the number of each."""
        if not job.label:
            return values.get(job.tasks[0], b"")
        ids = self._identities.tasks
        return together({ids[task]: value for task, value in values.items()}) if values else b""


def _times(job: OpenJob | None) -> tuple[Nanoseconds, Nanoseconds]:
    """Return when a job really began, 0 if with its start, and when it ended: now, if no worker says so."""
    if job is None:
        return 0, monotonic_ns()
    return job.began_ns, job.ended_ns or monotonic_ns()
