"""All that an explanation is drawn from."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.model.columns import Columns
from longpole.model.device_time import DeviceTime
from longpole.model.overview import Overview


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that an explanation is drawn from.

    Attributes:
        overview: What ``show`` says.
        unit: What a task is in this run: task, process or phase.
        phases: As ``tree_of`` takes them.
        counted: Columns ``parent``, ``kind``, ``name`` and ``duration_ns`` of phases that stand for many.
        tasks: As ``structure`` takes them, with ``type``, and ``total_ns`` over all attempts.
        edges: Columns ``from_task`` and ``to_task``.
        files: Columns ``bytes``, ``made`` and ``taken``: whether a task makes it, and whether one takes it.
        samples: As rules see them.
        opens: As rules see them.
        cpu: Columns ``process``, ``cpu_ns`` and ``wait_ns``: how long processes ran, and waited for a core.
        busy: As ``busy_cores`` takes them.
        ends: Columns ``process`` and ``late_ns``, by how much its end may be noted too late.
        pipes: Phases of processes that hand data over by a pipe, which makes them no edge.
        programs: Columns ``process``, ``name`` and ``command``.
        calls: As ``launches_of`` takes them; None if nothing was traced of GPUs.
        gpu: How GPUs spent their time, where that was traced.
        recorded_ns: The makespan as it was told, where no phase tells it; None if nobody did.
        told_by: Who told of the run.
        gaps: What they could not tell.
    """

    overview: Overview
    unit: str
    phases: Columns
    counted: Columns
    tasks: Columns
    edges: Columns
    files: Columns
    samples: Columns
    opens: Columns
    cpu: Columns
    busy: Columns
    ends: Columns
    programs: Columns
    pipes: tuple[tuple[int, int], ...] = ()
    calls: Columns | None = None
    gpu: tuple[DeviceTime, ...] = ()
    recorded_ns: int | None = None
    told_by: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
