"""The explanation of a run: what ``longpole explain`` says, as data."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.model.bounds import Bound, Utilisation
from longpole.model.device_time import DeviceTime
from longpole.model.step_parts import StepParts


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that costs time, and what to do about it.

    Attributes:
        rule: Which rule found it.
        title: What it is, in a few words.
        phase: Where: the phase, task or process that it is about.
        saving_s: How much sooner the run would end: the difference of two replays.
        saving_low_s: The least that can be expected of it.
        saving_high_s: The most.
        evidence: What it was seen by, a sentence each.
        advice: What to change, and how.
        change: What was changed in the replay that the saving comes from.
        step_s: How long a step would take (the median), where it is about steps.
    """

    rule: str
    title: str
    phase: str
    saving_s: float
    saving_low_s: float
    saving_high_s: float
    evidence: tuple[str, ...]
    advice: str
    change: str
    step_s: float | None = None


@dataclass(frozen=True, slots=True)
class Blame:
    """Something that the makespan is made of.

    Attributes:
        what: A phase by name, or what waited.
        kind: The kind of phase; of a wait queue, dependency, dispatch or idle.
        seconds: How much of the makespan.
    """

    what: str
    kind: str
    seconds: float


@dataclass(frozen=True, slots=True)
class PathPart:
    """A part of the critical path; neighbours of one kind and name are one part.

    Attributes:
        what: A phase by name, or what waited.
        kind: The kind of phase; of a wait queue, dependency, dispatch or idle.
        start_s: When it begins, from the begin of the run.
        seconds: How long it is.
        count: How many phases it is made of.
        parts: The largest of what lies within it, where that is serial: each kind and name with its own time
            in all, and when the first of them begins.
    """

    what: str
    kind: str
    start_s: float
    seconds: float
    count: int = 1
    parts: tuple[PathPart, ...] = ()


@dataclass(frozen=True, slots=True)
class Questions:
    """The three questions that everybody asks, answered in sentences.

    Attributes:
        impact: Which steps have the biggest impact on the time from begin to end?
        resources: What would more or faster resources for one step change?
        efficiency: Are the expensive resources used well?
    """

    impact: str
    resources: str
    efficiency: str


@dataclass(frozen=True, slots=True)
class FileFlow:
    """Files that tasks hand to each other.

    Attributes:
        files: How many there are.
        external_input_bytes: Those that no task makes.
        intermediate_bytes: Those that one task makes and another takes.
        final_output_bytes: Those that no task takes.
        unsized: How many that tasks take count as nothing, for nobody told how large they are.
    """

    files: int
    external_input_bytes: int
    intermediate_bytes: int
    final_output_bytes: int
    unsized: int = 0


@dataclass(frozen=True, slots=True)
class Explanation:
    """A run, explained.

    Attributes:
        schema_version: Version of this shape.
        run: Its id.
        name: Its name.
        unit: What is counted as a task: ``task``, or ``process`` and ``phase`` where nobody told of tasks.
        tasks: How many there are.
        edges: How many pairs of tasks depend on each other.
        levels: How many tasks the longest chain has, by number.
        width: How many tasks the widest level has.
        antichain: How many tasks could run at once, for all that they depend on.
        antichain_exact: Whether that is exact, or only a lower bound.
        total_task_s: How long all tasks took in all.
        critical_path_s: The longest chain of tasks, by time: no number of slots makes the run shorter.
        makespan_s: How long the run took; None where no times are known.
        asap_peak: How many tasks would run at once if each started as soon as it could.
        parallelism: How many ran at once on average, and at most; None where no times are known.
        self_replay_error: By what share of the makespan the replay of the run as it was errs.
        questions: Three answers.
        findings: What costs time, the largest saving first.
        blame: What the makespan is made of; sums to it.
        path: The critical path over recorded time.
        flow: Files that tasks hand over.
        told_by: Who told of the run; empty if it was recorded.
        limits: What could not be said, and why; a sentence each.
        gpu: How GPUs spent their time, by rank; empty where that was not traced.
        steps: What the time of profiler steps went into; empty where that was not traced.
        bounds: What phases used and what held them; empty where nothing was sampled.
        utilisation: How well cores and GPUs were used; empty where they were not sampled.
    """

    schema_version: int
    run: str
    name: str
    unit: str
    tasks: int
    edges: int
    levels: int
    width: int
    antichain: int
    antichain_exact: bool
    total_task_s: float
    critical_path_s: float
    makespan_s: float | None
    asap_peak: int
    parallelism_mean: float | None
    parallelism_peak: int | None
    self_replay_error: float | None
    questions: Questions
    findings: tuple[Finding, ...]
    blame: tuple[Blame, ...]
    path: tuple[PathPart, ...]
    flow: FileFlow
    told_by: tuple[str, ...]
    limits: tuple[str, ...]
    gpu: tuple[DeviceTime, ...] = ()
    steps: tuple[StepParts, ...] = ()
    bounds: tuple[Bound, ...] = ()
    utilisation: tuple[Utilisation, ...] = ()


@dataclass(frozen=True, slots=True)
class Why:
    """Why some phases took long, and what it matters.

    Attributes:
        phase: What was asked about.
        kinds: Of which kinds they are.
        count: How many there are.
        total_s: How long they took in all, with their parts.
        longest_s: How long the longest took.
        own_s: How long they took less their parts; None where parts overlap.
        on_path_s: How much of the makespan is theirs, their parts included.
        parts: What they are made of, the largest first.
        within: What they are part of, the most frequent first.
        saved_if_gone_s: How much sooner the run would end without them.
        lost_if_twice_s: How much later it would end if they took twice as long.
        sentences: The same in words.
    """

    phase: str
    kinds: tuple[str, ...]
    count: int
    total_s: float
    longest_s: float
    own_s: float | None
    on_path_s: float
    parts: tuple[Blame, ...]
    within: tuple[str, ...]
    saved_if_gone_s: float
    lost_if_twice_s: float
    sentences: tuple[str, ...]
