"""Stragglers: one or few of many that ran side by side took far longer, and all waited for them.

Method: among at least 4 concurrent siblings of one kind and name, the few (one, or less than a tenth) whose
time is above the median by 5 median absolute deviations and above 1.5 times the median, and that end after
all others. It assumes that they could have taken as long as the others: that a slow node, a retry or a cold
cache made them slow. Where they simply had more to do, the work must be cut smaller instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.change import Change
from longpole.analyse.graph import Whole
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds
from longpole.analyse.rules.siblings import Fan, Sort, sorts, within_ns
from longpole.analyse.sentences import count_of

LEAST_SIBLINGS = 4
LEAST_PATH_SHARE = 0.01
_MOST = 3


@dataclass(frozen=True, slots=True)
class Straggler:
    """The rule."""

    name: str = "straggler"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield a suspicion for each sort of siblings that waited for stragglers on the critical path."""
        path_ns = within_ns(case)
        least_ns = max(1.0, LEAST_PATH_SHARE * case.makespan_ns)
        found = [
            sort.only(fan for fan in sort.fans if fan.late.any()) for sort in sorts(case, LEAST_SIBLINGS)
        ]
        worth = [sort for sort in found if sort.fans and path_ns[_late(sort)].sum() >= least_ns]
        worth.sort(key=lambda sort: -int(path_ns[_late(sort)].sum()))
        for sort in worth[:_MOST]:
            yield _suspicion(self.name, sort)


RULE = Straggler()


def _late(sort: Sort) -> Whole:
    return np.concatenate([fan.places[fan.late] for fan in sort.fans])


def _suspicion(rule: str, sort: Sort) -> Suspicion:
    worst = max(sort.fans, key=_excess_ns)
    late, every = sum(int(fan.late.sum()) for fan in sort.fans), sum(len(fan.places) for fan in sort.fans)
    slowest, median = float(worst.took_ns[worst.late].max()), _median(worst)
    return Suspicion(
        rule=rule,
        title="A few take far longer than the others",
        phase=sort.label,
        evidence=(
            f"{late:,} of {every:,} '{sort.label}' took far longer than those beside them and ended last.",
            (
                f"The slowest took {seconds(slowest)}; the others took {seconds(median)} at the median, so"
                " that it"
                f" is {slowest / median:.1f} times as slow."
            ),
            (
                f"In {count_of(len(sort.fans), 'group')} side by side, {percent(_waited(sort))} of the"
                " time passed after all others had ended."
            ),
        ),
        advice=(
            f"Look at what is special about the slowest '{sort.label}': the host or GPU it ran on, a retry,"
            " a larger input. If the place is slow, leave it out or start a second copy of what is late and"
            " take"
            f" the first result; if the input is larger, cut it into pieces of about {seconds(median)}."
        ),
        change=_change(sort.fans, _median),
        change_said=f"{late:,} '{sort.label}' taking as long as the median of the others",
        at_least=_change(sort.fans, _slowest_other),
    )


def _change(fans: tuple[Fan, ...], length: Callable[[Fan], float]) -> Change:
    """Return the change in which stragglers take so long; never longer than they did."""
    lengths = {}
    for fan in fans:
        took_ns = round(length(fan))
        lengths.update(dict.fromkeys(fan.places[fan.late].tolist(), took_ns))
    return Change(lengths_ns=lengths)


def _median(fan: Fan) -> float:
    return float(np.median(fan.took_ns[~fan.late]))


def _slowest_other(fan: Fan) -> float:
    return float(min(fan.took_ns[~fan.late].max(), fan.took_ns[fan.late].min()))


def _excess_ns(fan: Fan) -> int:
    """Return how long only stragglers were left."""
    return fan.span_ns - int(fan.items.ends_ns[~fan.late].max())


def _waited(sort: Sort) -> float:
    return sum(_excess_ns(fan) for fan in sort.fans) / sort.span_ns
