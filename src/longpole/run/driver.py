"""The driver of a run: lets the runner decide, the engine act, and writes both down before it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic_ns

from longpole.errors import LongpoleError
from longpole.model.failure import FailedTask
from longpole.run.attempts import Attempts, Remember
from longpole.run.auxiliaries import Assistant, Auxiliaries
from longpole.run.causes import Causes
from longpole.run.engines.opened import OpenJob
from longpole.run.engines.port import Engine
from longpole.run.identities import Identities
from longpole.run.jobs import Job
from longpole.run.journal import Journal
from longpole.run.locations import Locations
from longpole.run.messages import (
    Abandon,
    Assist,
    Broken,
    Close,
    Closed,
    Discard,
    Event,
    Execute,
    Executed,
    Instruction,
    Open,
    Stop,
    Verdict,
)
from longpole.run.orders import Orders, TaskOrder, folder_of
from longpole.run.outcomes import Outcomes
from longpole.run.runner import Runner

_TURN_S = 0.25
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
    assist: Assistant
    wanted: Callable[[str, str], bool]
    look_at: Callable[[TaskOrder], None]
    remember: Remember
    settle: Callable[[], None]


class Driver:
    """Drives one run to its end."""

    def __init__(self, parts: Parts) -> None:
        """Take what was put together."""
        runner, engine, journal = parts.runner, parts.engine, parts.journal
        self._runner, self._engine, self._journal = runner, engine, journal
        self._parts = parts
        self._identities = Identities(runner, journal)
        self._outcomes = Outcomes(runner, journal, self._identities)
        self._causes = Causes(runner, engine)
        self._attempts = Attempts(runner, engine, journal, self._identities, parts.remember)
        self._auxiliaries = Auxiliaries(parts.assist, journal, self._causes, parts.session)
        # Of jobs and tasks that cannot be ordered: the engine never hears of them.
        self._unordered: list[Event] = []
        self._stops = 0
        self._look_ns = 0

    @property
    def failed(self) -> list[FailedTask]:
        """What failed for good so far."""
        return self._causes.failed

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
        self._outcomes.note_all()

    def _listen(self) -> list[Instruction]:
        """Wait for something to happen; return what is to be done about it."""
        is_known = self._auxiliaries.has_ended or self._unordered
        events = [] if is_known else self._engine.wait(_TURN_S)
        self._runner.let_ahead(self._engine.ahead)
        events += self._auxiliaries.take()  # some have ended while we waited
        unordered, self._unordered = self._unordered, []
        events += unordered
        instructions: list[Instruction] = []
        for event in events:
            instructions += self._take(event)
        self._causes.tell_refused()
        if self._engine.asked_to_stop > self._stops:
            instructions += self._stop()
        return instructions

    def _take(self, event: Event) -> list[Instruction]:
        """Write down what has happened; return what is to be done about it."""
        if isinstance(event, Closed):
            for made in event.made.values():  # before the runner asks whether what comes next is known
                self._parts.locations.keep(made)
        else:
            self._causes.hear(event)
        instructions = self._runner.take(event)
        if isinstance(event, Closed):
            self._attempts.commit(event)
        self._identities.grow()
        self._attempts.note_ready()
        return instructions

    def _stop(self) -> list[Instruction]:
        self._stops = self._engine.asked_to_stop
        instructions = [] if self._runner.stopped else self._runner.stop()
        if self._stops > 1:
            for number in self._runner.running:
                self._engine.kill(number)
            self._engine.end_transfers()
        return instructions

    def _note_long(self) -> None:
        """Write down processes that have run for a while, so that they are known if we should die."""
        now_ns = monotonic_ns()
        if now_ns < self._look_ns:
            return
        self._look_ns = now_ns + _LOOK_NS
        for job, part in self._engine.long_parts(now_ns):
            self._journal.parts(job.identity, job.attempt, [part])

    # ------------------------------------------------------------------------------------------ doing

    def _perform(self, instructions: Iterable[Instruction]) -> None:
        """Write down what begins, and begin it."""
        now_ns = monotonic_ns()
        todo = list(instructions)
        for each in todo:
            if isinstance(each, Open):
                self._attempts.begin(each, now_ns)
            elif isinstance(each, Discard | Abandon):
                if isinstance(each, Abandon):
                    self._causes.tell(each.job)
                self._attempts.fail(each.job, self._causes.of(each.job))
        self._outcomes.note_cached()
        self._outcomes.note_skipped()
        self._journal.flush()
        self._parts.settle()
        for each in todo:
            self._do(each)

    def _do(self, instruction: Instruction) -> None:
        match instruction:
            case Execute():
                self._execute(instruction)
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
                self._auxiliaries.begin(instruction)

    def _execute(self, instruction: Execute) -> None:
        number, task = instruction
        memory_bytes = self._runner.graph.jobs[number].memory_for(task)
        try:
            order = self._parts.orders.task(task, memory_bytes)
        except LongpoleError as error:
            self._unordered.append(Executed(number, task, Verdict.FAILED, str(error)))
        else:
            self._engine.execute(number, order)

    def _open(self, instruction: Open) -> None:
        job = self._runner.graph.jobs[instruction.job]
        try:
            orders = self._orders(job)
        except LongpoleError as error:
            self._unordered.append(Broken(job.number, Verdict.FAILED, str(error)))
        else:
            self._engine.open(self._opened(instruction, orders), orders)

    def _opened(self, instruction: Open, orders: Sequence[TaskOrder]) -> OpenJob:
        job = self._runner.graph.jobs[instruction.job]
        identity = self._identities.jobs[job.number]
        own = bool(job.label) or orders[0].needs_folder
        folder = folder_of(self._parts.scratch, identity, instruction.attempt) if own else ""
        return OpenJob(
            job.number,
            identity,
            instruction.attempt,
            folder,
            own,
            bool(job.label),
            lambda name: not job.label or self._parts.wanted(job.label, name),
            self._identities.tasks.__getitem__,
        )

    def _orders(self, job: Job) -> list[TaskOrder]:
        """Return the orders for a job; those of several tasks are completed when each is executed.

        Raises:
            LongpoleError: A name cannot be put where it is asked for.
        """
        if job.label:
            return [self._parts.orders.outline(task) for task in job.tasks]
        orders = [self._parts.orders.task(task, job.memory_for(task)) for task in job.tasks]
        for order in orders:
            self._parts.look_at(order)
        return orders
