"""The three questions that everybody asks of a run, answered in sentences.

Method: impact is blame; what resources would change is the best finding, and replays in which what takes most
of the path takes half as long, or twice as many run at once; efficiency is the use of cores and GPUs as
it was sampled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.doubling import doubled
from longpole.analyse.replay import Replay
from longpole.analyse.rules.case import Case
from longpole.model.device_time import DeviceTime
from longpole.model.explanation import Blame, Finding, Questions
from longpole.model.overview import GpuUse, Overview
from longpole.units import show_seconds

_NOT_KNOWN = "No times are known, so this cannot be said."
_MOST_NAMED = 3
_WORTH_NAMING = 0.005
_WELL_USED = 0.7
_WORTH_SAYING = 0.01


@dataclass(frozen=True, slots=True)
class Used:
    """How resources were used: as sampled, and on GPUs as traced."""

    overview: Overview
    gpu: tuple[DeviceTime, ...] = ()


def answers(
    used: Used,
    case: Case | None,
    blamed: Sequence[Blame],
    replay: Replay | None,
    findings: Sequence[Finding],
) -> Questions:
    """Return the answers; what no times are known for is said to be unknown."""
    if case is None or replay is None:
        return Questions(_NOT_KNOWN, _NOT_KNOWN, _efficiency(used))
    return Questions(_impact(blamed), _resources(case, blamed, replay, findings), _efficiency(used))


def _impact(blamed: Sequence[Blame]) -> str:
    whole = sum(one.seconds for one in blamed) or 1.0
    first = [one for one in blamed if one.seconds >= _WORTH_NAMING * whole][:_MOST_NAMED]
    named = [f"{_called(one)} ({100 * one.seconds / whole:.0f} %)" for one in first]
    rest = whole - sum(one.seconds for one in first)
    others = f"; everything else is {100 * rest / whole:.0f} %" if rest >= _WORTH_NAMING * whole else ""
    return f"Of the time from begin to end, most is {_listed(named)}{others}."


def _called(one: Blame) -> str:
    if one.kind in ("queue", "dependency", "dispatch"):
        return f"{one.what} waiting ({one.kind})"
    return (
        one.what if one.kind in ("phase", "process", "exec", "idle", one.what) else f"{one.what} [{one.kind}]"
    )


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "unknown"


def _resources(case: Case, blamed: Sequence[Blame], replay: Replay, findings: Sequence[Finding]) -> str:
    sentences = []
    if findings:
        best = findings[0]
        gain = 100 * best.saving_s * 1e9 / max(case.makespan_ns, 1)
        sentences.append(
            f"The largest gain seen is {show_seconds(best.saving_s)} ({gain:.0f} %), with {best.change}."
        )
    for one in [one for one in blamed if one.kind not in ("idle", "queue", "dependency", "dispatch")][:2]:
        gained = _gain_if_twice_as_fast(case, one, replay)
        if gained * 1e9 >= _WORTH_SAYING * case.makespan_ns:
            sentences.append(
                f"If {one.what} were twice as fast, the run would end {show_seconds(gained)} sooner."
            )
    sentences += _if_more_at_once(case, replay)
    return " ".join(sentences) or "Nothing takes time that faster resources could save."


def _if_more_at_once(case: Case, replay: Replay) -> list[str]:
    if _busy(case.overview) >= _WELL_USED and not replay.slowed_itself:
        return []  # there is hardly a core for them, and how they would share it is not known
    found = doubled(case, replay)
    if found is None:
        return []
    more = f"If {2 * found.slots:,} of {found.label} ran at once instead of {found.slots:,}"
    if found.saving_s * 1e9 < _WORTH_SAYING * case.makespan_ns:
        return [f"{more}, the run would end no sooner."]
    return [
        f"{more}, the run would end {show_seconds(found.saving_s)} sooner, if nothing else holds them up."
    ]


def _gain_if_twice_as_fast(case: Case, one: Blame, replay: Replay) -> float:
    kinds = [at for at, kind in enumerate(case.tree.kinds) if kind == one.kind]
    words = [at for at, word in enumerate(case.labels.words) if word == one.what]
    places = np.flatnonzero(np.isin(case.tree.kind, kinds) & np.isin(case.labels.codes, words))
    return replay.saving_s(Change(factors=case.factors(places, 0.5)))


def _efficiency(used: Used) -> str:
    sampled = [_cores(used.overview), *(_gpu(gpu) for gpu in used.overview.gpus)]
    known = [sentence for sentence in (*sampled, *map(_traced, used.gpu)) if sentence]
    return " ".join(known) or "How resources were used is not known."


def _traced(gpu: DeviceTime) -> str:
    if not gpu.span_us:
        return ""
    whose = "The GPU" if gpu.rank is None else f"The GPU of rank {gpu.rank}"
    idle, computing = (100 * part / gpu.span_us for part in (gpu.idle_us, gpu.compute_us))
    return f"{whose} computed {computing:.0f} % of the time and was idle {idle:.0f} %."


def _cores(overview: Overview) -> str:
    if overview.cpu_user_s is None or overview.cpu_system_s is None or not overview.makespan_s:
        return ""
    used = (overview.cpu_user_s + overview.cpu_system_s) / overview.makespan_s
    if not overview.cores:
        return f"{used:.2f} cores were used on average."
    share = used / overview.cores
    whole = f"{used:.2f} of {overview.cores} on average ({100 * share:.0f} %)"
    if share < _WELL_USED <= _busy(overview):
        return f"The cores were busy, but with others' work, too: this run used {whole}."
    judged = (
        "well used" if share >= _WELL_USED else "partly idle" if share >= _WELL_USED / 2 else "mostly idle"
    )
    return f"The cores were {judged}: {whole}."


def _busy(overview: Overview) -> float:
    """Return which share of the host's cores was busy, whoever used them."""
    percent = overview.host.cpu_busy_percent if overview.host is not None else None
    return (percent or 0.0) / 100


def _gpu(gpu: GpuUse) -> str:
    if gpu.busy_percent is None:
        return ""
    whose = "by this run" if gpu.scope == "tree" else "by anybody"
    return f"{gpu.name} was busy {gpu.busy_percent:.0f} % of the time ({whose})."
