"""The driver of a run: lets the runner decide, the engine act, and writes both down before it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from time import monotonic_ns

from longpole.model.call_arguments import comes_after
from longpole.model.failure import FailedTask
from longpole.model.staging import Moved
from longpole.run.engines.local.outputs import last_lines
from longpole.run.engines.local.staging import note_moved
from longpole.run.engines.opened import OpenJob
from longpole.run.engines.port import Delivered, Engine
from longpole.run.jobs import Job
from longpole.run.journal import Failure, Journal, Result
from longpole.run.locations import Locations
from longpole.run.messages import (
    Abandon,
    Assist,
    Assisted,
    Broken,
    Close,
    Closed,
    Discard,
    Event,
    Execute,
    Executed,
    Instruction,
    Made,
    Open,
    Stop,
    Verdict,
)
from longpole.run.orders import Orders, TaskOrder, folder_of
from longpole.run.resuming import together
from longpole.run.runner import Runner
from longpole.store.derive.workflow_notes import Part

_TURN_S = 0.25
_SHOWN_LINES = 10
_LOOK_NS = 500_000_000


@dataclass(frozen=True, slots=True)
class Parts:
    """What a driver puts together."""

    runner: Runner
    engine: Engine
    journal: Journal
    orders: Orders
    locations: Locations
    session: int
    scratch: str
    assist: Callable[[Assist, Delivered], None]
    wanted: Callable[[str, str], bool]
    look_at: Callable[[TaskOrder], None]
    remember: Callable[[TaskOrder, tuple[Made, ...], bytes], None]
    settle: Callable[[], None]


class Driver:
    """Drives one run to its end.

    Attributes:
        failed: What failed for good so far.
    """

    def __init__(self, parts: Parts) -> None:
        """Take what was put together."""
        self._runner, self._engine, self._journal = parts.runner, parts.engine, parts.journal
        self._parts = parts
        self._identities: dict[int, int] = {}
        self._task_ids: list[int] = []
        self._ready_ns: dict[int, int] = {}
        self._causes: dict[int, tuple[Verdict, str, int]] = {}
        self._assisted: list[Event] = []
        self._stops = 0
        self._cached = 0
        self._look_ns = 0
        self._refused = False
        self.failed: list[FailedTask] = []

    def run(self, turn: Callable[[], None]) -> None:
        """Run until all is done, or nothing can be done any more; ``turn`` is called now and then.

        Raises:
            JournalError: What happens can no longer be written down; everything was stopped.
        """
        waiting = self._runner.start()
        while not self._runner.finished:
            self._perform(waiting)
            waiting = self._listen()
            self._note_long()
            turn()

    def note_outcomes(self) -> None:
        """Write down which tasks did not run: those that were made before, and those that could not."""
        runner, ids = self._runner, self._task_ids
        graph = runner.graph
        never = [job for job in graph.jobs if not job.attempt and not job.done]
        skipped = [graph.jobs[number] for number in sorted(runner.skipped)]
        self._note_cached()
        self._journal.outcomes("skipped", [ids[task] for job in skipped for task in job.tasks])
        self._journal.outcomes("never", [ids[task] for job in never for task in job.tasks])

    def _listen(self) -> list[Instruction]:
        """Wait for something to happen; return what is to be done about it."""
        events = [] if self._assisted else self._engine.wait(_TURN_S)
        self._runner.let_ahead(self._engine.ahead)
        events += self._assisted  # some have ended while we waited
        self._assisted.clear()
        instructions: list[Instruction] = []
        for event in events:
            self._note(event)
            instructions += self._runner.take(event)
            if isinstance(event, Closed):
                self._commit(event)
            if self._runner.ready or len(self._task_ids) < len(self._runner.graph.job_of):
                self._note_growth()
        self._note_refused()
        if self._engine.asked_to_stop > self._stops:
            instructions += self._stop()
        return instructions

    def _stop(self) -> list[Instruction]:
        self._stops = self._engine.asked_to_stop
        instructions = [] if self._runner.stopped else self._runner.stop()
        if self._stops > 1:
            for number in self._runner.running:
                self._engine.kill(number)
            self._engine.end_transfers()
        return instructions

    # ------------------------------------------------------------------------------------------ doing

    def _perform(self, instructions: Iterable[Instruction]) -> None:
        """Write down what begins, and begin it."""
        now_ns = monotonic_ns()
        todo = list(instructions)
        for each in todo:
            if isinstance(each, Open):
                ready_ns = self._ready_ns.pop(each.job, now_ns)
                self._journal.start(self._identities[each.job], each.attempt, now_ns, ready_ns)
            elif isinstance(each, Discard | Abandon):
                if isinstance(each, Abandon):
                    self.failed.append(self._told(each.job))
                    self._note_skipped(each.job)
                self._fail(each.job)
        self._note_cached()
        self._journal.flush()
        self._parts.settle()
        for each in todo:
            self._do(each)

    def _do(self, instruction: Instruction) -> None:
        match instruction:
            case Execute():
                job = self._runner.graph.jobs[instruction.job]
                order = self._parts.orders.task(instruction.task, job.memory_for(instruction.task))
                self._engine.execute(instruction.job, order)
            case Open():
                self._open(instruction)
            case Close():
                self._engine.finish(instruction.job)
            case Discard():
                self._engine.discard(instruction.job)
            case Abandon():
                self._engine.abandon(instruction.job)
            case Stop():
                self._engine.stop(instruction.job)
            case Assist():
                self._assist(instruction)

    def _open(self, instruction: Open) -> None:
        job = self._runner.graph.jobs[instruction.job]
        orders = self._orders(job)
        identity = self._identities[job.number]
        own = bool(job.label) or orders[0].needs_folder
        folder = folder_of(self._parts.scratch, identity, instruction.attempt) if own else ""
        opened = OpenJob(
            job.number,
            identity,
            instruction.attempt,
            folder,
            own,
            bool(job.label),
            lambda name: not job.label or self._parts.wanted(job.label, name),
            self._task_ids.__getitem__,
        )
        self._engine.open(opened, orders)

    def _orders(self, job: Job) -> list[TaskOrder]:
        """Return the orders for a job; those of several tasks are completed when each is executed."""
        if job.label:
            return [self._parts.orders.outline(task) for task in job.tasks]
        orders = [self._parts.orders.task(task, job.memory_for(task)) for task in job.tasks]
        for order in orders:
            self._parts.look_at(order)
        return orders

    def _assist(self, instruction: Assist) -> None:
        name = instruction.kind.value + (f" {instruction.level}" if instruction.level else "")
        number = self._journal.plan_auxiliary(name, instruction.kind.value)
        start_ns = monotonic_ns()
        attempt = self._parts.session
        self._journal.start(number, attempt, start_ns, start_ns)

        def ended(cause: str, moved: Moved) -> None:
            now_ns = monotonic_ns()
            parts: list[Part] = []
            if moved.transfers:
                note_moved(parts, Part("stage_out", start_ns, now_ns, name="copy"), moved)
            if cause:
                self.failed.append(FailedTask(name, attempt, cause))
                self._journal.fail(number, attempt, now_ns, parts, Failure(1, cause))
            else:
                self._journal.commit(number, attempt, now_ns, parts, Result())
            self._assisted.append(Assisted(instruction.kind, instruction.level, cause))

        self._parts.assist(instruction, ended)

    # ------------------------------------------------------------------------------------------ writing down

    def _note(self, event: Event) -> None:
        if isinstance(event, Closed):
            for made in event.made.values():  # before the runner asks whether what comes next is known
                self._parts.locations.keep(made)
        elif isinstance(event, Executed | Broken) and event.verdict is not Verdict.OK:
            task = event.task if isinstance(event, Executed) else self._runner.graph.jobs[event.job].tasks[0]
            self._causes[event.job] = event.verdict, event.cause, task

    def _note_cached(self) -> None:
        """Write down tasks that have turned out to be made already."""
        new = self._runner.cached[self._cached :]
        self._cached += len(new)
        self._journal.outcomes("cached", [self._task_ids[task] for task in new])

    def _note_skipped(self, number: int) -> None:
        """Write down which tasks cannot run, since a job has failed."""
        graph = self._runner.graph
        behind = [graph.jobs[other] for other in graph.after(graph.jobs[number])]
        self._journal.outcomes("skipped", [self._task_ids[task] for job in behind for task in job.tasks])

    def _note_long(self) -> None:
        """Write down processes that have run for a while, so that they are known if we should die."""
        now_ns = monotonic_ns()
        if now_ns < self._look_ns:
            return
        self._look_ns = now_ns + _LOOK_NS
        for job, part in self._engine.long_parts(now_ns):
            self._journal.parts(job.identity, job.attempt, [part])

    def _note_refused(self) -> None:
        """Tell why no more tasks can come up."""
        if self._runner.refused and not self._refused:
            self._refused = True
            self.failed.append(FailedTask("workflow", 1, self._runner.refused))

    def _note_growth(self) -> None:
        """Write down tasks and jobs that have come up, and when jobs became ready."""
        runner = self._runner
        tasks, graph = runner.expansion.tasks, runner.graph
        for number in range(len(self._task_ids), len(graph.job_of)):
            job = graph.jobs[graph.job_of[number]]
            group = 0
            if job.label:
                group = self._identities.get(job.number) or self._journal.group(job.label, job.needs)
                self._identities[job.number] = group
            identity = self._journal.plan(tasks[number], group, self._before(number))
            self._task_ids.append(identity)
            if not job.label:
                self._identities[job.number] = identity
        if runner.ready:
            now_ns = monotonic_ns()
            for job_number in runner.ready:
                self._ready_ns[job_number] = now_ns
            runner.ready.clear()

    def _before(self, number: int) -> list[int]:
        """Return the tasks that a task comes after though they hand no file over."""
        expansion = self._runner.expansion
        names = comes_after(expansion.tasks[number].template)
        found = (task for name in names for task in expansion.results_for(number, name))
        return [self._task_ids[task] for task in found]

    def _commit(self, event: Closed) -> None:
        job = self._runner.graph.jobs[event.job]
        made = tuple(each for some in event.made.values() for each in some)
        value = self._value(job, event.values)
        opened = self._engine.job(job.number)
        if opened is not None and not job.label:
            self._parts.remember(opened.orders[job.tasks[0]], made, value)
        parts = self._engine.take_parts(job.number)
        began_ns, ended_ns = _times(opened)
        result = Result(made, value, began_ns)
        self._journal.commit(self._identities[job.number], job.attempt, ended_ns, parts, result)
        self._engine.forget(job.number)

    def _value(self, job: Job, values: Mapping[int, bytes]) -> bytes:
        """Return what a function returned; of a job of several tasks, by the number of each."""
        if not job.label:
            return values.get(job.tasks[0], b"")
        return together({self._task_ids[task]: value for task, value in values.items()}) if values else b""

    def _told(self, number: int) -> FailedTask:
        """Return why a job has failed, for its user."""
        job, opened = self._runner.graph.jobs[number], self._engine.job(number)
        _, cause, task = self._causes.get(number, (Verdict.FAILED, job.trouble, job.tasks[0]))
        name = self._runner.expansion.tasks[task].name
        behind = sum(len(self._runner.graph.jobs[other].tasks) for other in self._runner.graph.after(job))
        if opened is None:
            return FailedTask(name, job.attempt, cause, skipped=behind)
        output = opened.outputs.get(task, "")
        return FailedTask(
            task=name,
            attempt=job.attempt,
            cause=cause,
            command=opened.orders[task].command if task in opened.orders else "",
            output=output,
            last_lines=tuple(last_lines(output, _SHOWN_LINES)) if output else (),
            folder=opened.folder if opened.own_folder else "",
            skipped=behind,
        )

    def _fail(self, number: int) -> None:
        job = self._runner.graph.jobs[number]
        verdict, cause, _ = self._causes.get(number, (Verdict.FAILED, job.trouble, 0))
        status = 2 if verdict is Verdict.STOPPED else 1
        opened = self._engine.job(number)
        began_ns, ended_ns = _times(opened)
        parts = self._engine.take_parts(number)
        attempt = opened.attempt if opened is not None else job.attempt  # the runner may be an attempt ahead
        failure = Failure(status, cause, began_ns)
        self._journal.fail(self._identities[number], attempt, ended_ns, parts, failure)


def _times(job: OpenJob | None) -> tuple[int, int]:
    """Return when a job really began, 0 if with its start, and when it ended: now, if no worker says so."""
    if job is None:
        return 0, monotonic_ns()
    return job.began_ns, job.ended_ns or monotonic_ns()
