"""The overview of a run: what ``longpole show`` says, as data."""

from __future__ import annotations

from dataclasses import dataclass

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class GpuUse:
    """How one GPU was used; ``scope`` says whether by the run (tree) or by anyone (device)."""

    name: str
    busy_percent: float | None
    peak_memory_bytes: int | None
    scope: str


@dataclass(frozen=True, slots=True)
class PhaseSum:
    """All phases of one kind and name; ``share`` is of the summed time of all phases but steps."""

    kind: str
    name: str
    count: int
    total_s: float
    share: float

    @property
    def in_steps(self) -> bool:
        """Whether these are steps or parts of steps: they took time, but have no share of their own."""
        return self.total_s > 0 and not self.share


@dataclass(frozen=True, slots=True)
class StepUse:
    """All steps of one process, kind and name, and what their time went into.

    The parts and ``other_s`` are sums over all steps and add up to ``total_s``; None where no part was seen.
    ``kind`` is training or inference; ``process`` is an id of the table of processes.
    """

    process: int | None
    pid: int | None
    rank: int | None
    world: int | None
    kind: str
    name: str
    count: int
    mean_s: float | None
    p50_s: float | None
    p95_s: float | None
    data_s: float | None
    forward_s: float | None
    backward_s: float | None
    optimizer_s: float | None
    checkpoint_s: float | None
    other_s: float | None
    total_s: float | None

    @property
    def parts(self) -> dict[str, float | None]:
        """The seconds of each part by its name, in the order in which a step has them."""
        return {
            "data": self.data_s,
            "forward": self.forward_s,
            "backward": self.backward_s,
            "optimizer": self.optimizer_s,
            "checkpoint": self.checkpoint_s,
            "other": self.other_s,
        }


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial of a search; ``steps`` are the training steps in it, None where they cannot be told apart."""

    search: str
    number: int | None
    state: str
    value: float | tuple[float | None, ...] | None
    seconds: float | None
    steps: int | None
    params: dict[str, Scalar]


@dataclass(frozen=True, slots=True)
class TaskUse:
    """All tasks of one type; times are sums over all their attempts, but for p50 and p95 of one execution.

    ``never`` are tasks that never ran; ``hold_s`` is time in which nothing could have started them;
    ``auxiliary`` ones are no tasks of the user's, but what the runner itself did.
    """

    type: str
    tasks: int
    never: int
    attempts: int
    failed: int
    hold_s: float | None
    queue_s: float | None
    exec_s: float | None
    exec_p50_s: float | None
    exec_p95_s: float | None
    peak_memory_bytes: int | None
    auxiliary: bool = False


@dataclass(frozen=True, slots=True)
class ProcessUse:
    """What one process, or all of one program, used."""

    name: str
    command: str
    count: int
    wall_s: float
    cpu_s: float | None
    peak_memory_bytes: int | None
    read_bytes: int | None
    written_bytes: int | None


@dataclass(frozen=True, slots=True)
class HostUse:
    """What the host did meanwhile; ``others_cpu_percent`` is neither the run nor its recorder."""

    cpu_busy_percent: float | None
    others_cpu_percent: float | None
    network_rx_bytes: int | None
    network_tx_bytes: int | None
    disk_read_bytes: int | None
    disk_written_bytes: int | None


@dataclass(frozen=True, slots=True)
class RecordingCost:
    """What recording cost: CPU seconds, and per cent of one core over the makespan."""

    cpu_s: float | None
    percent: float | None


@dataclass(frozen=True, slots=True)
class Overview:
    """One run in one screen. None is what is not known; the order is that of the JSON."""

    schema_version: int
    run: str
    name: str
    command: str
    exit_code: int | None
    signal: int | None
    makespan_s: float | None
    processes: int
    cpu_user_s: float | None
    cpu_system_s: float | None
    read_bytes: int | None
    written_bytes: int | None
    storage_read_bytes: int | None
    storage_written_bytes: int | None
    peak_memory_bytes: int | None
    gpus: tuple[GpuUse, ...]
    phases: tuple[PhaseSum, ...]
    host: HostUse | None
    steps: tuple[StepUse, ...]
    recording: RecordingCost | None
    unseen: tuple[str, ...]
    limits: tuple[str, ...]
    state: str
    started: str
    cores: int | None
    process_list: tuple[ProcessUse, ...]
    trials: tuple[Trial, ...]
    tasks: tuple[TaskUse, ...] = ()
    commands: int = 0
    commands_failed: int = 0
    commands_cut: int = 0
    # How many processes already ran when they began to be recorded; 0 if a command was.
    attached: int = 0
    # The workflow of ours that was run, and how many of its jobs failed, or were broken off, at last.
    workflow: str = ""
    jobs_failed: int = 0
    jobs_cut: int = 0

    @property
    def told(self) -> bool:
        """Whether all that is known is what another system told: nothing was recorded.

        Processes that another system tells of have no command line.
        """
        seen = any(process.command for process in self.process_list)
        return bool(self.tasks) and not seen and self.recording is None
