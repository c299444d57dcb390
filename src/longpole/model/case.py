"""A case for a roofline: kinds of task with what each needs, on a machine, and what was measured of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from longpole.errors import LongpoleError
from longpole.model.machine import Machine
from longpole.model.resources import RESOURCES, STRUCTURE


class CaseError(LongpoleError):
    """A case that cannot be."""


class Origin(StrEnum):
    """How a volume is known."""

    REPORTED = "reported"
    MEASURED = "measured"
    ANALYTICAL = "analytical"
    DECLARED = "declared"


@dataclass(frozen=True, slots=True)
class Volume:
    """How much work: bytes, FLOP, core seconds, seconds or operations, by its resource.

    Attributes:
        amount: Of one task; on a node resource, on each node it runs on.
        origin: How it is known.
        per_node: Of a shared resource: each node of the task moves as much.
    """

    amount: float
    origin: Origin = Origin.ANALYTICAL
    per_node: bool = False

    def __post_init__(self) -> None:
        """Check that it is an amount."""
        if not 0 <= self.amount < float("inf"):
            raise CaseError(f"A volume cannot be {self.amount:g}.")


@dataclass(frozen=True, slots=True)
class TaskKind:
    """Tasks that are alike: jobs as the workflow's author cut them.

    Attributes:
        name: What they are called.
        count: How many there are in the whole workflow.
        nodes: How many nodes one of them takes. Below 1: it shares a node with others.
        cores: How many cores one of them can use on its node; None: all that its share of nodes has.
        node: What one of them does on each of its nodes, by resource.
        system: What one of them moves over what all share.
        overhead: Fixed seconds of one of them, by what takes them.
        after: Kinds all of whose tasks must be done before one of these begins.
        seconds: How long one of them took on average, where it was measured.
    """

    name: str
    count: int = 1
    nodes: float = 1
    cores: float | None = None
    node: Mapping[str, Volume] = field(default_factory=dict)
    system: Mapping[str, Volume] = field(default_factory=dict)
    overhead: Mapping[str, Volume] = field(default_factory=dict)
    after: tuple[str, ...] = ()
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Check that there are such tasks, and that they run somewhere."""
        if self.count < 1:
            raise CaseError(f"There must be at least one task '{self.name}', not {self.count}.")
        if not 0 < self.nodes < float("inf"):
            raise CaseError(f"The task '{self.name}' must have nodes, not {self.nodes:g}.")
        for name in self.overhead:
            if name in RESOURCES or name == STRUCTURE:
                raise CaseError(f"'{name}' is a ceiling: an overhead of '{self.name}' needs another name.")
        if self.cores is not None and not 0 < self.cores < float("inf"):
            raise CaseError(f"The task '{self.name}' must have cores, not {self.cores:g}.")


@dataclass(frozen=True, slots=True)
class Dot:
    """One run of the workflow, or what one would be: a dot of the figure.

    Attributes:
        name: What it is called.
        makespan_s: From the first begin to the last end, without waiting in a queue.
        parallel: How many tasks ran at once; None: as the case says.
        tasks: How many tasks it had; None: all of the case.
        contended: Whether shared resources were contended: it is then held against contended peaks.
        projected: Whether nobody has measured it.
        parts: Seconds of the makespan, by what took them; for the breakdown.
        kinds: Seconds that one task of a kind took, on average.
        source: How it is known.
    """

    name: str
    makespan_s: float
    parallel: int | None = None
    tasks: int | None = None
    contended: bool = False
    projected: bool = False
    parts: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    source: str = "measured"

    def __post_init__(self) -> None:
        """Check that it took time."""
        if not 0 < self.makespan_s < float("inf"):
            raise CaseError(f"'{self.name}' must have taken some time, not {self.makespan_s:g} s.")


@dataclass(frozen=True, slots=True)
class Target:
    """What the workflow has to reach: seconds from begin to end, tasks per second, or both."""

    makespan_s: float | None = None
    throughput: float | None = None


@dataclass(frozen=True, slots=True)
class Case:
    """A workflow on a machine.

    Attributes:
        name: What it is called.
        machine: Where it runs.
        kinds: Its tasks.
        parallel: How many of them run at once: the dot's x.
        could: How many could run at once by how they depend on each other; None where nobody knows.
        unit: What the y axis counts: task, epoch, sample.
        task: What a task is, in words; for the legend.
        target: What it has to reach.
        dots: Runs of it.
        main: Name of the dot that sentences are about; empty: the first.
        levels: How many tasks the longest chain has; None: as ``after`` of its kinds says.
        queue_s: Seconds it waited in a queue; not part of any makespan.
        path_s: Seconds of the critical path as it was measured, if it was.
        unknown: What could not be counted, a sentence each.
        about: Anything else worth knowing.
        projected: Whether the machine is another than the one that was measured on.
        recorded: Whether it is of a run that is there to be looked into.
    """

    name: str
    machine: Machine
    kinds: tuple[TaskKind, ...]
    parallel: int = 1
    could: int | None = None
    unit: str = "task"
    task: str = "a job as the workflow's author cut it"
    target: Target = Target()
    dots: tuple[Dot, ...] = ()
    main: str = ""
    levels: int | None = None
    queue_s: float | None = None
    path_s: float | None = None
    unknown: tuple[str, ...] = ()
    about: str = ""
    projected: bool = False
    recorded: bool = False

    def __post_init__(self) -> None:
        """Check that there is something to do, and someone to do it."""
        if not self.kinds:
            raise CaseError(f"The case '{self.name}' has no tasks.")
        if len({kind.name for kind in self.kinds}) < len(self.kinds):
            raise CaseError(f"Two kinds of task of '{self.name}' have one name.")
        if self.parallel < 1:
            raise CaseError(f"'{self.name}' must run at least one task at once, not {self.parallel}.")

    @property
    def main_kind(self) -> TaskKind:
        """The kind that says how many fit at once: of which there are most, the largest of these."""
        return max(self.kinds, key=lambda kind: (kind.count, kind.nodes))

    @property
    def tasks(self) -> int:
        """How many tasks there are in all."""
        return sum(kind.count for kind in self.kinds)
