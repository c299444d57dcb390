"""The overview of a run: its totals, where its time went, and how far to believe it.

Method: totals are the run's own, exact once it has ended; the rest is joined from the analyses of phases,
processes, steps, trials, memory, host and GPUs beside this file. CPU and bytes that no listed process shows
are the run's total minus the sum over processes, where that is above zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from shlex import join

from longpole.analyse.gpus import gpu_use
from longpole.analyse.host import OwnUse, host_use, stolen_percent
from longpole.analyse.memory import MemoryPeak, peak_memory
from longpole.analyse.phases import cut_phases, phase_sums
from longpole.analyse.processes import process_uses
from longpole.analyse.sentences import count_of
from longpole.analyse.steps import counting, parts_of_steps, step_uses
from longpole.analyse.tasks import task_uses
from longpole.analyse.trials import trials_of
from longpole.analyse.values import number, whole, word
from longpole.analyse.visibility import Witness, limits, unseen
from longpole.model.columns import Columns
from longpole.model.execution import Metric, Source
from longpole.model.manifest import Manifest, State
from longpole.model.overview import Overview, ProcessUse, RecordingCost
from longpole.model.recording import Reading, RecordingNotes
from longpole.units import Nanoseconds

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that an overview is drawn from.

    Attributes:
        manifest: What the run says about itself.
        state: Where it stands now.
        notes: What its recorder said.
        reading: How much of its log is readable.
        run: ``start_ns`` and ``end_ns`` of the run's own phase, one row per log that has one.
        hosts: ``cores``, one row per host.
        totals: ``metric`` and ``value`` of the run as a whole.
        phases: As ``phase_sums`` takes them, with ``cut``, the number that had not ended.
        processes: As ``process_uses`` takes them, with ``id``, ``pid``, ``rank``, ``world``, ``peak_source``.
        memory: As ``peak_memory`` takes them.
        host: As ``host_use`` takes them.
        gpus: As ``gpu_use`` takes them.
        steps: As ``step_uses`` takes them.
        trials: As ``trials_of`` takes them.
        tasks: As ``task_uses`` takes them.
    """

    manifest: Manifest
    state: State
    notes: RecordingNotes
    reading: Reading
    run: Columns
    hosts: Columns
    totals: Columns
    phases: Columns
    processes: Columns
    memory: Columns
    host: Columns
    gpus: Columns
    steps: Columns
    trials: Columns
    tasks: Columns


def overview(evidence: Evidence) -> Overview:
    """Return one run in one screen, as data."""
    manifest, totals = evidence.manifest, _totals(evidence.totals)
    span = _span(evidence)
    makespan_s = _makespan_s(evidence, span)
    cost = _recording_cost(evidence, makespan_s)
    memory = _memory(evidence)
    begin_ns, end_ns = span or (0, 0)
    uses = process_uses(evidence.processes, end_ns, begin_ns)
    cpu_s = [None if (value := totals.get(metric)) is None else value / 1e9 for metric in _CPU]
    witness = _witness(evidence, memory, uses, totals)
    return Overview(
        schema_version=SCHEMA_VERSION,
        run=manifest.id,
        name=manifest.name,
        command=_command(evidence),
        exit_code=manifest.exit_code,
        signal=manifest.signal,
        makespan_s=makespan_s,
        processes=len(uses),
        cpu_user_s=cpu_s[0],
        cpu_system_s=cpu_s[1],
        read_bytes=whole(totals.get(Metric.READ)),
        written_bytes=whole(totals.get(Metric.WRITTEN)),
        storage_read_bytes=whole(totals.get(Metric.STORAGE_READ)),
        storage_written_bytes=whole(totals.get(Metric.STORAGE_WRITTEN)),
        peak_memory_bytes=memory.bytes,
        gpus=gpu_use(evidence.gpus),
        phases=phase_sums(evidence.phases, parts_of_steps(evidence.steps)),
        host=host_use(evidence.host, _own_use(totals, cost, makespan_s)),
        steps=step_uses(evidence.steps, evidence.processes),
        recording=cost,
        unseen=unseen(witness),
        limits=limits(witness),
        state=evidence.state,
        started=manifest.started,
        cores=_cores(evidence.hosts),
        process_list=uses,
        trials=trials_of(evidence.trials, evidence.steps),
        tasks=task_uses(evidence.tasks, evidence.notes.auxiliary),
        commands=evidence.notes.commands,
        commands_failed=evidence.notes.commands_failed,
        commands_cut=evidence.notes.commands_cut,
        attached=evidence.notes.attached,
        workflow=evidence.notes.workflow,
        jobs_failed=evidence.notes.jobs_failed,
        jobs_cut=evidence.notes.jobs_cut,
    )


_CPU = (Metric.CPU_USER, Metric.CPU_SYSTEM)


def _command(evidence: Evidence) -> str:
    if evidence.notes.workflow and not evidence.manifest.command:
        return " ".join(
            filter(None, ("workflow", evidence.notes.workflow, _placed(evidence.notes.placement)))
        )
    if not evidence.notes.commands:
        return join(evidence.manifest.command).replace("'***'", "***")
    return f"{count_of(evidence.notes.commands, 'command')} recorded into one run"


def _placed(placement: str) -> str:
    return f"under placement {placement}" if placement else ""


def _totals(totals: Columns) -> dict[str, float]:
    rows = [(word(row["metric"]), number(row["value"])) for row in totals.records()]
    return {metric: value for metric, value in rows if value is not None}


def _span(evidence: Evidence) -> tuple[Nanoseconds, Nanoseconds] | None:
    """Return when the run began and ended, over all its logs."""
    rows = [(whole(row["start_ns"]), whole(row["end_ns"])) for row in evidence.run.records()]
    known = [(start, end) for start, end in rows if start is not None and end is not None]
    return (min(start for start, _ in known), max(end for _, end in known)) if known else None


def _makespan_s(evidence: Evidence, span: tuple[Nanoseconds, Nanoseconds] | None) -> float | None:
    return (span[1] - span[0]) / 1e9 if span else evidence.manifest.makespan_s


def _cores(hosts: Columns) -> int | None:
    return sum(whole(row["cores"]) or 0 for row in hosts.records()) or None


def _recording_cost(evidence: Evidence, makespan_s: float | None) -> RecordingCost | None:
    """Return the larger of the launcher's account of the cost and the agent's, which has nested recorders."""
    exact, noted = evidence.manifest.recording, evidence.notes.recorder_cpu_s
    if exact is None and noted is None:
        return None
    cpu_s = max(exact.launcher_cpu_s + exact.agent_cpu_s if exact else 0.0, noted or 0.0)
    return RecordingCost(cpu_s, 100 * cpu_s / makespan_s if makespan_s else None)


def _own_use(totals: dict[str, float], cost: RecordingCost | None, makespan_s: float | None) -> OwnUse:
    if not makespan_s or not all(metric in totals for metric in _CPU):
        return OwnUse(None, 0.0)
    cpu_s = sum(totals[metric] for metric in _CPU) / 1e9
    return OwnUse(cpu_s / makespan_s, ((cost.cpu_s or 0.0) if cost else 0.0) / makespan_s)


def _memory(evidence: Evidence) -> MemoryPeak:
    ends, kept = {}, []
    for row in evidence.processes.records():
        process, end, peak = whole(row["id"]), whole(row["end_ns"]), whole(row[Metric.PEAK_MEMORY])
        if process is not None and end is not None:
            ends[process] = end
        if peak is not None and row["peak_source"] == Source.EXACT:
            kept.append(peak)
    return peak_memory(evidence.memory, ends, tuple(kept))


def _witness(
    evidence: Evidence, memory: MemoryPeak, uses: tuple[ProcessUse, ...], totals: dict[str, float]
) -> Witness:
    listed_cpu_s = sum(use.cpu_s or 0.0 for use in uses)
    listed_read = sum(use.read_bytes or 0 for use in uses)
    return Witness(
        manifest=evidence.manifest,
        state=evidence.state,
        notes=evidence.notes,
        reading=evidence.reading,
        memory=memory,
        processes=len(uses) if not evidence.notes.attached else _started_within(evidence),
        missing_cpu_s=max(0.0, sum(totals.get(metric, 0.0) for metric in _CPU) / 1e9 - listed_cpu_s),
        missing_read_bytes=max(0.0, totals.get(Metric.READ, 0.0) - listed_read),
        phases=evidence.phases.rows,
        cut_phases=cut_phases(evidence.phases),
        stolen_percent=stolen_percent(evidence.host),
        steps=counting(evidence.steps),
    )


def _started_within(evidence: Evidence) -> int:
    """Return how many processes were started while the run was recorded, and were not there before."""
    span = _span(evidence)
    starts = [whole(row["start_ns"]) for row in evidence.processes.records()]
    return sum(span is not None and start is not None and start >= span[0] for start in starts)
