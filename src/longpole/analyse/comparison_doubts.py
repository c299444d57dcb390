"""What makes a comparison less sure than its numbers say: sentences.

Numbers cannot tell these: the test takes it for granted that runs differ in their group and in chance only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longpole.analyse.comparison import Compared
from longpole.analyse.sentences import count_of
from longpole.model.comparison import ComparedRun, Metric, MetricComparison

_MOST_VALUES = 4


def doubts(runs: Sequence[ComparedRun], compared: Compared) -> tuple[str, ...]:
    """Return all that is to be said against a comparison, the worst first."""
    return (
        *_machines(runs),
        *_settings(runs),
        *_order(runs, compared),
        *_overlaps(runs),
        *_cached(runs),
        *_retries(runs),
        *_means(compared.metrics[0]),
    )


def _machines(runs: Sequence[ComparedRun]) -> Iterator[str]:
    found = list(dict.fromkeys(run.machine for run in runs if run.machine))
    if len(found) > 1:
        yield (
            f"The runs were made on {len(found)} machines ({_listed(found)}): "
            "a difference may be that of the machines."
        )


def _settings(runs: Sequence[ComparedRun]) -> Iterator[str]:
    """Tell what differs besides what makes the groups."""
    names = list(dict.fromkeys(name for run in runs for name in run.settings))
    for name in names:
        values = list(dict.fromkeys(run.settings.get(name, "not set") for run in runs))
        if len(values) > 1:
            yield f"The runs differ in {name}, too ({_listed(values)}): a difference may come from that."


def _order(runs: Sequence[ComparedRun], compared: Compared) -> Iterator[str]:
    several = len({run.group for run in runs}) > 1
    if not several or compared.interleaved:
        return
    if any(run.began_s is None for run in runs):
        yield "When some runs were made is not known, so drift of the machine cannot be taken out."
    else:
        yield (
            "The groups were not measured in turns: if the machine changed meanwhile, that looks like "
            "a difference between them. 'longpole run --repeat' takes turns."
        )


def _overlaps(runs: Sequence[ComparedRun]) -> Iterator[str]:
    """Tell of runs that were going on at the same time on one machine."""
    spans = [
        (run.machine, run.began_s, run.began_s + run.seconds.get(Metric.END_TO_END, 0.0), at)
        for at, run in enumerate(runs)
        if run.began_s is not None
    ]
    hit: set[int] = set()
    ordered = sorted(spans)
    for place, (machine, _, end, at) in enumerate(ordered):
        for other_machine, begin, _, other in ordered[place + 1 :]:
            if other_machine != machine or begin >= end:
                break
            hit |= {at, other}
    if hit:
        yield (
            f"{count_of(len(hit), 'run')} of {len(runs):,} went on while another did, "
            "and each took something from the other."
        )


def _cached(runs: Sequence[ComparedRun]) -> Iterator[str]:
    some = sum(run.cached > 0 for run in runs)
    if some:
        yield (
            f"{count_of(some, 'run')} of {len(runs):,} took results of tasks that had been made before. "
            "'longpole run --fresh' makes everything again."
        )


def _retries(runs: Sequence[ComparedRun]) -> Iterator[str]:
    some = sum(run.retries > 0 for run in runs)
    if some:
        yield f"In {count_of(some, 'run')} of {len(runs):,} tasks had to be tried again, which takes time."


def _means(deciding: MetricComparison) -> Iterator[str]:
    """Tell where means say something else than what runs typically take, noise allowed for."""
    for one in deciding.differences:
        if one.ratio is None or one.low is None or one.high is None or one.ratio_of_means is None:
            continue
        if not one.low <= one.ratio_of_means <= one.high:
            means, typical = 100 * (one.ratio_of_means - 1), 100 * (one.ratio - 1)
            yield (
                f"By their means '{one.group}' and '{deciding.groups[0].group}' differ by {means:+.1f} %, "
                f"but typical runs by {typical:+.1f} %: a few runs far off make the rest."
            )


def _listed(values: Sequence[str]) -> str:
    more = len(values) - _MOST_VALUES
    shown = ", ".join(value or "''" for value in values[:_MOST_VALUES])
    return f"{shown} and {more} more" if more > 0 else shown
