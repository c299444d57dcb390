"""The times of a run by which placements of data are compared: computing, staging, queueing, end to end.

Method: sums of durations over all phases of a kind (Krawczuk et al. 2021, Figures 6 to 8): ``exec`` of tasks,
which is cumulative however many ran at once, ``stage_in`` and ``stage_out`` of jobs and of the runner's own
jobs that move results, ``container`` and ``queue``. Where nobody tells executions apart from jobs, the time
of jobs is that of computing. Attempts that failed count: they took that time. A plain command is one job that
computes from begin to end. Left out: time in which a driver itself works, which is part of end to end only.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection
from dataclasses import dataclass

from longpole.analyse.sentences import count_of
from longpole.analyse.values import Row, number, whole, word
from longpole.model.columns import Columns
from longpole.model.json_facts import facts_in
from longpole.model.manifest import Manifest, State
from longpole.model.recording import RecordingNotes
from longpole.model.run_times import RunTimes

# What Pegasus calls jobs that run what the user described; others it added itself.
_COMPUTING = frozenset(("", "compute", "clustered"))
_SUMMED = {
    "stage_in_s": "stage_in",
    "stage_out_s": "stage_out",
    "container_s": "container",
    "queue_s": "queue",
}
_CALLED = {
    "compute_s": "how long tasks took",
    "stage_in_s": "staging",
    "stage_out_s": "staging",
    "container_s": "starting containers",
    "queue_s": "waiting for room",
}


@dataclass(frozen=True, slots=True)
class TimesEvidence:
    """All that the times of a run are drawn from.

    Attributes:
        manifest: What the run says about itself.
        state: Where it stands now.
        notes: What its recorder said.
        run: ``start_ns``, ``end_ns``, ``status`` and ``attributes`` of the run's own phase.
        tasks: One row for each type, outcome and ``job_type`` (what its teller calls it): ``tasks``,
            ``timed`` (whose time is known), ``total_ns``, ``retries`` and ``failed`` (in their last attempt).
        kinds: One row for each kind of phase: ``kind`` and ``total_ns``.
        told_ns: How long the workflow took, as another system told it; None where nobody did.
        group_retries: Attempts beyond the first of jobs of several tasks.
    """

    manifest: Manifest
    state: State
    notes: RecordingNotes
    run: Columns
    tasks: Columns
    kinds: Columns
    told_ns: int | None = None
    group_retries: int = 0


def run_times(evidence: TimesEvidence) -> RunTimes:
    """Return the times of one run; a time that cannot be known has a reason."""
    manifest, notes, facts = evidence.manifest, evidence.notes, _facts(evidence)
    rows = [row for row in evidence.tasks.records() if not _is_auxiliary(row, notes.auxiliary)]
    seconds = _seconds(evidence, rows)
    return RunTimes(
        run=manifest.id,
        name=manifest.name,
        workflow=notes.workflow,
        placement=notes.placement,
        parameters=_parameters(facts),
        command="" if notes.workflow else shlex.join(manifest.command),
        state=evidence.state.value,
        trouble=_trouble(evidence, sum(whole(row["failed"]) or 0 for row in rows)),
        tasks=sum(whole(row["tasks"]) or 0 for row in rows if row["outcome"] in (None, "ran")),
        cached=sum(whole(row["tasks"]) or 0 for row in rows if row["outcome"] == "cached"),
        retries=evidence.group_retries + sum(whole(row["retries"]) or 0 for row in rows),
        drivers=_drivers(facts),
        reasons={name: _reason(name, evidence) for name, found in seconds.items() if found is None},
        **seconds,
    )


def auxiliary_types(tasks: Columns, noted: Collection[str]) -> frozenset[str]:
    """Return types of task that a runner added itself: of ours those noted, of Pegasus by what it calls them.

    Args:
        tasks: Columns ``type`` and ``job_type``.
        noted: Types that our own runner named.
    """
    return frozenset(word(row["type"]) for row in tasks.records() if _is_auxiliary(row, noted))


def _is_auxiliary(row: Row, noted: Collection[str]) -> bool:
    return word(row["type"]) in noted or word(row["job_type"]) not in _COMPUTING


def _seconds(evidence: TimesEvidence, rows: list[Row]) -> dict[str, float | None]:
    """Return the times by their names. In a run of ours, what was never told did not happen."""
    kinds = {word(row["kind"]): number(row["total_ns"]) for row in evidence.kinds.records()}
    nothing = 0.0 if evidence.notes.workflow else None
    sums = {name: kinds.get(kind) for name, kind in _SUMMED.items()}
    whole_s = _end_to_end_s(evidence)
    return {
        "end_to_end_s": whole_s,
        "compute_s": _compute_s(rows, nothing) if evidence.tasks.rows else whole_s,
        **{name: nothing if sum_ns is None else sum_ns / 1e9 for name, sum_ns in sums.items()},
    }


def _compute_s(rows: list[Row], nothing: float | None) -> float | None:
    if not any(whole(row["timed"]) for row in rows):
        return nothing
    return sum(number(row["total_ns"]) or 0.0 for row in rows) / 1e9


def _end_to_end_s(evidence: TimesEvidence) -> float | None:
    if evidence.told_ns is not None and not evidence.notes.workflow:
        return evidence.told_ns / 1e9
    spans = [(whole(row["start_ns"]), whole(row["end_ns"])) for row in evidence.run.records()]
    known = [(start, end) for start, end in spans if start is not None and end is not None]
    if not known:
        return evidence.manifest.makespan_s
    return (max(end for _, end in known) - min(start for start, _ in known)) / 1e9


def _reason(name: str, evidence: TimesEvidence) -> str:
    """Return why a time is not known."""
    teller = " and ".join(evidence.notes.told_by)
    if name == "end_to_end_s" or (name == "compute_s" and not evidence.tasks.rows):
        return (
            f"{teller} did not tell when it began and ended" if teller else "its begin and end are not known"
        )
    if teller:
        return f"{teller} told nothing of {_CALLED[name]}"
    return f"'longpole record' sees nothing of {_CALLED[name]}, 'longpole run' does"


def _trouble(evidence: TimesEvidence, failed: int) -> str:
    """Return why a run did not come to a good end; empty if it did."""
    notes, manifest = evidence.notes, evidence.manifest
    if evidence.state is not State.FINISHED:
        return "it still runs" if evidence.state is State.RUNNING else "it was broken off"
    failed, commands = max(failed, notes.jobs_failed), notes.commands_failed + notes.commands_cut
    troubles = (
        (failed, f"{count_of(failed, 'job')} failed"),
        (notes.jobs_cut, f"{count_of(notes.jobs_cut, 'job')} did not come to an end"),
        (commands, f"{count_of(commands, 'command')} did not end well"),
        (manifest.signal, f"it was ended by signal {manifest.signal}"),
        (manifest.exit_code, f"it ended with exit code {manifest.exit_code}"),
    )
    return next((said for there, said in troubles if there), "")


def _facts(evidence: TimesEvidence) -> dict[str, object]:
    """Return what the run's own phase says besides."""
    found = (facts_in(word(row["attributes"])) for row in evidence.run.records())
    return next(filter(None, found), {})


def _parameters(facts: dict[str, object]) -> dict[str, str]:
    found = facts.get("parameters")
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _drivers(facts: dict[str, object]) -> int:
    found = facts.get("drivers")
    return found if isinstance(found, int) else 0
