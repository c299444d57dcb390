"""Workers that share the cores with others."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.interference import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first

_CORES, _LENGTH, _FROM, _TO = 4, 50, 10, 30


def planted_run(seed: int, workers: int, others: float) -> tuple[Planted, float]:
    """Return workers that each want a core, of which others take so many for a while; and what that costs."""
    rng = np.random.default_rng(seed)
    planted = Planted(float(_LENGTH), cores=_CORES)
    for number in range(workers):
        planted.phase("process", f"worker-{number}", 0.0, _LENGTH - 0.01 * number, process=number + 1)
    lost = 0.0
    for second in range(_LENGTH):
        taken = others * rng.normal(1.0, 0.03) if _FROM <= second < _TO else 0.02
        share = min(1.0, (_CORES - taken) / workers)
        lost += 1.0 - share
        for number in range(workers):
            planted.sample("cpu", "used", second, second + 1.0, share, scope="process", owner=number + 1)
        busy = workers * share + taken
        for metric, part in (("user", 0.9), ("system", 0.1)):
            planted.sample("cpu", metric, second, second + 1.0, part * busy, owner=1, capacity=float(_CORES))
    return planted, lost


@pytest.mark.parametrize("seed", SEEDS)
def test_what_others_take_is_found_first_with_its_saving(seed: int):
    planted, lost_s = planted_run(seed, workers=4, others=2.0)

    found = first(planted)

    assert found.rule == "interference"
    assert_near(found.saving_s, lost_s, 0.05)
    assert_near(found.saving_low_s, lost_s / 2, 0.05)
    assert "40 % of the makespan" in found.evidence[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_the_run_gets_what_it_wants(seed: int):
    planted, _ = planted_run(seed, workers=1, others=2.9)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_the_run_fills_the_cores_itself(seed: int):
    planted, _ = planted_run(seed, workers=8, others=0.05)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_nothing_waited_for_a_core(seed: int):
    planted, _ = planted_run(seed, workers=4, others=2.0)
    planted.sample("pressure", "cpu some", 0.0, float(_LENGTH), 0.01, owner=1, capacity=1.0)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_without_samples_of_the_host(seed: int):
    planted = Planted(20.0)
    planted.phase("process", "worker", 0.0, 20.0, process=1)
    planted.sample("cpu", "used", 0.0, 20.0, 0.5 + 0.01 * seed, scope="process", owner=1)

    assert list(RULE.look(planted.case())) == []
