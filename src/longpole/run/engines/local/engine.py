"""The engine for one machine: opens, executes and closes jobs, and tells the runner what came of it.

One thread, one loop: processes are spawned and reaped here; files that are many or large are moved by
carriers, functions are called by workers, both warm processes of their own. Whatever a job does is a phase.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from time import monotonic_ns, sleep

from longpole.errors import LongpoleError
from longpole.model.staging import Item, Moved
from longpole.run.engines.local import functions, short_jobs
from longpole.run.engines.local.carriers import Answer, Errand, Request
from longpole.run.engines.local.collecting import MissingOutputError, made_by
from longpole.run.engines.local.crew import Crew
from longpole.run.engines.local.ending import STOPPED, Ending
from longpole.run.engines.local.endings import how_it_ended, judge_short, out_of_memory, why_not_started
from longpole.run.engines.local.outputs import Outputs, remove_spare
from longpole.run.engines.local.processes import Processes, Reaped
from longpole.run.engines.local.settings import Settings
from longpole.run.engines.local.signals import Wakes
from longpole.run.engines.local.staging import Hear, Staging, checkpoints_in, note_short
from longpole.run.engines.local.starting import Starting
from longpole.run.engines.opened import Execution, OpenJob
from longpole.run.engines.port import Delivered
from longpole.run.messages import Broken, Closed, Event, Executed, Made, Opened, Verdict
from longpole.run.orders import TaskOrder
from longpole.run.survivors import end_survivors
from longpole.store.derive.workflow_notes import Part

# How many short tasks wait for each worker, so that none waits for us, and how short these are.
AHEAD = 4
_SHORT_NS = 20_000_000
# How long we wait to hear of several at once.
_LEAST_GATHER_NS, _MOST_GATHER_NS = 100_000, 800_000
# How long a process runs before it is told of while it runs.
_LONG_NS = 1_000_000_000
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
        self._outputs = Outputs(settings.output)
        self._wakes = Wakes()
        self._processes = Processes()
        self._starting = Starting(settings, self._processes, self._outputs)
        self._staging = Staging(settings, self._ask, self._break)
        self._jobs: dict[int, OpenJob] = {}
        self._ending = Ending(settings, self._jobs, self._crew_of, self._withdrawn)
        self._callers = Crew(self._caller, settings.workers, settings.scratch)
        self._doers = Crew(self._doer, settings.workers, settings.scratch)
        self._by_pid: dict[int, tuple[OpenJob, int]] = {}
        self._then: dict[int, Hear] = {}
        self._keys = 0
        self._limited = 0
        self._all_linked = (settings.bring, settings.send) == ("link", "link")
        self._crews = (self._doers, self._callers, self._staging.crew)
        self._by_descriptor = {crew.fileno(): crew for crew in self._crews}
        self._mean_ns = float(_SHORT_NS)
        self._events: list[Event] = []

    @property
    def asked_to_stop(self) -> int:
        """How often the user has asked to stop."""
        return self._wakes.asked

    @property
    def ahead(self) -> int:
        """How many tasks of one core it takes beyond those it executes: some, if tasks are short."""
        return AHEAD * self._settings.workers if self._mean_ns < _SHORT_NS else 0

    def job(self, number: int) -> OpenJob | None:
        """Return a job that is open."""
        return self._jobs.get(number)

    def opened(self) -> list[OpenJob]:
        """Return all jobs that are open, as they were opened."""
        return list(self._jobs.values())

    def unbegun(self) -> set[int]:
        """Return the keys of executions that wait behind others, at workers who have them already."""
        return self._doers.unbegun() | self._callers.unbegun()

    def open(self, job: OpenJob, orders: Sequence[TaskOrder]) -> None:
        """Make a job's folder and bring what its tasks need.

        Of several tasks, ``Opened`` or ``Broken`` follows; a single one is executed and its job closed, with
        ``Closed`` or ``Broken`` in the end.
        """
        self._jobs[job.number] = job
        job.orders = {order.task: order for order in orders}
        if self._all_linked and not job.shared and orders[0].is_plain:
            self._hand_over(job, orders[0])
            return
        if not job.own_folder:
            job.folder = self._settings.scratch
            self._opened(job)
            return
        try:
            os.mkdir(job.folder, 0o700)
        except OSError as error:
            self._break(job, f"Cannot make its folder {job.folder}: {error.strerror}.")
            return
        self._staging.bring(job, orders, lambda: self._opened(job))

    def _opened(self, job: OpenJob) -> None:
        """Execute the one task of a job, or tell that its tasks can be."""
        if job.shared:
            self._events.append(Opened(job.number))
        elif job.stopped:
            self._break(job, STOPPED, Verdict.STOPPED)
        else:
            self._start(job, next(iter(job.orders.values())))

    def execute(self, number: int, order: TaskOrder) -> None:
        """Execute a task of an open job of several; ``Executed`` follows."""
        job = self._jobs[number]
        job.orders[order.task] = order
        self._staging.bring(
            job,
            [order],
            lambda: self._start(job, order),
            lambda _, cause: self._events.append(Executed(number, order.task, Verdict.FAILED, cause)),
        )

    def finish(self, number: int) -> None:
        """Put away what an open job has made; ``Closed`` or ``Broken`` follows."""
        job = self._jobs[number]
        try:
            for task, order in job.orders.items():
                if task not in job.made:
                    job.made[task] = made_by(order.outputs, job.folder) if order.outputs else []
        except MissingOutputError as error:
            self._break(job, str(error))
            return
        names = [name for made in job.made.values() for name in made if job.wanted(name)]
        names += [name for name in checkpoints_in(job) if name not in names]
        if names:
            self._staging.send(job, names, lambda placed: self._put_away(job, placed))
        else:
            self._put_away(job, {})

    def discard(self, number: int) -> None:
        """Forget a job that failed, but for what its next attempt can go on from."""
        job = self._jobs.pop(number, None)
        if job is not None and job.own_folder:
            self._staging.save(job)
            self._starting.release(job.folder)
            self._staging.remove(job.folder)

    def abandon(self, number: int) -> None:
        """Let go of a job that was given up, but leave its folder."""
        job = self._jobs.pop(number, None)
        if job is not None and job.own_folder:
            self._staging.save(job)
            self._starting.release(job.folder)

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
        self._staging.crew.kill()

    def take_parts(self, number: int) -> list[Part]:
        """Return the phases of a job that were not told yet."""
        job = self._jobs.get(number)
        if job is None:
            return []
        parts, job.parts = job.parts, []
        return parts

    def long_parts(self, now_ns: int) -> list[tuple[OpenJob, Part]]:
        """Return processes that have run for a while and were not told of yet, as phases without an end."""
        found = []
        for job in self._jobs.values():
            for task, execution in job.executing.items():
                if (
                    execution.told
                    or now_ns - execution.start_ns < _LONG_NS
                    or execution.order.call is not None
                ):
                    continue
                started = execution.pid, execution.start_ns
                pid, start_ns = self._doers.started_for(execution.key) if execution.key else started
                if pid:
                    execution.told = True
                    of_task = job.task_ids(task) if job.shared else 0
                    found.append((job, Part("exec", start_ns, 0, task=of_task, pid=pid, own=1)))
        return found

    def wait(self, timeout_s: float) -> list[Event]:
        """Wait until something has happened, at most so long; return all that has."""
        if not self._events:
            self._wait(timeout_s)
        events, self._events = self._events, []
        return events

    def deliver(self, items: Sequence[Item], folder: str, then: Delivered) -> None:
        """Copy files that the run keeps into a folder; ``then`` is called when that has ended."""

        def delivered(answer: Answer) -> None:
            then("" if answer.moved is not None else answer.cause, answer.moved or Moved(()))

        self._staging.carry(Request(Errand.BRING, "copy", folder, tuple(items)), delivered)

    def close(self) -> None:
        """End everything, and give back what was taken."""
        for number in list(self._jobs):
            self.kill(number)
        for crew in self._crews:
            crew.close()
        self._processes.reap()
        self._starting.close()
        self._settings.limits.close()
        self._outputs.close()
        self._processes.close()
        self._wakes.close()

    # -------------------------------------------------------------------------------------- executing

    def _start(self, job: OpenJob, order: TaskOrder) -> None:
        if job.stopped:
            self._events.append(Executed(job.number, order.task, Verdict.STOPPED, STOPPED))
            return
        execution = job.executing[order.task] = Execution(order, monotonic_ns())
        try:
            self._starting.prepare(job, order)
            if order.call is not None:
                self._call(job, execution)
            else:
                self._starting.spawn(job, execution)
                self._by_pid[execution.pid] = job, order.task
        except (OSError, TypeError, ValueError, LongpoleError) as error:
            self._limited += execution.limit is not None  # as if it had run
            self._ended(job, order.task, monotonic_ns(), why_not_started(order, error))
            return
        self._limited += execution.limit is not None
        self._ending.watch(job, execution)

    def _hand_over(self, job: OpenJob, order: TaskOrder) -> None:
        """Let a worker do the whole of a plain job."""
        execution = job.executing[order.task] = Execution(order, monotonic_ns())
        try:
            request = self._starting.request(job, execution, self._output_name(job, order.task))
        except OSError as error:
            self._ended(job, order.task, monotonic_ns(), why_not_started(order, error))
            return
        execution.key = self._ask(
            self._doers, short_jobs.as_bytes(request), lambda data, pid: self._done(job, order, data, pid)
        )

    def _doer(self, tell: Callable[[int, int], None]) -> short_jobs.Server:
        return short_jobs.Server(self._settings, tell, self._ending.stopping)

    def _done(self, job: OpenJob, order: TaskOrder, data: bytes, worker: int) -> None:
        """Hear what became of a plain job."""
        execution = job.executing.pop(order.task)
        if not data:
            end_survivors(f"{self._settings.run_id}:{job.identity}:{job.attempt}")
            self._rescue(job, order.task, worker)
            self._break(job, *_died(execution, "The worker process that executed it has died."))
            return
        answer = short_jobs.answer_of(data)
        if answer.made is None and not answer.pid:  # what is not as plain as it seemed
            self._staging.bring(job, [order], lambda: self._opened(job))
            return
        self._mean_ns += (answer.times[3] - answer.times[0] - self._mean_ns) / 8
        note_short(job, answer)
        if answer.output:
            job.outputs[order.task] = answer.output
        verdict, cause = judge_short(order, answer, execution)
        if verdict is not Verdict.OK:
            self._break(job, cause, verdict)
        elif answer.made is None:
            self.finish(job.number)
        else:
            made = tuple(Made(*each) for each in answer.made)
            self._events.append(Closed(job.number, {order.task: made}, {}))
            if job.own_folder and os.path.lexists(job.folder):
                self._staging.remove(job.folder)

    def _call(self, job: OpenJob, execution: Execution) -> None:
        order = execution.order
        assert order.call is not None
        output = os.path.join(self._settings.output, self._output_name(job, order.task))
        own = self._starting.variables(job, execution)
        request = functions.Request(order.template.name, *order.call, job.folder, output, own)
        task = order.task
        execution.key = self._ask(
            self._callers, functions.as_bytes(request), lambda data, pid: self._answered(job, task, data, pid)
        )

    def _caller(self, _: object) -> functions.Server:
        spare = os.path.join(self._settings.output, f".{os.getpid()}-0")
        return functions.Server(self._settings.templates, self._settings.folder, spare)

    def _rescue(self, job: OpenJob, task: int, pid: int) -> None:
        """Keep what was printed by a task whose worker has died."""
        path = self._outputs.rescue(pid, self._output_name(job, task))
        if path:
            job.outputs[task] = path

    def _answered(self, job: OpenJob, task: int, data: bytes, pid: int) -> None:
        execution = job.executing[task]
        execution.pid = pid
        if not data:
            self._rescue(job, task, pid)
            self._ended(job, task, monotonic_ns(), "The worker process that called it has died.")
            return
        answer = functions.answer_of(data)
        self._mean_ns += (answer.end_ns - answer.start_ns - self._mean_ns) / 8
        execution.start_ns = job.began_ns = answer.start_ns
        if answer.output:
            job.outputs[task] = answer.output
        job.values[task] = answer.value
        self._ended(job, task, answer.end_ns, answer.cause, answer.cpu_us)

    def _reaped(self, ended: Reaped) -> None:
        found = self._by_pid.pop(ended.pid, None)
        if found is not None:
            job, task = found
            self._ended(job, task, ended.end_ns, how_it_ended(ended.status), ended.used)
            return
        for crew in self._crews:
            self._hear(crew)  # what it has answered before it died
            key = crew.lost(ended.pid)
            if key is not None:
                self._then.pop(key)(b"", ended.pid)

    def _ended(self, job: OpenJob, task: int, end_ns: int, cause: str, used: tuple[int, ...] = ()) -> None:
        execution = job.executing.pop(task)
        self._starting.give_back(execution)
        own = execution.output is not None
        if execution.output is not None:
            name = self._outputs.give_back(execution.output, lambda: self._output_name(job, task))
            if name:
                job.outputs[task] = name
        verdict, cause = self._judge(execution, cause)
        if not job.shared:
            failed = int(verdict is not Verdict.OK)
            job.parts.append(
                Part("exec", execution.start_ns, end_ns, failed, 0, -1, 0, execution.pid, int(own), used)
            )
            if failed:
                self._break(job, cause, verdict)
            else:
                self.finish(job.number)
            return
        made: tuple[str, ...] = ()
        if verdict is Verdict.OK:
            try:
                job.made[task] = made_by(execution.order.outputs, job.folder)
                made = tuple(job.made[task])
                job.there.update(made)
            except MissingOutputError as error:
                verdict, cause = Verdict.FAILED, str(error)
        failed = int(verdict is not Verdict.OK)
        times, of_task = (execution.start_ns, end_ns), job.task_ids(task)
        job.parts.append(Part("exec", *times, failed, of_task, -1, 0, execution.pid, int(own), used))
        self._events.append(Executed(job.number, task, verdict, cause, made, job.values.get(task, b"")))

    def _judge(self, execution: Execution, cause: str) -> tuple[Verdict, str]:
        """Return how a task went, and why it failed."""
        limit = execution.limit
        if limit is not None:
            self._limited -= 1
            ran_out = limit.ran_out()
            limit.close()
            if ran_out and cause:
                return Verdict.OUT_OF_MEMORY, out_of_memory(execution.order, limit.peak_bytes())
        if execution.verdict is not Verdict.OK:
            return execution.verdict, execution.cause
        return (Verdict.FAILED, cause) if cause else (Verdict.OK, "")

    def _put_away(self, job: OpenJob, placed: Mapping[str, Made]) -> None:
        made = {
            task: tuple(placed.get(name) or Made(name, -1, "") for name in names)
            for task, names in job.made.items()
        }
        self._events.append(Closed(job.number, made, job.values))
        if job.own_folder:
            self._starting.release(job.folder)
            self._staging.remove(job.folder)

    def _withdrawn(self, job: OpenJob, task: int) -> None:
        """Hear that a task was taken back before a worker began it."""
        self._then.pop(job.executing[task].key)
        self._ended(job, task, monotonic_ns(), STOPPED)

    def _crew_of(self, execution: Execution) -> Crew:
        return self._callers if execution.order.call is not None else self._doers

    # -------------------------------------------------------------------------------------- waiting

    def _ask(self, crew: Crew, request: bytes, then: Hear) -> int:
        self._keys += 1
        self._then[self._keys] = then
        crew.ask(self._keys, request)
        return self._keys

    def _wait(self, timeout_s: float) -> None:
        timeout_s = self._ending.wait_s(timeout_s)
        if self._limited:
            timeout_s = min(timeout_s, _LOOK_S)
        ready = self._wakes.wait(self._by_descriptor.keys(), timeout_s)
        if ready:
            self._gather()
        for descriptor in ready:
            self._hear(self._by_descriptor[descriptor])
        for ended in self._processes.reap():
            self._reaped(ended)
        self._ending.end_late()
        if self._limited:
            self._ending.end_large(self._by_pid)

    def _hear(self, crew: Crew) -> None:
        for key, answer, pid in crew.answers():
            self._then.pop(key)(answer, pid)

    def _gather(self) -> None:
        """Wait a moment, to hear of several short tasks at once, while workers have enough to do."""
        workers = self._settings.workers
        enough_ns = (len(self._doers) + len(self._callers) - workers) * self._mean_ns / workers / 2
        if enough_ns > _LEAST_GATHER_NS:
            sleep(min(enough_ns, _MOST_GATHER_NS) / 1e9)

    def _break(self, job: OpenJob, cause: str, verdict: Verdict = Verdict.FAILED) -> None:
        self._events.append(Broken(job.number, verdict, cause))

    def _output_name(self, job: OpenJob, task: int) -> str:
        return f"{job.orders[task].template.name}.{job.task_ids(task)}.{job.attempt}.log"


def _died(execution: Execution, cause: str) -> tuple[str, Verdict]:
    """Return why a task ended whose worker has died: by us, or by itself."""
    return (
        (cause, Verdict.FAILED) if execution.verdict is Verdict.OK else (execution.cause, execution.verdict)
    )
