"""What could not be counted of a run for its roofline, and what to keep in mind: a sentence each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from longpole.analyse.arrays import numbers
from longpole.analyse.kind_volumes import Found, Needs, outside_s
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units

_MEMORY = (
    "CPU time includes waiting for memory: memory traffic was not counted; "
    "say it with longpole.phase(..., memory_bytes=...)."
)
# CPU time of no task is worth a word from this share of the run on.
_WORTH = 0.05
_HARDLY = 0.99


def unknown_of(
    run: RunTables, units: Units, found: Found, needs: list[Needs], *, makespan_s: float
) -> tuple[str, ...]:
    """Return what could not be counted; a makespan of 0 is not known."""
    tasks = (*_of_tasks(units, found), *_of_times(units, makespan_s), *_of_attempts(run))
    return (*tasks, *_of_cpu(run, units, found, needs), *_of_bytes(run, found, needs))


def _of_tasks(units: Units, found: Found) -> Iterator[str]:
    untold, timeless = (int(np.isnan(one).sum()) for one in (found.amounts.cpu_s, units.took_s))
    if untold:
        yield f"The CPU time of {_of(untold, len(units))} is not known: it counts as none."
    if timeless:
        yield f"How long {_of(timeless, len(units))} took is not known."


def _of_times(units: Units, makespan_s: float) -> Iterator[str]:
    untimed = int((~units.timed).sum())
    if untimed == len(units):
        yield "When tasks ran is not known: how many ran at once is what their times need on average."
    elif untimed and makespan_s:
        yield f"When {_of(untimed, len(units))} ran is not known: the makespan is as the run tells it."
    elif untimed:
        yield (
            f"When {_of(untimed, len(units))} ran is not known, and no makespan was told that covers the "
            "others: there is no dot."
        )


def _of_attempts(run: RunTables) -> Iterator[str]:
    if run.earlier.rows:
        attempts = "1 failed attempt" if run.earlier.rows == 1 else f"{run.earlier.rows:,} failed attempts"
        took_s = float(np.nansum(numbers(run.earlier["duration_ns"]))) / 1e9
        yield f"{attempts} took {took_s:.3g} s in all: the makespan has them, the work of tasks does not."


def _of_cpu(run: RunTables, units: Units, found: Found, needs: list[Needs]) -> Iterator[str]:
    explained = [name for name, one in zip(units.names, needs, strict=True) if one.explained]
    if explained:
        whose = "its" if len(explained) == 1 else "their"
        yield f"CPU time of {', '.join(explained)} is left out: {whose} declared FLOPs or bytes explain it."
    if any("cpu" in one.node and "memory" not in one.node for one in needs):
        yield _MEMORY
    if run.sampled:
        processes = "1 process" if run.sampled == 1 else f"{run.sampled:,} processes"
        yield f"CPU time of {processes} is sampled: what they used after they were last seen is missing."
    if units.unit is Unit.MARK and (outside := outside_s(run, found)) > _WORTH * run.run_s:
        yield f"{outside:.3g} s of CPU time outside of all marks are of no task."
    unseen_s = run.whole.get("cpu_ns", 0.0) / 1e9 - float(np.nansum(numbers(run.processes["cpu_ns"]))) / 1e9
    if units.unit is not Unit.TASK and unseen_s > _WORTH * run.run_s:
        yield (
            f"{unseen_s:.3g} s of CPU time are of processes too short to be seen, which may be tasks; "
            "'longpole doctor' tells how to see them."
        )
    if found.start.guessed:
        many = f"{found.start.guessed:,} of them"
        yield (
            f"This run does not tell how long interpreters took to start: for {many} "
            "what was measured on the machine counts."
        )
    if any("gpu" in one.node for one in needs) and run.gpu_s is None:
        yield "GPU time is that of whole devices, shared among the tasks that ran."
    if any("gpu" in one.node for one in needs):
        yield "CPU time does not count while a GPU is busy: whoever waits for it may spin."


def _of_bytes(run: RunTables, found: Found, needs: list[Needs]) -> Iterator[str]:
    amounts = found.amounts
    if np.isnan(amounts.storage_read).all() and np.isnan(amounts.storage_written).all():
        yield "Bytes read from and written to disks are not known."
    if min(amounts.scaled) < _HARDLY:
        yield "Not all bytes that programs wrote or read had reached a disk: those that disks moved count."
    if max(amounts.remote) > 0 and not run.moved.disks:
        yield "No disk of this host moved what programs read and wrote: it counts for the file system."
    if np.isfinite(amounts.network).any():
        yield "Bytes over the network are those of the whole host, shared among tasks by their time."
    if any("cached-read" in one.node or "cached-write" in one.node for one in needs):
        yield "Cached reads and writes include pipes and sockets."


def _of(some: int, every: int) -> str:
    return f"{some:,} of {every:,} tasks" if every > 1 else "the task"
