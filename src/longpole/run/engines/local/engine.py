"""The engine for one machine: opens, executes and closes jobs, and tells the runner what came of it.

One thread, one loop: processes are spawned and reaped here; files that are many or large are moved by
carriers, functions are called by workers, both warm processes of their own. Whatever a job does is a phase.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence
from time import sleep

from longpole.model.staging import Item
from longpole.run.engines.local.asking import Asking
from longpole.run.engines.local.closing import Closing
from longpole.run.engines.local.collecting import remove_left
from longpole.run.engines.local.ending import Ending
from longpole.run.engines.local.events import Events
from longpole.run.engines.local.executions import Executions
from longpole.run.engines.local.long_running import long_parts
from longpole.run.engines.local.opening import Opening
from longpole.run.engines.local.outputs import Outputs, remove_spare
from longpole.run.engines.local.plain_jobs import PlainJobs
from longpole.run.engines.local.processes import Processes
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.local.signals import Wakes
from longpole.run.engines.local.staging import Staging
from longpole.run.engines.local.starting import Starting
from longpole.run.engines.local.workers import Workers
from longpole.run.engines.opened import OpenJob
from longpole.run.engines.port import Delivered
from longpole.run.messages import Event, Executed, Verdict
from longpole.run.orders import TaskOrder
from longpole.store.derive.workflow_notes import Part

# How often we look at the memory of tasks that may not use all.
_LOOK_S = 0.1


class LocalEngine:
    """Executes jobs on this machine; see ``engines.port.Engine``."""

    def __init__(self, settings: Settings) -> None:
        """Take signals and make folders; ``close`` gives all back.

        Raises:
            OSError: There is no room, or no permission.
        """
        self._settings = settings
        os.makedirs(settings.scratch, mode=0o700, exist_ok=True)
        remove_spare(settings.output)
        self._jobs: dict[int, OpenJob] = {}
        self._events, self._asking = Events(), Asking()
        self._outputs = Outputs(settings.output)
        self._wakes = Wakes()
        self._processes = Processes()
        self._starting = Starting(settings, self._processes, self._outputs)
        self._ending = Ending(settings, self._jobs, self._asking, self._withdrawn)
        self._workers = Workers(settings, self._asking, self._starting, self._outputs, self._ending.stopping)
        self._staging = Staging(settings, self._asking, self._events.broken)
        self._closing = Closing(self._staging, self._starting, self._events)
        self._executions = Executions(
            self._starting, self._workers, self._closing, self._events, self._ending.watch
        )
        self._opening = Opening(settings.scratch, self._staging, self._executions, self._events)
        self._plain = PlainJobs(self._workers, self._executions, self._opening, self._closing, self._events)
        self._all_linked = (settings.bring, settings.send) == ("link", "link")

    @property
    def asked_to_stop(self) -> int:
        """How often the user has asked to stop."""
        return self._wakes.asked

    @property
    def ahead(self) -> int:
        """How many tasks of one core it takes beyond those it executes: some, if tasks are short."""
        return self._workers.ahead

    def job(self, number: int) -> OpenJob | None:
        """Return a job that is open."""
        return self._jobs.get(number)

    def opened(self) -> list[OpenJob]:
        """Return all jobs that are open, as they were opened."""
        return list(self._jobs.values())

    def unbegun(self) -> set[int]:
        """Return the keys of executions that wait behind others, at workers who have them already."""
        return self._workers.unbegun()

    def open(self, job: OpenJob, orders: Sequence[TaskOrder]) -> None:
        """Make a job's folder and bring what its tasks need.

        Of several tasks, ``Opened`` or ``Broken`` follows; a single one is executed and its job closed, with
        ``Closed`` or ``Broken`` in the end.
        """
        self._jobs[job.number] = job
        job.orders = {order.task: order for order in orders}
        if self._all_linked and not job.shared and orders[0].is_plain:
            self._plain.hand_over(job, orders[0])
        else:
            self._opening.open(job, orders)

    def execute(self, number: int, order: TaskOrder) -> None:
        """Execute a task of an open job of several, without what it has left before; ``Executed`` follows."""
        job = self._jobs[number]
        job.orders[order.task] = order

        def fail(_: OpenJob, cause: str) -> None:
            self._events.add(Executed(number, order.task, Verdict.FAILED, cause))

        if order.task in job.tried and (cause := remove_left(job, order)):
            fail(job, cause)
            return
        job.tried.add(order.task)
        self._staging.bring(job, [order], lambda: self._executions.start(job, order), fail)

    def finish(self, number: int) -> None:
        """Put away what an open job has made; ``Closed`` or ``Broken`` follows."""
        self._closing.finish(self._jobs[number])

    def discard(self, number: int) -> None:
        """Forget a job that failed, but for what its next attempt can go on from."""
        job = self._let_go(number)
        if job is not None:
            self._closing.discard(job)

    def abandon(self, number: int) -> None:
        """Let go of a job that was given up, but leave its folder."""
        job = self._let_go(number)
        if job is not None:
            self._closing.abandon(job)

    def forget(self, number: int) -> None:
        """Let go of a job that is closed."""
        self._jobs.pop(number, None)

    def stop(self, number: int) -> None:
        """Ask all tasks of a job to end; whoever does not is killed after a while."""
        self._ending.end_job(number, signal.SIGTERM)

    def kill(self, number: int) -> None:
        """End all tasks of a job at once."""
        self._ending.end_job(number, signal.SIGKILL)

    def end_transfers(self) -> None:
        """End all movements of files at once: what they were for cannot go on."""
        self._staging.end_all()

    def take_parts(self, number: int) -> list[Part]:
        """Return the phases of a job that were not told yet."""
        job = self._jobs.get(number)
        if job is None:
            return []
        parts, job.parts = job.parts, []
        return parts

    def long_parts(self, now_ns: int) -> list[tuple[OpenJob, Part]]:
        """Return processes that have run for a while and were not told of yet, as phases without an end."""
        return long_parts(self._jobs.values(), self._workers.started_for, now_ns)

    def deliver(self, items: Sequence[Item], folder: str, then: Delivered) -> None:
        """Copy files that the run keeps into a folder; ``then`` is called when that has ended."""
        self._staging.deliver(items, folder, then)

    def wait(self, timeout_s: float) -> list[Event]:
        """Wait until something has happened, at most so long; return all that has."""
        if not self._events:
            self._wait(timeout_s)
        return self._events.take()

    def close(self) -> None:
        """End everything, and give back what was taken."""
        for number in list(self._jobs):
            self.kill(number)
        self._asking.close()
        self._processes.reap()
        self._starting.close()
        self._settings.limits.close()
        self._outputs.close()
        self._processes.close()
        self._wakes.close()

    def _let_go(self, number: int) -> OpenJob | None:
        """Take a job out that failed, and end what it has left running; what the user stops ends with us."""
        job = self._jobs.pop(number, None)
        if job is not None and not job.stopped:
            self._workers.end_left(job)
        return job

    def _wait(self, timeout_s: float) -> None:
        timeout_s = self._ending.wait_s(timeout_s)
        if self._executions.limited:
            timeout_s = min(timeout_s, _LOOK_S)
        ready = self._wakes.wait(self._asking.descriptors, timeout_s)
        if ready and (moment_s := self._workers.gather_s()):
            sleep(moment_s)
        self._asking.hear(ready)
        for ended in self._processes.reap():
            if not self._executions.reaped(ended):
                self._asking.lost(ended.pid)
        self._ending.end_late()
        if self._executions.limited:
            self._ending.end_large(self._executions.processes)

    def _withdrawn(self, job: OpenJob, task: int) -> None:
        """Hear that a task was taken back; what ends tasks is made before what executes them."""
        self._executions.withdrawn(job, task)
