"""What a roofline takes of a run's tables: columns as the database gives them, and a few sums."""

from __future__ import annotations

from dataclasses import dataclass, field

from longpole.analyse.process_samples import ProcessSamples
from longpole.model.columns import Columns


@dataclass(frozen=True, slots=True)
class HostSums:
    """What hosts moved while the run went on, everybody's use included.

    Attributes:
        read: Bytes that disks read.
        written: Bytes that disks wrote.
        disks: Whether any disk was sampled at all.
        nfs_read: Bytes read over NFS.
        nfs_written: Bytes written over NFS.
        network: Bytes of the network's busier direction.
        covered_s: For how long hosts were sampled.
    """

    read: float = 0.0
    written: float = 0.0
    disks: bool = False
    nfs_read: float = 0.0
    nfs_written: float = 0.0
    network: float = 0.0
    covered_s: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class RunTables:
    """A run as a roofline sees it.

    Attributes:
        name: What the run is called.
        span: When it began and ended, in ns.
        told_s: The makespan as somebody told it, where no times are known.
        cores: Cores of one host; 0 where it is not known.
        hosts: How many hosts there are.
        processes: Columns ``id``, ``parent``, ``name``, ``command``, ``start_ns``, ``end_ns``, ``cpu_ns``,
            ``read``, ``written``, ``storage_read``, ``storage_written`` and ``start_up_ns``.
        tasks: Columns ``id``, ``name``, ``type``, ``resources``, ``start_ns``, ``end_ns``, ``duration_ns``,
            ``queued_from_ns``, ``queued_until_ns``, ``cpu_ns``, ``read``, ``written``, ``storage_read`` and
            ``storage_written``.
        inside: Columns ``process`` and ``task``: processes that lie within a task.
        marks: Columns ``id``, ``parent``, ``name``, ``process``, ``lane``, ``start_ns``, ``end_ns`` and
            ``attributes``: the user's own marks.
        imports: Columns ``process``, ``start_ns`` and ``end_ns``: what was imported, outermost.
        queues: Columns ``start_ns`` and ``end_ns``: waits in a queue.
        earlier: Columns ``task``, ``start_ns``, ``end_ns`` and ``duration_ns``: attempts before the last of a
            task; all that ``tasks`` has is of the last.
        edges: Columns ``from_task`` and ``to_task``; of processes where there are no tasks.
        gpus: Columns ``start_ns``, ``end_ns`` and ``value``: how busy GPUs were, each for itself.
        gpu_s: GPU seconds as a trace tells them exactly; None where nothing was traced.
        used: What processes used over time; None where marks are no tasks.
        moved: What hosts moved.
        whole: What the whole run used, by the columns of ``processes``, those too short to be seen included.
        all_seen: Whether every process was seen, however short.
        sampled: Of how many processes the CPU time is a sum of samples.
        parts: Seconds of the makespan, by what took them.
    """

    name: str
    span: tuple[int, int]
    told_s: float | None
    cores: int
    hosts: int
    processes: Columns
    tasks: Columns
    inside: Columns
    marks: Columns
    imports: Columns
    queues: Columns
    earlier: Columns
    edges: Columns
    gpus: Columns
    gpu_s: float | None = None
    used: ProcessSamples | None = None
    moved: HostSums = HostSums()
    whole: dict[str, float] = field(default_factory=dict)
    all_seen: bool = True
    sampled: int = 0
    parts: dict[str, float] = field(default_factory=dict)

    @property
    def run_s(self) -> float:
        """How long the run took by its own phase; 0 where that is not known."""
        return max(0, self.span[1] - self.span[0]) / 1e9
