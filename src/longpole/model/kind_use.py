"""What all jobs of one kind used, or a whole run: the figures of a characterisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class KindUse:
    """What jobs of one kind used together; None is what cannot be known, and ``reasons`` says why.

    Attributes:
        name: What the kind is called.
        jobs: How many there are.
        attempts: How often they were executed, failed attempts included.
        time_s: How long their executions took, added up.
        cpu_s: CPU time, user and system.
        peak_memory_bytes: The most memory that one of them had at a moment, all its processes together.
        read_bytes: What they read by system calls.
        written_bytes: What they wrote.
        gpu_s: How long GPUs were busy for them, added up over GPUs.
        gpu_time_s: How long they had GPUs, added up over GPUs.
        peak_gpu_memory_bytes: The most GPU memory that was used on one GPU while one of them ran.
        reasons: Why a figure is not known, by the name of the field.
        partial: Of how many executions a figure is not known that is known of others: it is at least so much.
    """

    name: str
    jobs: int = 0
    attempts: int = 0
    time_s: float | None = None
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    read_bytes: int | None = None
    written_bytes: int | None = None
    gpu_s: float | None = None
    gpu_time_s: float | None = None
    peak_gpu_memory_bytes: int | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    partial: Mapping[str, int] = field(default_factory=dict)

    @property
    def cpu_percent(self) -> float | None:
        """CPU time over time: the mean over time, so a job that took longer counts for more."""
        return _percent(self.cpu_s, self.time_s)

    @property
    def gpu_percent(self) -> float | None:
        """How busy GPUs were of the time they were had."""
        return _percent(self.gpu_s, self.gpu_time_s)


@dataclass(frozen=True, slots=True)
class RunUse:
    """What a run used, as a whole and by kind.

    Attributes:
        unit: What is counted as a job, in words.
        kinds: Its kinds, those first that took longest; what a runner itself does is none.
        whole: All of it, what belongs to no job included.
        auxiliary: How many jobs the runner itself did.
        remarks: What else must be said of these figures, as sentences.
        told_by: Who told all of this, if nothing of it was recorded by us.
    """

    unit: str
    kinds: tuple[KindUse, ...]
    whole: KindUse
    auxiliary: int = 0
    remarks: tuple[str, ...] = ()
    told_by: str = ""


def _percent(part: float | None, whole: float | None) -> float | None:
    return None if part is None or not whole else 100 * part / whole
