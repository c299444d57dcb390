"""The engine for one machine: opens, executes and closes jobs, and tells the runner what came of it.

One thread, one loop: processes are spawned and reaped here; files that are many or large are moved by carriers,
functions are called by workers, both warm processes of their own. Whatever a job does is timed as a phase.
"""

from __future__ import annotations

import heapq
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic_ns

from longpole.model.ports import Way
from longpole.model.staging import Item, Moved
from longpole.model.workflow import Template
from longpole.run.engines.local import carriers, functions
from longpole.run.engines.local.collecting import MissingOutputError, made_by
from longpole.run.engines.local.crew import Crew
from longpole.run.engines.local.opened import Execution, OpenJob
from longpole.run.engines.local.outputs import Outputs
from longpole.run.engines.local.processes import Processes, Reaped, end_group
from longpole.run.engines.local.programs import find_program
from longpole.run.engines.local.signals import Wakes
from longpole.run.messages import Broken, Closed, Event, Executed, Made, Opened, Verdict
from longpole.run.orders import JOB_VARIABLE, Output, TaskOrder
from longpole.store.derive.workflow_notes import Part

_GRACE_NS = 10_000_000_000
_CARRIERS = 2


@dataclass(frozen=True, slots=True)
class Settings:
    """What the engine has to know of a run.

    Attributes:
        run_id: Which run, for the variables of its jobs.
        scratch: The folder that jobs have their folders in.
        output: The folder that what they print goes to.
        environment: The variables of all jobs.
        templates: Functions that may be called.
        target: Returns where a file goes that a job has made.
        way: Makes a way out of its name.
        bring: The way in.
        send: The way out.
        workers: How many functions run at once.
        gpus: Which GPUs there are.
    """

    run_id: str
    scratch: str
    output: str
    environment: Mapping[str, str]
    templates: Mapping[str, Template]
    target: Callable[[str], Item]
    way: Callable[[str], Way]
    bring: str = "link"
    send: str = "link"
    workers: int = 1
    gpus: tuple[int, ...] = ()


Then = Callable[[bytes, int], None]


class LocalEngine:
    """Executes jobs on this machine; see ``model.ports.Engine``."""

    def __init__(self, settings: Settings) -> None:
        """Take signals and make folders; ``close`` gives all back.

        Raises:
            OSError: There is no room, or no permission.
        """
        self._settings = settings
        os.makedirs(settings.scratch, mode=0o700, exist_ok=True)
        self._outputs = Outputs(settings.output)
        self._wakes = Wakes()
        self._processes = Processes()
        self._carrier = carriers.Carrier(settings.way)
        self._carriers = Crew(lambda: carriers.Carrier(settings.way), _CARRIERS)
        self._callers = Crew(self._caller, settings.workers)
        self._jobs: dict[int, OpenJob] = {}
        self._by_pid: dict[int, tuple[OpenJob, int]] = {}
        self._then: dict[int, Then] = {}
        self._keys = 0
        self._deadlines: list[tuple[int, int, int]] = []
        self._free_gpus = list(settings.gpus)
        self._events: list[Event] = []

    @property
    def asked_to_stop(self) -> int:
        """How often the user has asked to stop."""
        return self._wakes.asked

    # -------------------------------------------------------------------------------------------- a job's life

    def open(self, job: OpenJob, orders: Sequence[TaskOrder]) -> None:
        """Make a job's folder and bring what its tasks need; ``Opened`` or ``Broken`` follows."""
        self._jobs[job.number] = job
        job.orders = {order.task: order for order in orders}
        if not job.own_folder:
            job.folder = self._settings.scratch
            self._events.append(Opened(job.number))
            return
        try:
            os.makedirs(job.folder, mode=0o700)
        except OSError as error:
            self._break(job, f"Cannot make its folder {job.folder}: {error.strerror}.")
            return
        self._bring(job, orders, lambda: self._events.append(Opened(job.number)))

    def execute(self, number: int, order: TaskOrder) -> None:
        """Execute a task of an open job; ``Executed`` follows."""
        job = self._jobs[number]
        if job.shared:
            job.orders[order.task] = order
            self._bring(job, [order], lambda: self._start(job, order))
        else:
            self._start(job, order)

    def close_job(self, number: int) -> None:
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
        names += [name for name in self._checkpoints(job) if name not in names]
        if not names:
            self._put_away(job, None)
            return
        items = tuple(self._settings.target(name) for name in names)
        self._move(job, "stage_out", carriers.Errand.SEND, items, lambda moved: self._put_away(job, moved))

    def discard(self, number: int) -> None:
        """Forget a job that failed, but for what it can go on from."""
        job = self._jobs.pop(number, None)
        if job is not None and job.own_folder:
            items = tuple(self._settings.target(name) for name in self._checkpoints(job))
            if items:
                self._carrier.do(
                    carriers.Request(carriers.Errand.SEND, self._settings.send, job.folder, items)
                )
            self._remove(job.folder)

    def stop(self, number: int) -> None:
        """Ask all tasks of a job to end; whoever does not is killed after a while."""
        job = self._jobs.get(number)
        if job is not None:
            for task in list(job.executing):
                self._end(job, task, "It was stopped.", signal.SIGTERM)

    def kill(self, number: int) -> None:
        """End all tasks of a job at once."""
        job = self._jobs.get(number)
        if job is not None:
            for task in list(job.executing):
                self._end(job, task, "It was stopped.", signal.SIGKILL)

    def take_parts(self, number: int) -> list[Part]:
        """Return the phases of a job that were not told yet."""
        job = self._jobs.get(number)
        if job is None:
            return []
        parts, job.parts = job.parts, []
        return parts

    def job(self, number: int) -> OpenJob | None:
        """Return a job that is open."""
        return self._jobs.get(number)

    def wait(self, timeout_s: float) -> list[Event]:
        """Wait until something has happened, at most so long; return all that has."""
        if not self._events:
            self._wait(timeout_s)
        events, self._events = self._events, []
        return events

    def carry(self, request: carriers.Request, then: Callable[[carriers.Answer], None]) -> None:
        """Let a carrier do an errand; ``then`` is called with its answer while we wait."""
        self._ask(self._carriers, carriers.as_bytes(request), lambda data, _: then(_errand_answer(data)))

    def close(self) -> None:
        """End everything, and give back what was taken."""
        for job in list(self._jobs):
            self.kill(job)
        self._carriers.close()
        self._callers.close()
        self._outputs.close()
        self._processes.close()
        self._wakes.close()

    # -------------------------------------------------------------------------------------------- files

    def _bring(self, job: OpenJob, orders: Iterable[TaskOrder], then: Callable[[], None]) -> None:
        """Bring what is not in a job's folder yet."""
        items: dict[str, Item] = {}
        for order in orders:
            for item in order.inputs:
                if item.name not in job.there:
                    items[item.name] = item
        if job.shared:
            inside = {name for made in job.made.values() for name in made}
            inside |= {output.name for order in job.orders.values() for output in order.outputs}
            items = {name: item for name, item in items.items() if name not in inside}
        if not items:
            then()
            return
        job.there.update(items)
        self._move(job, "stage_in", carriers.Errand.BRING, tuple(items.values()), lambda _: then())

    def _move(
        self,
        job: OpenJob,
        kind: str,
        errand: carriers.Errand,
        items: tuple[Item, ...],
        then: Callable[[Moved], None],
    ) -> None:
        start_ns = monotonic_ns()
        way = self._settings.bring if errand is carriers.Errand.BRING else self._settings.send
        request = carriers.Request(errand, way, job.folder, items)

        def go_on(answer: carriers.Answer) -> None:
            if answer.moved is None:
                job.parts.append(Part(kind, start_ns, monotonic_ns(), 1, name=way))
                self._break(job, answer.cause)
                return
            self._note_moved(job, kind, way, (start_ns, monotonic_ns()), answer.moved)
            then(answer.moved)

        if carriers.is_light(request):
            go_on(self._carrier.do(request))
        else:
            self.carry(request, go_on)

    def _note_moved(self, job: OpenJob, kind: str, way: str, times: tuple[int, int], moved: Moved) -> None:
        total = sum(each.moved_bytes for each in moved.transfers)
        files = sum(each.files for each in moved.transfers)
        at = len(job.parts)
        job.parts.append(Part(kind, *times, bytes=total, count=files, name=way))
        if moved.transfers and way not in ("link", "hardlink"):
            job.parts += [
                Part(
                    "transfer",
                    each.start_ns,
                    each.end_ns,
                    bytes=each.moved_bytes,
                    count=each.files,
                    name=each.what,
                    within=at,
                )
                for each in moved.transfers
            ]

    def _put_away(self, job: OpenJob, moved: Moved | None) -> None:
        sizes = moved.sizes if moved else {}
        sums = moved.checksums if moved else {}
        made = {
            task: tuple(Made(name, sizes.get(name, -1), sums.get(name, "")) for name in names)
            for task, names in job.made.items()
        }
        self._events.append(Closed(job.number, made, job.values))
        if job.own_folder:
            self._remove(job.folder)

    def forget(self, number: int) -> None:
        """Let go of a job that is closed."""
        self._jobs.pop(number, None)

    def _remove(self, folder: str) -> None:
        try:
            os.rmdir(folder)
        except OSError:  # something is in it: that takes longer
            self.carry(carriers.Request(carriers.Errand.REMOVE, "", folder), lambda _: None)

    def _checkpoints(self, job: OpenJob) -> list[str]:
        names = [name for order in job.orders.values() for name in order.template.checkpoints]
        return [name for name in names if os.path.lexists(os.path.join(job.folder, name))]

    # -------------------------------------------------------------------------------------------- executing

    def _start(self, job: OpenJob, order: TaskOrder) -> None:
        execution = job.executing[order.task] = Execution(order, monotonic_ns())
        try:
            if order.lists:
                _write_lists(order.lists, job.folder)
            if order.outputs:
                _make_parents(order.outputs, job.folder)
            if order.call is not None:
                self._call(job, execution)
            else:
                self._spawn(job, execution)
        except (OSError, TypeError, ValueError) as error:
            self._ended(job, order.task, monotonic_ns(), _why_not(order, error))
            return
        if order.template.timeout_s is not None:
            execution.deadline_ns = execution.start_ns + int(order.template.timeout_s * 1e9)
            heapq.heappush(self._deadlines, (execution.deadline_ns, job.number, order.task))

    def _spawn(self, job: OpenJob, execution: Execution) -> None:
        order = execution.order
        arguments = [find_program(order.arguments[0], order.environment), *order.arguments[1:]]
        execution.output = self._outputs.take()
        environment = {
            **self._settings.environment,
            JOB_VARIABLE: f"{self._settings.run_id}:{job.identity}:{job.attempt}",
            **order.environment,
        }
        if order.template.resources.gpus:
            execution.gpus = tuple(self._free_gpus[: order.template.resources.gpus])
            del self._free_gpus[: order.template.resources.gpus]
            environment["CUDA_VISIBLE_DEVICES"] = ",".join(map(str, execution.gpus))
        execution.start_ns = monotonic_ns()
        execution.pid = self._processes.start(arguments, environment, job.folder, execution.output[0])
        self._by_pid[execution.pid] = job, order.task

    def _call(self, job: OpenJob, execution: Execution) -> None:
        order = execution.order
        assert order.call is not None
        arguments, keywords = order.call
        output = os.path.join(self._settings.output, self._output_name(job, order.task))
        where = (job.folder if job.own_folder else "", output)
        request = functions.request(order.template.name, arguments, keywords, where)
        self._ask(self._callers, request, lambda data, pid: self._answered(job, order.task, data, pid))

    def _caller(self) -> functions.Server:
        spare = os.path.join(self._settings.output, f".{os.getpid()}")
        return functions.Server(self._settings.templates, spare)

    def _answered(self, job: OpenJob, task: int, data: bytes, pid: int) -> None:
        if not data:
            self._ended(job, task, monotonic_ns(), "The worker that called it has died.")
            return
        answer = functions.answer_of(data)
        execution = job.executing[task]
        execution.start_ns, execution.pid = answer.start_ns, pid
        if answer.output:
            job.outputs[task] = answer.output
        job.values[task] = answer.value
        used = (*answer.cpu_us, 0, 0, 0, 0, 0)
        self._ended(job, task, answer.end_ns, answer.cause, used)

    def _reaped(self, ended: Reaped) -> None:
        found = self._by_pid.pop(ended.pid, None)
        if found is None:
            self._lost(ended)
            return
        job, task = found
        cause = _in_words(ended.status) if ended.status else ""
        self._ended(job, task, ended.end_ns, cause, ended.used)

    def _lost(self, ended: Reaped) -> None:
        """See whether a worker has died, and who was waiting for it."""
        for crew in (self._callers, self._carriers):
            key = crew.lost(ended.pid)
            if key is not None:
                self._then.pop(key)(b"", ended.pid)

    def _ended(self, job: OpenJob, task: int, end_ns: int, cause: str, used: tuple[int, ...] = ()) -> None:
        execution = job.executing.pop(task)
        self._free_gpus += execution.gpus
        own = int(execution.output is not None)
        if execution.output is not None:
            name = self._outputs.give_back(execution.output, self._output_name(job, task))
            if name:
                job.outputs[task] = name
        verdict, cause = self._judge(execution, cause)
        failed = int(verdict is not Verdict.OK)
        of_task = task + 1 if job.shared else 0
        job.parts.append(
            Part("exec", execution.start_ns, end_ns, failed, of_task, -1, 0, execution.pid, own, used)
        )
        made: tuple[str, ...] = ()
        if job.shared and verdict is Verdict.OK:
            try:
                job.made[task] = made_by(execution.order.outputs, job.folder)
                made = tuple(job.made[task])
                job.there.update(made)
            except MissingOutputError as error:
                verdict, cause = Verdict.FAILED, str(error)
        self._events.append(Executed(job.number, task, verdict, cause, made))

    def _judge(self, execution: Execution, cause: str) -> tuple[Verdict, str]:
        """Return how a task went, and why it failed."""
        if execution.ended:
            late = execution.ended.startswith("It took")
            return Verdict.TIMED_OUT if late else Verdict.STOPPED, execution.ended
        return (Verdict.FAILED, cause) if cause else (Verdict.OK, "")

    def _end(self, job: OpenJob, task: int, why: str, number: int) -> None:
        execution = job.executing[task]
        execution.ended = execution.ended or why
        if execution.output is not None:
            end_group(execution.pid, number)
        elif number == signal.SIGKILL:
            self._kill_worker(job, task)
        if number != signal.SIGKILL:
            heapq.heappush(self._deadlines, (monotonic_ns() + _GRACE_NS, job.number, task))

    def _kill_worker(self, job: OpenJob, task: int) -> None:
        worker = next((w for w in self._callers.workers.values() if w.asked), None)
        if worker is not None:
            os.kill(worker.pid, signal.SIGKILL)

    def _output_name(self, job: OpenJob, task: int) -> str:
        name = job.orders[task].name
        plain = "".join(letter if letter.isalnum() or letter in "._=-" else "-" for letter in name)[:80]
        return f"{plain}.{job.identity}-{task}.{job.attempt}.log"

    # -------------------------------------------------------------------------------------------- waiting

    def _ask(self, crew: Crew, request: bytes, then: Then) -> None:
        self._keys += 1
        self._then[self._keys] = then
        crew.ask(self._keys, request)

    def _wait(self, timeout_s: float) -> None:
        if self._deadlines:
            timeout_s = min(timeout_s, (self._deadlines[0][0] - monotonic_ns()) / 1e9)
        answering = {**self._carriers.descriptors(), **self._callers.descriptors()}
        for descriptor in self._wakes.wait(set(answering), timeout_s):
            worker = answering[descriptor]
            crew = self._callers if worker.pid in self._callers.workers else self._carriers
            for key, answer, pid in crew.answers(worker):
                self._then.pop(key)(answer, pid)
        for ended in self._processes.reap():
            self._reaped(ended)
        self._end_late()

    def _end_late(self) -> None:
        now_ns = monotonic_ns()
        while self._deadlines and self._deadlines[0][0] <= now_ns:
            _, number, task = heapq.heappop(self._deadlines)
            job = self._jobs.get(number)
            execution = job.executing.get(task) if job else None
            if job is None or execution is None:
                continue
            if execution.ended:
                self._end(job, task, execution.ended, signal.SIGKILL)
            elif execution.deadline_ns and execution.deadline_ns <= now_ns:
                self._end(
                    job,
                    task,
                    f"It took longer than {execution.order.template.timeout_s:g} s.",
                    signal.SIGTERM,
                )

    def _break(self, job: OpenJob, cause: str) -> None:
        self._events.append(Broken(job.number, Verdict.FAILED, cause))


def _errand_answer(data: bytes) -> carriers.Answer:
    return (
        carriers.answer_of(data)
        if data
        else carriers.Answer(None, "The process that moved its files has died.")
    )


def _write_lists(lists: Mapping[str, tuple[str, ...]], folder: str) -> None:
    for name, names in lists.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(f"{each}\n" for each in names)


def _make_parents(outputs: Iterable[Output], folder: str) -> None:
    """Make the directories that outputs are to lie in, as a user expects it."""
    for name in {output.name.rstrip("/").rpartition("/")[0].partition("{")[0] for output in outputs}:
        if name:
            os.makedirs(os.path.join(folder, name), exist_ok=True)


def _why_not(order: TaskOrder, error: Exception) -> str:
    program = order.arguments[0] if order.arguments else order.name
    if isinstance(error, FileNotFoundError):
        return f"Its command '{program}' was not found."
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"It could not be started: {reason}."


def _in_words(status: int) -> str:
    """Return how a process ended, as a sentence."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return f"It was killed by {signal.Signals(number).name}."
    code = os.waitstatus_to_exitcode(status)
    return "Its command was not found (exit code 127)." if code == 127 else f"It ended with exit code {code}."
