"""A workflow's roofline, computed: ceilings, wall, dots, zones and directions, to be drawn and told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from longpole.model.resources import Level

SCHEMA_VERSION = 1


class Zone(StrEnum):
    """Where a dot lies."""

    GOOD_GOOD = "good makespan, good throughput"
    GOOD_POOR = "good makespan, poor throughput"
    POOR_GOOD = "poor makespan, good throughput"
    POOR_POOR = "poor makespan, poor throughput"
    GOOD_THROUGHPUT = "good throughput"
    POOR_THROUGHPUT = "poor throughput"
    NODE_BOUND = "node-bound"
    SYSTEM_BOUND = "system-bound"
    STRUCTURE_BOUND = "structure-bound"
    OVERHEAD_BOUND = "overhead-bound"


class Way(StrEnum):
    """Directions in which a dot can move."""

    UP = "up"
    DIAGONAL = "diagonal"
    RAISE = "raise"
    INTRA_TASK = "intra-task"


@dataclass(frozen=True, slots=True)
class Ceiling:
    """An upper bound on throughput, from the least time that the whole workflow needs.

    At x parallel tasks the least time is the greater of ``serial_seconds / x`` and ``least_seconds``; the
    ceiling is the number of tasks divided by it. So it rises with x, lies flat, or first one, then the other.

    Attributes:
        name: What people call it.
        kind: Of what it is.
        resource: Its resource; of an overhead, what takes the time; of the structure, ``critical path``.
        workflow_seconds: The least time of the workflow at the dot's x.
        per_task_seconds: The least time of one task of each kind that has such work.
        tasks_per_second_at_dot: Tasks over ``workflow_seconds``.
        source: Where the peak and the volumes come from.
        serial_seconds: The least time one after the other; 0 of what is shared.
        least_seconds: The least time with any number in parallel.
        spread: By which share of itself it may be off.
        contended_seconds: ``workflow_seconds`` when others use the resource, too.
        contended_tasks_per_second: The ceiling then.
        work: Of a resource that all share: how much all tasks move over it.
        peak: Of such a resource: the most it gives; None where each task brings its own.
    """

    name: str
    kind: Level
    resource: str
    workflow_seconds: float
    per_task_seconds: Mapping[str, float]
    tasks_per_second_at_dot: float
    source: str
    serial_seconds: float
    least_seconds: float
    spread: float = 0.0
    contended_seconds: float | None = None
    contended_tasks_per_second: float | None = None
    work: float | None = None
    peak: float | None = None

    def height(self, tasks: int, parallel: float, *, contended: bool = False) -> float:
        """Return tasks per second of a workflow of so many tasks, with so many of them at once."""
        worse = 1.0
        if contended and self.contended_seconds is not None:
            worse = self.contended_seconds / self.workflow_seconds
        return tasks / (worse * max(self.serial_seconds / parallel, self.least_seconds))


@dataclass(frozen=True, slots=True)
class Wall:
    """The most tasks that the machine holds at once.

    Attributes:
        parallel: So many.
        nodes: Nodes there are.
        nodes_per_task: Nodes that the largest task takes.
        kind: That task.
    """

    parallel: int
    nodes: int
    nodes_per_task: float
    kind: str


@dataclass(frozen=True, slots=True)
class Placed:
    """A dot, placed under its ceilings.

    Attributes:
        name: What it is called.
        x: Tasks in parallel.
        y: Tasks per second.
        makespan_s: How long it took.
        tasks: How many tasks it had.
        efficiency: Its throughput over that of the ceiling that bounds it.
        bound: Name of that ceiling.
        kind: And of what that is.
        bound_y: Throughput of that ceiling here.
        zone: Where it lies.
        contended: Whether it is held against contended peaks.
        projected: Whether nobody has measured it.
        speedup: How many times faster than the dot before it, if there is one.
        source: How it is known.
    """

    name: str
    x: int
    y: float
    makespan_s: float
    tasks: int
    efficiency: float
    bound: str
    kind: Level
    bound_y: float
    zone: Zone
    contended: bool = False
    projected: bool = False
    speedup: float | None = None
    source: str = "measured"


@dataclass(frozen=True, slots=True)
class TargetLine:
    """A target.

    Attributes:
        name: ``makespan`` or ``throughput``.
        seconds: The makespan wanted; None of a throughput.
        tasks_per_second: What that means at the dot's x.
        slope: Tasks per second for each task in parallel: the line is slope times x; 0 of a horizontal.
        reachable: Whether the ceilings allow it at the dot's x.
        reachable_contended: Whether they do when shared resources are contended.
        derived: Whether it follows from the other target.
    """

    name: str
    seconds: float | None
    tasks_per_second: float
    slope: float
    reachable: bool
    reachable_contended: bool
    derived: bool = False

    def height(self, parallel: float) -> float:
        """Return the tasks per second that it asks for with so many at once."""
        return self.slope * parallel if self.slope else self.tasks_per_second


@dataclass(frozen=True, slots=True)
class Direction:
    """A way to go, with the most it can gain.

    Attributes:
        way: Which way.
        gain: Throughput after over throughput before, at most.
        x: Tasks in parallel after it.
        y: Throughput after it, at most.
        resource: The ceiling it is about.
        task: The kind of task it is about.
        then: The ceiling that bounds it after.
        text: What to do, one sentence.
    """

    way: Way
    gain: float
    x: int
    y: float
    resource: str
    task: str
    then: str
    text: str


@dataclass(frozen=True, slots=True)
class TaskView:
    """One kind of task under its own ceilings.

    Attributes:
        name: The kind.
        dot: The dot it was measured in.
        count: How many there are.
        nodes: Nodes of one of them.
        seconds: How long one took on average; None where nobody measured it.
        least_seconds: The least time that its own ceilings allow.
        bound: The ceiling that gives this; empty where nothing is known of it.
        efficiency: Least time over time.
        share: Its share of the time of all tasks.
    """

    name: str
    dot: str
    count: int
    nodes: float
    seconds: float | None
    least_seconds: float
    bound: str
    efficiency: float | None
    share: float | None


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a dot's makespan."""

    name: str
    seconds: float
    share: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Where the makespan of a dot went."""

    dot: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Roofline:
    """The whole of it.

    Attributes:
        name: The workflow.
        machine: The machine's name.
        machine_origin: The file or command that the machine came from.
        projected: Whether the machine is another than the one that was measured on.
        unit: What y counts.
        task: What a task is, in words.
        tasks: How many there are.
        parallel: How many run at once, the dot's x.
        could: How many could by how they depend on each other.
        levels: How many tasks the longest chain has.
        ceilings: The lowest at the dot's x first.
        bound: Name of the ceiling that bounds the workflow at its x.
        throughput: What that ceiling allows: the attainable throughput.
        least_makespan_s: The makespan it allows.
        wall: The most at once.
        dots: Runs.
        main: Name of the dot that sentences are about; empty if there is none.
        zone: Where the main dot lies; without one, where the attainable point does.
        targets: What has to be reached.
        directions: Ways to go, the best first.
        task_view: Kinds of task under their own ceilings.
        breakdowns: Where makespans went.
        queue_s: Seconds in a queue, which no makespan has.
        path_s: Seconds of the critical path as it was measured.
        limits: What was left out, and what to keep in mind: a sentence each.
        recorded: Whether it is of a run, which can be explained.
        notes: What was changed for a question (faster resources, intra-task parallelism), a sentence each.
    """

    name: str
    machine: str
    machine_origin: str
    projected: bool
    unit: str
    task: str
    tasks: int
    parallel: int
    could: int | None
    levels: int
    ceilings: tuple[Ceiling, ...]
    bound: str
    throughput: float
    least_makespan_s: float
    wall: Wall
    dots: tuple[Placed, ...]
    zone: Zone
    targets: tuple[TargetLine, ...]
    directions: tuple[Direction, ...]
    task_view: tuple[TaskView, ...]
    breakdowns: tuple[Breakdown, ...] = ()
    main: str = ""
    queue_s: float | None = None
    path_s: float | None = None
    limits: tuple[str, ...] = ()
    recorded: bool = False
    notes: tuple[str, ...] = ()
    schema_version: int = field(default=SCHEMA_VERSION, kw_only=True)

    @property
    def main_dot(self) -> Placed | None:
        """The dot that sentences are about, if there is any."""
        named = (dot for dot in self.dots if dot.name == self.main)
        return next(named, self.dots[0] if self.dots else None)
