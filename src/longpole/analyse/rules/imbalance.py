"""Imbalance: what runs side by side does not end together, and the last to end decides.

Method: the time of a fan of concurrent siblings, less the mean over its slots of the time in which each had
work or a gap before work. If all began at once and each has a slot, that is the longest less the mean. It
must be a tenth of the time of the fans. Fans with stragglers are left to that rule. The change keeps the work
as it is in sum; it assumes that it can be divided otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from longpole.analyse.change import Change
from longpole.analyse.rules.case import Case, Suspicion
from longpole.analyse.rules.figures import percent, seconds
from longpole.analyse.rules.siblings import Fan, Sort, sorts, within_ns
from longpole.analyse.sentences import count_of

LEAST_SHARE = 0.1
LEAST_PATH_SHARE = 0.01
_MOST = 3
_MOST_MEMBERS = 200_000


@dataclass(frozen=True, slots=True)
class Imbalance:
    """The rule."""

    name: str = "imbalance"

    def look(self, case: Case) -> Iterator[Suspicion]:
        """Yield a suspicion for each sort of siblings on the critical path that is out of balance."""
        path_ns = within_ns(case)
        least_ns = max(1.0, LEAST_PATH_SHARE * case.makespan_ns)
        found = [sort.only(fan for fan in sort.fans if _looked_at(fan)) for sort in sorts(case, 2)]
        lost = [(lost_ns(sort), sort) for sort in found if sort.fans]
        worth = [
            (loss, sort)
            for loss, sort in lost
            if loss >= max(LEAST_SHARE * sort.span_ns, least_ns) and path_ns[sort.places].sum() >= least_ns
        ]
        for loss, sort in sorted(worth, key=lambda one: -one[0])[:_MOST]:
            yield _suspicion(self.name, sort, loss)


RULE = Imbalance()


def lost_ns(sort: Sort) -> float:
    """Return for how long a slot had nothing to do while others had, on average over the slots."""
    return sum(_lost_ns(fan) for fan in sort.fans)


def _looked_at(fan: Fan) -> bool:
    return len(fan.places) <= _MOST_MEMBERS and not fan.late.any()


def _lost_ns(fan: Fan) -> float:
    used_ns = int(fan.took_ns.sum()) + int(fan.items.gaps_ns.sum())
    return max(0.0, fan.span_ns - used_ns / fan.slots)


def _suspicion(rule: str, sort: Sort, loss_ns: float) -> Suspicion:
    worst = max(sort.fans, key=_lost_ns)
    longest, shortest = float(worst.took_ns.max()), float(worst.took_ns.min())
    return Suspicion(
        rule=rule,
        title="Work is divided unevenly",
        phase=sort.label,
        evidence=(
            (
                f"{len(worst.places):,} '{sort.label}' side by side took from {seconds(shortest)} to"
                f" {seconds(longest)}, {seconds(float(worst.took_ns.mean()))} on average."
            ),
            (
                f"Over {count_of(len(sort.fans), 'group')}, {percent(loss_ns / sort.span_ns)} of the time of"
                f" a slot passed without work, {seconds(loss_ns)} in all."
            ),
        ),
        advice=(
            f"Divide the work of '{sort.label}' by what it costs and not by number: cut it into 4 to 10 times"
            f" as many pieces as the {worst.slots:,} that run at once, hand out the longest first, and let"
            " each worker fetch the next piece when it is done (chunksize=1, imap_unordered, a queue)."
        ),
        change=_change(sort, 1.0),
        change_said=f"'{sort.label}' of a group taking as long as their mean, the same work in sum",
        at_least=_change(sort, 0.5),
    )


def _change(sort: Sort, share: float) -> Change:
    """Return the change in which members come closer to the mean of their fan by a share of the way."""
    return Change(balance=[(fan.places, share) for fan in sort.fans])
