"""What rules suspect, replayed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from longpole.analyse.change import Change, Replayed
from longpole.analyse.findings import find
from longpole.analyse.replay import Replay
from longpole.analyse.rules.case import Case, Suspicion
from tests.analyse.planted import Planted


@dataclass(frozen=True)
class Faster:
    """Suspects that one phase could take a share of its time, and at the least or at the most others."""

    share: float
    at_least: float
    at_most: float
    name: str = "faster"

    def look(self, case: Case) -> Iterator[Suspicion]:
        change, least, most = (
            Change(factors=case.factors(np.array([1]), share))
            for share in (self.share, self.at_least, self.at_most)
        )
        yield Suspicion("faster", "", "train", (), "", change, "", at_least=least, at_most=most)


class CountedReplay(Replay):
    """Counts how often it is asked for a change."""

    asked = 0

    def replay(self, change: Change) -> Replayed:
        self.asked += 1
        return super().replay(change)


def train_for_half_of_the_run() -> Planted:
    planted = Planted(100.0)
    planted.phase("phase", "train", 0.0, 50.0)
    return planted


def test_range_of_a_saving_holds_what_a_rule_says_is_the_least_and_the_most():
    [found] = train_for_half_of_the_run().findings(Faster(0.5, at_least=0.8, at_most=0.2))

    assert found.saving_s == pytest.approx(25.0)
    assert (found.saving_low_s, found.saving_high_s) == pytest.approx((10.0, 40.0))


def test_what_gains_too_little_is_not_replayed_with_its_bounds():
    case = train_for_half_of_the_run().case()
    replay = CountedReplay(case.tree)

    found, _ = find(case, replay, [Faster(0.99, at_least=1.0, at_most=0.0)])

    assert found == ()
    assert replay.asked == 2  # as it was, and the change
