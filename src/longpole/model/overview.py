"""The overview of a run: what ``longpole show`` says, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GpuUse:
    """How one GPU was used; ``scope`` says whether by the run (tree) or by anyone (device)."""

    name: str
    busy_percent: float | None
    peak_memory_bytes: int | None
    scope: str


@dataclass(frozen=True, slots=True)
class PhaseSum:
    """All phases of one kind and name; ``share`` is of the summed time of all phases."""

    kind: str
    name: str
    count: int
    total_s: float
    share: float


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
    steps: None
    recording: RecordingCost | None
    unseen: tuple[str, ...]
    limits: tuple[str, ...]
    state: str
    started: str
    cores: int | None
    process_list: tuple[ProcessUse, ...]
