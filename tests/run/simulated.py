"""An engine without processes: it does what the runner says in any order, and watches what it is told.

Every promise that concerns the order of things is checked while it happens: no task before what it depends
on, no more at once than the machine has, nothing twice, nothing new after a stop or a failure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

from longpole.model.patterns import fill, places
from longpole.model.plan import Clustering
from longpole.model.workflow import Workflow
from longpole.plan.clusters import Clusters
from longpole.plan.expansion import Expansion
from longpole.plan.templates import levels
from longpole.run.capacity import Capacity
from longpole.run.messages import (
    Abandon,
    Assist,
    Assisted,
    Auxiliary,
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
    Opened,
    Stop,
    Verdict,
)
from longpole.run.policy import Policy
from longpole.run.runner import Runner

Fate = Callable[[str, int], Verdict]
"""How the n-th execution of a task, counted from 1, goes; also ``open LABEL`` and ``close LABEL``."""


def always_well(name: str, time: int) -> Verdict:
    """Let everything go well."""
    return Verdict.OK


@dataclass
class Machine:
    """What a simulated machine has, and how what runs there goes."""

    cores: int = 2
    memory: int | None = 1000
    gpus: int = 0
    keep_going: bool = False
    clustering: Clustering = field(default_factory=Clustering)
    fate: Fate = always_well
    # How many files a task makes of an open pattern.
    many: Callable[[str], int] = lambda name: 2


class Simulation:
    """Runs a workflow that is only thought of."""

    def __init__(self, workflow: Workflow, machine: Machine, seed: int = 0, **more) -> None:
        self.machine, self.random = machine, Random(seed)
        self.expansion = Expansion(workflow, {})
        clusters = Clusters(machine.clustering, self.expansion)
        self.policy = Policy(
            capacity=Capacity(machine.cores, machine.memory, machine.gpus),
            levels=_levels(self.expansion, clusters),
            keep_going=machine.keep_going,
            cluster=lambda new: [(each.label, each.tasks) for each in clusters.assign(new) if each.label],
            label=clusters.label_of,
            **more,
        )
        self.clusters = clusters
        self.runner = Runner(self.expansion, self.policy)
        self.executed: Counter[str] = Counter()
        self.opened: Counter[str] = Counter()
        self.committed: set[int] = set()
        self.done_in: dict[int, set[int]] = {}
        self.executing: dict[int, set[int]] = {}
        self.assists: list[tuple[Auxiliary, int]] = []
        self.began_after_stop = self.began_after_failure = False
        self._pending: list[Event] = []
        self._made: dict[int, dict[int, tuple[str, ...]]] = {}
        self._attempts: dict[int, int] = {}
        self._held: dict[int, tuple[int, int, int]] = {}
        self._taken: dict[tuple[int, int], tuple[int, int, int]] = {}

    def run(self, stop_after: int = -1, most: int = 20_000) -> Simulation:
        """Run to the end; with a stop after so many events."""
        self._obey(self.runner.start())
        for step in range(most):
            if step == stop_after:
                self._obey(self.runner.stop())
            if self.runner.finished:
                assert not self._pending, f"finished, but {self._pending} is still to come"
                return self
            assert self._pending, "nothing is going on, and it is not finished"
            event = self._pending.pop(self.random.randrange(len(self._pending)))
            self._before(event)
            self._obey(self.runner.take(event))
        raise AssertionError("it does not come to an end")

    def names(self, numbers) -> set[str]:
        return {self.expansion.tasks[number].name for number in numbers}

    @property
    def done(self) -> set[str]:
        return self.names(self.committed)

    # ---------------------------------------------------------------- obeying

    def _obey(self, instructions: list[Instruction]) -> None:
        for each in instructions:
            match each:
                case Open():
                    self._open(each)
                case Execute():
                    self._execute(each.job, each.task)
                case Close():
                    self._close(each.job)
                case Discard() | Abandon():
                    self._forget(each.job)
                case Stop():
                    self._stop(each.job)
                case Assist():
                    self._assist(each)

    def _open(self, each: Open) -> None:
        job = self.runner.graph.jobs[each.job]
        self._begins()
        assert each.job not in self._held, "opened twice"
        assert each.attempt == self._attempts.get(each.job, 0) + 1
        self._attempts[each.job] = each.attempt
        self._held[each.job] = (job.needs.cores, job.needs.memory_bytes or 0, job.needs.gpus)
        self._check_room()
        self.executing[each.job], self.done_in[each.job], self._made[each.job] = set(), set(), {}
        if job.label:
            self.opened[job.label] += 1
            verdict = self.machine.fate(f"open {job.label}", self.opened[job.label])
            well = verdict is Verdict.OK
            self._pending.append(Opened(each.job) if well else Broken(each.job, verdict, "broken"))
            return
        (task,) = job.tasks
        verdict = self._starts(each.job, task)
        if verdict is Verdict.OK:
            self._pending.append(self._closed(each.job))
        else:
            self._pending.append(Broken(each.job, verdict, f"{verdict}"))

    def _execute(self, number: int, task: int) -> None:
        job = self.runner.graph.jobs[number]
        assert not self.runner.stopped, "a task begins after the stop"
        assert number in self._held
        needs = self.expansion.tasks[task].template.resources
        self._taken[number, task] = (needs.cores, job.memory_for(task) or 0, needs.gpus)
        verdict = self._starts(number, task)
        self._check_room_inside(number)
        made = self._files(task) if verdict is Verdict.OK else ()
        self._pending.append(Executed(number, task, verdict, f"{verdict}", made, task.to_bytes(4, "big")))

    def _starts(self, number: int, task: int) -> Verdict:
        """Check that all that a task depends on is there; return how it will go."""
        name = self.expansion.tasks[task].name
        for before in self.expansion.dependencies(task):
            there = before in self.done_in[number] or before in self.runner.committed
            assert there, f"{name} begins before task {before} is done"
        assert task not in self.committed
        assert task not in self.executing[number]
        self.executing[number].add(task)
        self.executed[name] += 1
        return self.machine.fate(name, self.executed[name])

    def _close(self, number: int) -> None:
        job = self.runner.graph.jobs[number]
        assert not self.executing[number]
        assert self.done_in[number] == set(job.tasks)
        verdict = self.machine.fate(f"close {job.label}", 1)
        well = verdict is Verdict.OK
        self._pending.append(self._closed(number) if well else Broken(number, verdict, "broken"))

    def _closed(self, number: int) -> Closed:
        tasks = self.runner.graph.jobs[number].tasks
        made = {task: tuple(Made(name, 1, "") for name in self._files(task)) for task in tasks}
        return Closed(number, made, {task: task.to_bytes(4, "big") for task in tasks})

    def _forget(self, number: int) -> None:
        assert not self.executing[number] or not self.runner.graph.jobs[number].label
        self._held.pop(number)

    def _stop(self, number: int) -> None:
        """Let what is executed end as stopped, sometimes; it may also just have ended otherwise."""
        for at, event in enumerate(self._pending):
            ours = getattr(event, "job", -1) == number and self.random.random() < 0.7
            if ours and isinstance(event, Executed):
                self._pending[at] = event._replace(verdict=Verdict.STOPPED, made=())
            elif ours and isinstance(event, Closed) and not self.runner.graph.jobs[number].label:
                self._pending[at] = Broken(number, Verdict.STOPPED, "stopped")

    def _assist(self, each: Assist) -> None:
        if each.kind is Auxiliary.CLEANUP:
            assert not self._held
            assert not self._pending
        self.assists.append((each.kind, each.level))
        verdict = self.machine.fate(each.kind.value, each.level)
        self._pending.append(Assisted(each.kind, each.level, "" if verdict is Verdict.OK else "no room"))

    # ---------------------------------------------------------------- what happens

    def _before(self, event: Event) -> None:
        """Note what an event says before the runner hears of it."""
        match event:
            case Executed():
                self.executing[event.job].discard(event.task)
                del self._taken[event.job, event.task]
                if event.verdict is Verdict.OK:
                    self.done_in[event.job].add(event.task)
            case Closed():
                self._held.pop(event.job)
                self.executing[event.job].clear()
                assert self.committed.isdisjoint(event.made)
                self.committed.update(event.made)
            case Broken():
                self.executing[event.job].clear()

    def _files(self, task: int) -> tuple[str, ...]:
        this = self.expansion.tasks[task]
        names = [name for some in this.outputs for name in some]
        for pattern in (pattern for some in this.many for pattern in some):
            (place,) = places(pattern)
            names += [fill(pattern, {place: f"m{at}"}) for at in range(self.machine.many(this.name))]
        return tuple(names)

    def _begins(self) -> None:
        self.began_after_stop |= self.runner.stopped
        self.began_after_failure |= bool(self.runner.failures) and not self.machine.keep_going
        assert not self.began_after_stop
        assert not self.began_after_failure

    def _check_room(self) -> None:
        self._fits(self._held.values())

    def _check_room_inside(self, number: int) -> None:
        self._fits([taken for (job, _), taken in self._taken.items() if job == number])

    def _fits(self, taken) -> None:
        cores, memory, gpus = map(sum, zip(*taken, strict=True))
        assert cores <= self.machine.cores
        assert gpus <= self.machine.gpus
        assert self.machine.memory is None or memory <= self.machine.memory


def _levels(expansion: Expansion, clusters: Clusters) -> dict[str, int]:
    units = {name: clusters.label_of(name) or f"task {name}" for name in expansion.workflow.templates}
    before: dict[str, set[str]] = {unit: set() for unit in units.values()}
    for name, unit in units.items():
        before[unit] |= {units[earlier] for earlier in expansion.before[name]} - {unit}
    found = levels(before)
    return {name: found[unit] for name, unit in units.items()}
