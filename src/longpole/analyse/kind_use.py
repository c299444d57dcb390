"""What kinds of job of a run used, and the whole run: time, CPU, memory, bytes and GPUs.

Method (Krawczuk et al. 2021, Table III): a row is all executions of one kind of job: times, CPU time and
bytes are sums over them, failed attempts included; CPU % is CPU time over time, so that jobs count by how
long they took (the paper averages over jobs: the same where these are alike); memory is that of the largest
job. What counts as a job where nothing is declared, ``run_units`` says; what each used, ``run_amounts``,
``job_memory`` and ``job_gpus``. The whole run is what its overview says, what belongs to no job included.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, known, numbers, whole
from longpole.analyse.job_gpus import NOT_ASSIGNED, TOO_SHORT, GpuUses, gpu_uses
from longpole.analyse.job_memory import MemoryEvidence, largest_jobs
from longpole.analyse.run_amounts import Amounts, amounts_of
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units, units_of
from longpole.analyse.use_reasons import Teller, use_remarks
from longpole.analyse.whole_use import whole_use
from longpole.model.columns import Columns
from longpole.model.json_facts import facts_in
from longpole.model.kind_use import KindUse, RunUse
from longpole.model.overview import Overview

_WORDS = {Unit.TASK: "task", Unit.MARK: "mark", Unit.PROGRAM: "program", Unit.COMMAND: "command"}


@dataclass(frozen=True, slots=True, eq=False)
class UseEvidence:
    """All that the use of a run is drawn from.

    Attributes:
        run: Its tables; a row of ``tasks`` is an execution, with the columns ``task`` and ``peak`` besides.
        overview: The run in one screen.
        memory: As ``MemoryEvidence.readings``.
        peaks: As ``MemoryEvidence.processes``.
        gpus: As ``gpu_uses`` takes them.
        auxiliary: Types of task that the runner itself added.
        teller: Who told of the run.
        end_to_end_s: How long it took; None where that is not known.
    """

    run: RunTables
    overview: Overview
    memory: Columns
    peaks: Columns
    gpus: Columns
    auxiliary: Collection[str]
    teller: Teller
    end_to_end_s: float | None


def run_use(evidence: UseEvidence) -> RunUse:
    """Return what a run used, by kind and as a whole."""
    units = units_of(evidence.run)
    found = _Found(
        units,
        amounts_of(evidence.run, units),
        gpu_uses(units, evidence.gpus, _declared_gpus(evidence.run, units)),
        largest_jobs(units, _memory(evidence, units)),
    )
    kinds = [_kind(evidence, found, kind) for kind in range(len(units.names))]
    own = [kind for kind in kinds if kind.name not in evidence.auxiliary or units.unit is not Unit.TASK]
    beside = [use for use in evidence.overview.tasks if use.auxiliary or use.type in evidence.auxiliary]
    return RunUse(
        unit=_WORDS[units.unit],
        kinds=tuple(sorted(own, key=lambda kind: -(kind.time_s or 0.0))),
        whole=whole_use(evidence.overview, evidence.end_to_end_s, evidence.teller, own),
        auxiliary=sum(use.tasks for use in beside),
        remarks=use_remarks(units.unit, own, anybodys=found.gpus.anybodys),
        told_by=evidence.teller.only_told,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What was found out of units."""

    units: Units
    amounts: Amounts
    gpus: GpuUses
    memory: dict[int, int]


def _kind(evidence: UseEvidence, found: _Found, kind: int) -> KindUse:
    """Return what executions of one kind used together."""
    units, amounts, teller = found.units, found.amounts, evidence.teller
    mine = np.flatnonzero(units.kind == kind)
    parts = {
        "time_s": units.took_s,
        "cpu_s": amounts.cpu_s,
        "read_bytes": amounts.read,
        "written_bytes": amounts.written,
    }
    figures = {name: _sum(values[mine]) for name, values in parts.items()}
    figures["peak_memory_bytes"] = found.memory.get(kind)
    reasons = {name: teller.why(name, units.unit) for name, value in figures.items() if value is None}
    unknown = {name: _unknown(values[mine]) for name, values in parts.items() if figures[name] is not None}
    on_gpus, why = _on_gpus(found.gpus, mine, teller)
    return KindUse(
        name=units.names[kind],
        jobs=_jobs(evidence.run, units, mine),
        attempts=len(mine),
        time_s=figures["time_s"],
        cpu_s=figures["cpu_s"],
        peak_memory_bytes=found.memory.get(kind),
        read_bytes=_whole(figures["read_bytes"]),
        written_bytes=_whole(figures["written_bytes"]),
        gpu_s=on_gpus[0],
        gpu_time_s=on_gpus[1],
        peak_gpu_memory_bytes=_whole(on_gpus[2]),
        reasons={**reasons, **why},
        partial={name: count for name, count in unknown.items() if count},
    )


def _on_gpus(gpus: GpuUses, mine: Whole, teller: Teller) -> tuple[tuple[float | None, ...], dict[str, str]]:
    """Return busy and held GPU seconds and peak memory of units, and why some of it is not known."""
    memory = gpus.memory[mine]
    peak = float(np.nanmax(memory)) if np.isfinite(memory).any() else None
    had_s = float(gpus.had_s[mine].sum())
    if had_s:
        missing = {} if peak is not None else {"peak_gpu_memory_bytes": TOO_SHORT}
        return (float(gpus.busy_s[mine].sum()), had_s, peak), missing
    seen = TOO_SHORT if gpus.assigned[mine].any() else NOT_ASSIGNED
    reason = teller.why_no_gpu(gpus.reason) if gpus.reason else seen
    return (None, None, None), {"gpu_percent": reason, "peak_gpu_memory_bytes": reason}


def _jobs(run: RunTables, units: Units, mine: Whole) -> int:
    """Return how many jobs executions are of: one that was tried again is one."""
    if units.unit is not Unit.TASK or "task" not in run.tasks:
        return len(mine)
    return len(np.unique(whole(run.tasks["task"])[units.rows[mine]]))


def _memory(evidence: UseEvidence, units: Units) -> MemoryEvidence:
    told = np.full(len(units), np.nan)
    if units.unit is Unit.TASK and "peak" in evidence.run.tasks:
        told = numbers(evidence.run.tasks["peak"])[units.rows]
    marked = np.zeros(len(units), np.int64)
    if units.unit is Unit.MARK:
        marked = whole(evidence.run.marks["process"])[units.rows]
    return MemoryEvidence(evidence.memory, evidence.peaks, told, marked)


def _declared_gpus(run: RunTables, units: Units) -> Numbers:
    """Return how many GPUs each unit was given; NaN where nobody says."""
    if units.unit is not Unit.TASK:
        return np.full(len(units), np.nan)
    column = run.tasks["resources"]
    words = np.array([_gpus(word) for word in column.words or ("",)])
    return np.where(known(column), words[whole(column)], np.nan)[units.rows]


def _gpus(resources: str) -> float:
    found = facts_in(resources).get("gpus")
    return float(found) if isinstance(found, int | float) else np.nan


def _sum(values: Numbers) -> float | None:
    """Return the sum of what is known; None if nothing is."""
    finite = values[np.isfinite(values)]
    return float(finite.sum()) if len(finite) else None


def _unknown(values: Numbers) -> int:
    return int((~np.isfinite(values)).sum())


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
