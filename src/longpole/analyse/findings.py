"""Findings: what rules suspect, replayed; only what gains enough is said.

Method: the change that a rule names is replayed next to the run as it was, with the same draws of gaps; the
saving is the difference of the two makespans. Its range is that of the draws and of what the rule says is the
least and the most, widened by the error of the replay as it was: of the saving, or of the makespan where the
change is about what runs side by side. What is sure to gain nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from longpole.analyse.replay import Replay
from longpole.analyse.rules.case import Case, Rule, Suspicion
from longpole.model.explanation import Finding

# What gains less of the makespan is not worth anybody's time.
LEAST_SHARE = 0.01


def find(case: Case, replay: Replay, rules: Iterable[Rule]) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Return what costs time, the largest saving first, and a sentence for each rule that failed."""
    found: list[Finding] = []
    failed: list[str] = []
    for rule in rules:
        try:
            suspicions = list(rule.look(case))
        except Exception as error:  # noqa: BLE001  a rule may be somebody else's, and fail in any way
            failed.append(f"The rule '{rule.name}' failed: {type(error).__name__}: {error}.")
            continue
        found += [one for one in (judged(case, replay, each) for each in suspicions) if one is not None]
    return tuple(sorted(found, key=lambda one: (-one.saving_s, one.rule, one.phase))), tuple(failed)


def judged(case: Case, replay: Replay, suspicion: Suspicion) -> Finding | None:
    """Return a suspicion with what its change gains; None if that is too little, whatever the bounds."""
    best = replay.savings_ns(suspicion.change)
    saving = _median(best)
    if saving < LEAST_SHARE * case.makespan_ns:
        return None
    every = [*best]
    for bound in (suspicion.at_least, suspicion.at_most):
        every += replay.savings_ns(bound) if bound is not None else []
    of_ns = case.makespan_ns if suspicion.change.reschedules else abs(saving)
    error_ns = of_ns * replay.error
    return Finding(
        rule=suspicion.rule,
        title=suspicion.title,
        phase=suspicion.phase,
        saving_s=saving / 1e9,
        saving_low_s=max(0.0, min(every) - error_ns) / 1e9,
        saving_high_s=min(max(every) + error_ns, case.makespan_ns) / 1e9,
        evidence=suspicion.evidence,
        advice=suspicion.advice,
        change=suspicion.change_said,
        step_s=suspicion.step_s,
    )


def _median(values: Sequence[int]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return float(ordered[middle]) if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
