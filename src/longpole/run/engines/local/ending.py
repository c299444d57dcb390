"""Ending tasks before their time: stopped by the user, late, or larger than they may be.

A task is asked to end by SIGTERM, to all processes of its group, and killed when it has not ended after a
while. One that a worker does is ended through its worker; one that no worker has yet is taken back.
"""

from __future__ import annotations

import heapq
import mmap
import os
import signal
from collections.abc import Callable, Mapping
from time import monotonic_ns

from longpole.record.reaper import children_of
from longpole.run.engines.local.asking import Asking
from longpole.run.engines.local.processes import end_group
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.messages import Verdict

STOPPED = "It was stopped."
# How soon a worker says that it has taken a request.
_TAKING_NS = 20_000_000


class Ending:
    """Ends tasks of open jobs."""

    def __init__(
        self,
        settings: Settings,
        jobs: Mapping[int, OpenJob],
        asking: Asking,
        withdraw: Callable[[OpenJob, int], None],
    ) -> None:
        """Take the jobs, who asks workers for tasks, and who hears of one that was taken back."""
        self._settings, self._jobs, self._asking, self._withdraw = settings, jobs, asking, withdraw
        # When something is to be looked at again: moment, job and task.
        self._due: list[tuple[int, int, int]] = []
        # Shared with workers: a signal that comes from anybody else is not heard.
        self.stopping = mmap.mmap(-1, 1)

    def watch(self, job: OpenJob, execution: Execution) -> None:
        """End a task when it has taken as long as it may."""
        limit_s = execution.order.template.timeout_s
        if limit_s is not None:
            self._look(execution.start_ns + int(limit_s * 1e9), job, execution.order.task)

    def wait_s(self, timeout_s: float) -> float:
        """Return how long may be waited until the next is due."""
        return min(timeout_s, (self._due[0][0] - monotonic_ns()) / 1e9) if self._due else timeout_s

    def end_job(self, number: int, how: int) -> None:
        """End all tasks of a job."""
        job = self._jobs.get(number)
        if job is not None:
            job.stopped = True
            self.stopping[0] = 1
            for task in list(job.executing):
                self._end(job, task, (Verdict.STOPPED, STOPPED), how)

    def end_late(self) -> None:
        """End tasks that have taken too long, and kill those that were asked to end and have not."""
        now_ns = monotonic_ns()
        while self._due and self._due[0][0] <= now_ns:
            _, number, task = heapq.heappop(self._due)
            job = self._jobs.get(number)
            execution = job.executing.get(task) if job is not None else None
            if job is None or execution is None:
                continue
            if execution.verdict is not Verdict.OK:
                how = signal.SIGKILL if execution.signalled else signal.SIGTERM
                self._end(job, task, (execution.verdict, ""), how)
                continue
            limit_s = execution.order.template.timeout_s or 0.0
            if now_ns - execution.start_ns >= limit_s * 1e9:
                late = f"It took longer than its timeout of {limit_s:g} s."
                self._end(job, task, (Verdict.TIMED_OUT, late), signal.SIGTERM)

    def end_large(self, processes: Mapping[int, tuple[OpenJob, int]]) -> None:
        """End tasks that use more memory than they may, where the kernel does not."""
        for key in self._settings.limits.look(monotonic_ns()):
            for pid, (job, task) in list(processes.items()):
                if key == f"{job.identity}.{job.attempt}.{task}":
                    end_group(pid, signal.SIGKILL)

    def _end(self, job: OpenJob, task: int, why: tuple[Verdict, str], how: int) -> None:
        execution = job.executing[task]
        if execution.verdict is Verdict.OK:
            execution.verdict, execution.cause = why
        if not execution.key:
            execution.signalled = True
            end_group(execution.pid, how)
        else:
            self._end_with_worker(job, execution, how)
        if how != signal.SIGKILL:
            self._look(monotonic_ns() + self._settings.grace_ns, job, task)

    def _end_with_worker(self, job: OpenJob, execution: Execution, how: int) -> None:
        """End what a worker does, or take it back if no worker has it yet."""
        if self._asking.take_back(execution.key):
            self._withdraw(job, execution.order.task)
            return
        worker = self._asking.worker_of(execution.key)
        if worker:
            execution.signalled = True
            for pid in children_of(worker) if how == signal.SIGKILL else ():
                end_group(pid, how)
            os.kill(worker, how)
        else:  # one has just taken it, and will say so in a moment; or its answer is on its way
            self._look(monotonic_ns() + _TAKING_NS, job, execution.order.task)

    def _look(self, at_ns: int, job: OpenJob, task: int) -> None:
        heapq.heappush(self._due, (at_ns, job.number, task))
