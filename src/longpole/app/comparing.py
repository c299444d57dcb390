"""Comparing runs: reads each, puts it into its group, and lets the analysis judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longpole.analyse.comparison import compare
from longpole.analyse.comparison_doubts import doubts
from longpole.analyse.gate import gate_of
from longpole.app.compared_runs import Seen, compared_run, look_at
from longpole.app.grouping import chosen_keys, group_of, in_order
from longpole.app.progress import progress
from longpole.errors import NothingToCompareError, UsageError
from longpole.model.comparison import CONFIDENCE, ComparedRun, Comparison, LeftOutRun, Metric
from longpole.store.selection import RunEntry

SCHEMA_VERSION = 1
_OF_WORKFLOWS = (Metric.END_TO_END, Metric.COMPUTE, Metric.STAGE_IN, Metric.STAGE_OUT)
_OF_COMMANDS = (Metric.END_TO_END, Metric.CPU)


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of a comparison.

    Attributes:
        by: What makes the groups, words with commas between them; empty: what differs.
        baseline: The group that others are compared with; empty: the first.
        metric: The time that decides.
        gate: By which share of the baseline's time a group may be slower; None: nobody asks.
        confidence: How sure what is shown has to be.
    """

    by: str = ""
    baseline: str = ""
    metric: Metric = Metric.END_TO_END
    gate: float | None = None
    confidence: float = CONFIDENCE


def compare_runs(entries: Sequence[RunEntry], asked: Asked) -> Comparison:
    """Return how groups of runs differ.

    Raises:
        UsageError: There is no such baseline, or nothing to group by.
        NothingToCompareError: None of the runs, or none of those that others are compared with, can be used.
    """
    with progress("Reading runs", len(entries)) as tell:
        seen = [look_at(entry, tell) for entry in entries]
    partial = [one.facts for one in seen if not one.known]
    keys = chosen_keys([one.facts for one in seen if one.known], asked.by, partial)
    usable = [one for one in seen if not one.why]
    left_out = tuple(LeftOutRun(one.run, group_of(one.facts, keys), one.why) for one in seen if one.why)
    if not usable:
        raise NothingToCompareError(_nothing(left_out))
    runs = [compared_run(one, group_of(one.facts, keys), keys) for one in usable]
    metrics = _metrics(usable, runs, asked.metric)
    groups = _groups(usable, keys, asked.baseline or _first(seen, keys), left_out)
    compared, lost = compare(runs, groups, metrics, asked.confidence), _lost(seen, keys, groups)
    return Comparison(
        schema_version=SCHEMA_VERSION,
        title=", ".join(dict.fromkeys(one.facts["workflow"] or one.facts["name"] for one in usable)),
        by=", ".join(keys),
        baseline=groups[0],
        decided_by=metrics[0],
        confidence=asked.confidence,
        interleaved=compared.interleaved,
        metrics=compared.metrics,
        gate=None if asked.gate is None else gate_of(compared.metrics[0], asked.gate, lost),
        doubts=doubts(runs, compared),
        left_out=left_out,
    )


def _nothing(left_out: Sequence[LeftOutRun]) -> str:
    first = left_out[0]
    if len(left_out) == 1:
        return f"Run {first.run} cannot be compared: {first.why}."
    return f"None of these {len(left_out):,} runs can be compared. Of run {first.run}: {first.why}."


def _first(seen: Sequence[Seen], keys: Sequence[str]) -> str:
    """Return the group that others are compared with if nothing is said; maybe none of its runs can be."""
    return in_order([one.facts for one in seen if _tells(one, keys)], keys)[0]


def _tells(seen: Seen, keys: Sequence[str]) -> bool:
    """Return whether it can be said which group a run is of."""
    return seen.known or any(seen.facts.get(key) for key in keys)


def _lost(seen: Sequence[Seen], keys: Sequence[str], groups: Sequence[str]) -> list[str]:
    """Return groups of which no run can be used."""
    there = dict.fromkeys(group_of(one.facts, keys) for one in seen if _tells(one, keys))
    return [name for name in there if name not in groups]


def _metrics(usable: Sequence[Seen], runs: Sequence[ComparedRun], wanted: Metric) -> list[Metric]:
    """Return the times that all runs have, that which decides first.

    Raises:
        UsageError: Some run does not have the one that is to decide.
    """
    lacking = next((run for run in runs if wanted not in run.seconds), None)
    if lacking is not None:
        raise UsageError(f"Run {lacking.run} does not tell its time '{wanted}'. Choose another --metric.")
    usual = _OF_WORKFLOWS if all(one.has_tasks for one in usable) else _OF_COMMANDS
    known = [metric for metric in usual if all(metric in run.seconds for run in runs)]
    return list(dict.fromkeys([wanted, *known]))


def _groups(
    usable: Sequence[Seen], keys: Sequence[str], baseline: str, left_out: Sequence[LeftOutRun]
) -> list[str]:
    """Return the groups, that which others are compared with first.

    Raises:
        NothingToCompareError: None of its runs can be used; another group must not stand in for it unsaid.
        UsageError: There is no such group.
    """
    groups = in_order([one.facts for one in usable], keys)
    if baseline in groups:
        return [baseline, *(group for group in groups if group != baseline)]
    lost = next((one for one in left_out if one.group == baseline), None)
    if lost is not None:
        raise NothingToCompareError(
            f"No run of '{baseline}', which others are compared with, can be used: {lost.why}. "
            "Choose another group with --baseline."
        )
    raise UsageError(f"There is no group '{baseline}' to compare with. There are {', '.join(groups)}.")
