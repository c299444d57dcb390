"""What can bound a workflow: the resources a roofline knows, what is counted of each, and in which unit."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Dimension(StrEnum):
    """What a quantity measures; the value is how its unit is written in general."""

    BYTES = "bytes"
    BYTES_PER_SECOND = "bytes/s"
    FLOPS = "FLOP"
    FLOPS_PER_SECOND = "FLOP/s"
    SECONDS = "s"
    CORE_SECONDS = "core s"
    CORES = "cores"
    GPU_SECONDS = "GPU s"
    GPUS = "GPUs"
    OPERATIONS = "ops"
    OPERATIONS_PER_SECOND = "ops/s"
    TASKS_PER_SECOND = "tasks/s"


class Level(StrEnum):
    """Of what a ceiling is: what each node has, what all share, how tasks depend, what each task costs."""

    NODE = "node"
    SYSTEM = "system"
    STRUCTURE = "structure"
    OVERHEAD = "overhead"


@dataclass(frozen=True, slots=True)
class Resource:
    """A limited thing.

    Attributes:
        name: As machine and case files write it.
        level: Whether each node has its own, or all share one.
        work: What is counted of a task.
        peak: What the machine gives.
        label: What people call it.
    """

    name: str
    level: Level
    work: Dimension
    peak: Dimension
    label: str


def _table(level: Level, *rows: tuple[str, Dimension, Dimension, str]) -> dict[str, Resource]:
    return {name: Resource(name, level, work, peak, label) for name, work, peak, label in rows}


_MOVED = (Dimension.BYTES, Dimension.BYTES_PER_SECOND)
_COMPUTED = (Dimension.FLOPS, Dimension.FLOPS_PER_SECOND)

# In the order in which files list them.
NODE = _table(
    Level.NODE,
    ("cpu", Dimension.CORE_SECONDS, Dimension.CORES, "CPU time"),
    ("flops", *_COMPUTED, "FLOPs"),
    ("bf16", *_COMPUTED, "bf16 FLOPs"),
    ("memory", *_MOVED, "memory bandwidth"),
    ("gpu", Dimension.GPU_SECONDS, Dimension.GPUS, "GPU time"),
    ("hbm", *_MOVED, "GPU memory bandwidth"),
    ("pcie", *_MOVED, "PCIe"),
    ("disk-read", *_MOVED, "disk reads"),
    ("disk-write", *_MOVED, "disk writes"),
    ("cached-read", *_MOVED, "cached reads"),
    ("cached-write", *_MOVED, "cached writes"),
    ("loopback", *_MOVED, "loopback network"),
    ("metadata", Dimension.OPERATIONS, Dimension.OPERATIONS_PER_SECOND, "file operations"),
)
SYSTEM = _table(
    Level.SYSTEM,
    ("file-system", *_MOVED, "file system"),
    ("burst-buffer", *_MOVED, "burst buffer"),
    ("network", *_MOVED, "network"),
    ("external", *_MOVED, "external link"),
)
RESOURCES = NODE | SYSTEM

# What the ceiling of the order of tasks is called.
STRUCTURE = "structure"
# Overheads between tasks, which are no part of any.
BETWEEN = ("dispatch",)
# What a recorded run tells of; a case may name others.
OVERHEADS = {"interpreter": "start and imports", "dispatch": "dispatch"}


def overhead_label(name: str) -> str:
    """Return what people call an overhead: of those that runs tell of, ours; else its own name."""
    return OVERHEADS.get(name, name)
