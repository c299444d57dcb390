"""Groups of runs, compared by their times: what each took, what differs, and how sure that is.

Method: times are compared as logarithms, so that a difference is a ratio: a machine that is slow for a while
makes runs longer by a share of themselves. If the runs were made in turns, drift is taken out
(`analyse.drift`). Each group is then set beside the baseline group by the rank-sum test (`analyse.rank_sum`).
The time that decides is one family of tests, all other times together are another, and each family is
corrected by Holm (`analyse.holm`). Why ranks and not means, and how often all this is right, is measured in
`docs/methods/compare.md`. Left out: groups that differ in their spread only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from statistics import median
from typing import NamedTuple

import numpy as np

from longpole.analyse.arrays import Numbers
from longpole.analyse.detectable import seen_shift
from longpole.analyse.drift import drift, in_turns
from longpole.analyse.holm import corrected, levels
from longpole.analyse.rank_sum import beyond, differences, least_p, p_value
from longpole.analyse.spread import spread_of
from longpole.model.comparison import (
    CONFIDENCE,
    ComparedRun,
    Difference,
    GroupTimes,
    Metric,
    MetricComparison,
)


@dataclass(frozen=True, slots=True)
class Compared:
    """Times compared, that which decides first, and whether the runs were made in turns."""

    metrics: tuple[MetricComparison, ...]
    interleaved: bool


def compare(
    runs: Sequence[ComparedRun],
    groups: Sequence[str],
    metrics: Sequence[Metric],
    confidence: float = CONFIDENCE,
) -> Compared:
    """Return how the times of groups differ from those of the first.

    Args:
        runs: The runs; each has all the times.
        groups: The groups, the baseline group first; each has a run.
        metrics: The times to compare, that which decides first.
        confidence: How sure what is shown has to be.
    """
    ordered, interleaved = _in_order(runs)
    columns = [_Column(ordered, groups, metric, in_turns=interleaved) for metric in metrics]
    level = round(1 - confidence, 12)  # 0.02, and not what binary fractions make of it
    found = _family(columns[:1], level) + _family(columns[1:], level)
    return Compared(tuple(found), interleaved)


def _in_order(runs: Sequence[ComparedRun]) -> tuple[list[ComparedRun], bool]:
    """Return runs in the order in which they began, if that is known, and whether groups took turns."""
    began = [run.began_s for run in runs]
    if any(moment is None for moment in began):
        return list(runs), False
    ordered = [run for _, run in sorted(zip(began, runs, strict=True), key=lambda pair: pair[0] or 0.0)]
    return ordered, in_turns([run.group for run in ordered])


class _Column:
    """One time of all runs, ready to be compared: without drift, as logarithms if none is zero."""

    def __init__(
        self, runs: Sequence[ComparedRun], groups: Sequence[str], metric: Metric, *, in_turns: bool
    ) -> None:
        seconds = np.asarray([run.seconds[metric] for run in runs], np.float64)
        places = np.asarray([list(groups).index(run.group) for run in runs])
        self.metric, self.groups = metric, tuple(groups)
        self.times = tuple(
            _times(name, [run for run in runs if run.group == name], metric) for name in groups
        )
        self.is_ratio = bool((seconds > 0).all())
        values = np.log(seconds) if self.is_ratio else seconds
        self.drift: float | None = None
        if in_turns and self.is_ratio:
            moved = drift(values, places)
            values = values - moved
            self.drift = exp(float(np.ptp(moved))) - 1 if moved.any() else None
        self._values: list[Numbers] = [values[places == at] for at in range(len(groups))]

    def values(self, at: int) -> Numbers:
        """Return what is compared of the group at this place."""
        return self._values[at]

    def p(self, at: int) -> float:
        """Return the p of a group against the first."""
        return p_value(list(self._values[0]), list(self._values[at]))


def _times(group: str, runs: Sequence[ComparedRun], metric: Metric) -> GroupTimes:
    seconds = tuple(run.seconds[metric] for run in runs)
    found = spread_of(seconds)
    assert found is not None, "a group has a run"
    return GroupTimes(
        group, tuple(run.run for run in runs), seconds, found.mean, found.sd, float(median(seconds))
    )


def _family(columns: Sequence[_Column], level: float) -> list[MetricComparison]:
    """Return times whose tests are corrected together."""
    keys = [(column, at) for column in columns for at in range(1, len(column.groups))]
    ps = [column.p(at) for column, at in keys]
    held = levels(ps, level)
    tests = [
        _Test(p, right, alone, level / len(ps))
        for p, right, alone in zip(ps, corrected(ps), held, strict=True)
    ]
    by_column: dict[int, list[Difference]] = {id(column): [] for column in columns}
    for (column, at), test in zip(keys, tests, strict=True):
        by_column[id(column)].append(_difference(column, at, test, level))
    return [
        MetricComparison(column.metric, column.times, tuple(by_column[id(column)]), column.drift)
        for column in columns
    ]


@dataclass(frozen=True, slots=True)
class _Test:
    """One test of a family: its p, that corrected, the level it was held to, and the strictest there is."""

    p: float
    corrected: float
    held_to: float
    strictest: float


def _difference(column: _Column, at: int, test: _Test, level: float) -> Difference:
    one, other = column.values(0), column.values(at)
    base, mine = column.times[0], column.times[at]
    found = _ratio(one, other, test) if column.is_ratio else _Ratio()
    if test.corrected > level:
        found = found.with_no_change()
    return Difference(
        group=column.groups[at],
        ratio=found.ratio,
        low=found.low,
        high=found.high,
        p=test.p,
        p_corrected=test.corrected,
        least_p=least_p(len(one), len(other)),
        needed_p=test.strictest,
        shown=test.corrected <= level and not found.has_no_change,
        seen=found.seen,
        ratio_of_means=mine.mean_s / base.mean_s if base.mean_s and mine.mean_s else None,
    )


class _Ratio(NamedTuple):
    """The ratio of two groups, its interval, and which one would have been seen; None: nobody can tell."""

    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    seen: float | None = None

    @property
    def has_no_change(self) -> bool:
        """Whether equal times are within the interval."""
        return self.low is not None and self.high is not None and self.low <= 1 <= self.high

    def with_no_change(self) -> _Ratio:
        """Return it with equal times in its interval.

        Only where times are equal can the test, which knows of that, and the interval differ: the more
        careful of them counts.
        """
        if self.low is None or self.high is None:
            return self
        return self._replace(low=min(self.low, 1.0), high=max(self.high, 1.0))


def _ratio(one: Numbers, other: Numbers, test: _Test) -> _Ratio:
    every = differences(one, other)
    cut, seen = beyond(len(one), len(other), test.held_to), seen_shift(one, other, test.strictest)
    low, high = (exp(float(every[cut - 1])), exp(float(every[-cut]))) if cut else (None, None)
    return _Ratio(exp(float(np.median(every))), low, high, None if seen is None else exp(seen))
