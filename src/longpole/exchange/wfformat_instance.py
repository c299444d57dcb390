"""An instance of a workflow in memory: columns of tasks, files and dependencies, between WfFormat and tables.

Tasks, files and machines are known by their row, from 0. What is not known is NaN, -1 or None, as said.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Whole = NDArray[np.int64]
Real = NDArray[np.float64]
Marks = NDArray[np.bool_]

NS = 1_000_000_000
UNKNOWN = -1


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that tasks ran on."""

    name: str
    architecture: str | None = None
    release: str | None = None
    cores: int | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tasks:
    """The tasks; all columns have one entry for each.

    Attributes:
        ids: What tells them apart.
        names: What they are called; several may have one name.
        types: What kind of task each is.
        executed: Whether it is known to have run; what follows is of those.
        runtime_ns: How long it ran.
        start_ns: When it began, in ns of UTC; -1 where that is not known.
        cores: How many cores it had; NaN where that is not known, as in the following.
        cpu_ns: How much CPU time it used: its mean utilisation times its runtime.
        read_bytes: How much it read, by its counters.
        written_bytes: How much it wrote, by its counters.
        memory_bytes: How much memory it had at most.
        machine_sets: Lists of names of machines.
        machines: Which of these lists it ran on.
    """

    ids: list[str]
    names: list[str]
    types: list[str]
    executed: Marks
    runtime_ns: Whole
    start_ns: Whole
    cores: Real
    cpu_ns: Real
    read_bytes: Real
    written_bytes: Real
    memory_bytes: Real
    machine_sets: tuple[tuple[str, ...], ...]
    machines: Whole

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """The files, and which task reads or writes which: each pair once in each direction.

    Attributes:
        names: What they are called; no two alike.
        sizes: How many bytes they have; -1 where that is not known.
        used_by: For each use, the task.
        used: For each use, the file.
        written: For each use, whether the task writes the file.
    """

    names: list[str]
    sizes: Whole
    used_by: Whole
    used: Whole
    written: Marks


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A workflow, and how it was executed once.

    Attributes:
        name: What it is called.
        system: The workflow system that executed it, and its version; empty where that is not known.
        start_ns: When its execution began, in ns of UTC.
        makespan_ns: How long that took.
        tasks: Its tasks.
        befores: For each dependency, the task that comes first; they are in order of this, then of the other.
        afters: For each dependency, the task that needs it.
        files: Its files.
        machines: The machines it ran on.
        gaps: What was found to be missing while it was read.
    """

    name: str
    system: tuple[str, str]
    start_ns: int | None
    makespan_ns: int | None
    tasks: Tasks
    befores: Whole
    afters: Whole
    files: Files
    machines: tuple[Machine, ...]
    gaps: tuple[str, ...] = ()


def shown(text: str) -> str:
    """Return a name as a sentence can hold it.

    Examples:
        >>> shown("a" * 100 + "b") == repr("a" * 80 + "...")
        True
    """
    return repr(text if len(text) <= 80 else f"{text[:80]}...")
