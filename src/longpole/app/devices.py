"""What the tables of a run say of its devices and of its profiler steps, from a trace of PyTorch's profiler.

A run without work on a device, or without steps of the profiler, is asked no more than that. Of several calls
that claim to have launched the same work the first counts.
"""

from __future__ import annotations

from longpole.analyse.device_time import device_times
from longpole.analyse.step_parts import step_parts
from longpole.model.columns import Columns
from longpole.model.device_time import DeviceTime, LastStep, Rounding
from longpole.model.step_parts import StepParts
from longpole.store.run import StoredRun

_ON_DEVICE = ("kernel", "memcpy", "memset")
_ON_THREADS = ("runtime", "data", "operator", "annotation")
_ANY = "SELECT id FROM phases WHERE {which} LIMIT 1"
_STEP = "kind = 'step' AND name LIKE 'ProfilerStep%' AND device IS NULL"
_WORK = f"kind IN {_ON_DEVICE}"
_THREADS = f"kind IN {_ON_THREADS} AND device IS NULL"
_PHASES = """
    WITH launch AS (
        SELECT to_phase, min(start_ns) AS launch_ns, arg_min(end_ns, start_ns) AS launch_end_ns
        FROM edges JOIN phases ON phases.id = from_phase WHERE edges.kind = 'launch' GROUP BY to_phase
    )
    SELECT kind, name, process, device, lane, start_ns, end_ns, launch_ns, launch_end_ns
    FROM phases LEFT JOIN launch ON to_phase = id
    WHERE ({which}) AND process IS NOT NULL AND end_ns >= start_ns AND coalesce(count, 1) = 1
    ORDER BY start_ns, id
"""
# What times count from in the file that a process was told by is kept with its phase.
_PROCESSES = """
    SELECT processes.id, rank,
        TRY_CAST(regexp_extract(attributes, '"base_ns": ?([0-9]+)', 1) AS BIGINT) AS base_ns
    FROM processes LEFT JOIN phases ON phases.process = processes.id AND phases.kind = 'process'
"""


def device_times_of(
    run: StoredRun, *, rounding: Rounding = Rounding.EXACT, last_step: LastStep = LastStep.DROPPED
) -> tuple[DeviceTime, ...]:
    """Return how the devices of each rank spent their time; nothing for a run that tells of none."""
    if not _has(run, _WORK):
        return ()
    phases = run.query(_PHASES.format(which=f"{_WORK} OR ({_STEP})"))
    return device_times(phases, run.query(_PROCESSES), rounding=rounding, last_step=last_step)


def step_parts_of(run: StoredRun) -> tuple[StepParts, ...]:
    """Return what the time of each profiler step went into; nothing for a run without such steps."""
    if not _has(run, _STEP):
        return ()
    return step_parts(_phases_of_steps(run), run.query(_PROCESSES))


def _has(run: StoredRun, which: str) -> bool:
    return run.query(_ANY.format(which=which)).rows > 0


def _phases_of_steps(run: StoredRun) -> Columns:
    return run.query(_PHASES.format(which=f"{_WORK} OR ({_STEP}) OR ({_THREADS})"))
