"""A run that stalls for memory."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.memory_pressure import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first

_MEMORY = 64e9


def planted_run(used: np.ndarray) -> Planted:
    """Three phases of a process; the host's memory is filled so far, second by second."""
    planted = Planted(60.0)
    top = planted.phase("process", "python fit.py", 0.0, 60.0, process=1)
    for name, begin, end in (("load", 0.0, 20.0), ("fit", 20.0, 50.0), ("save", 50.0, 60.0)):
        planted.phase("phase", name, begin, end, parent=top, process=1)
    for second, share in enumerate(used):
        planted.sample("memory", "used", second, second + 1.0, share * _MEMORY, owner=1, capacity=_MEMORY)
    return planted


def stalls_of(seed: int) -> np.ndarray:
    stalls = np.random.default_rng(seed).normal(0.4, 0.05, 60)
    stalls[:20] = stalls[50:] = 0.0
    return stalls


@pytest.mark.parametrize("seed", SEEDS)
def test_stalls_are_found_first_with_their_saving(seed: int):
    stalls = stalls_of(seed)
    planted = planted_run(np.where(stalls > 0, 0.98, 0.6))
    for second, stalled in enumerate(stalls):
        planted.sample("pressure", "memory some", second, second + 1.0, stalled, owner=1, capacity=1.0)

    found = first(planted)

    assert (found.rule, found.phase) == ("memory-pressure", "fit")
    assert_near(found.saving_s, float(stalls.sum()), 0.01)
    assert_near(found.saving_low_s, float(stalls.sum()) / 2, 0.01)
    assert "98 % of the host's 64 GB" in found.evidence[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_memory_is_full_and_nothing_stalls(seed: int):
    rng = np.random.default_rng(seed)
    planted = planted_run(rng.uniform(0.96, 0.99, 60))
    for second, stalled in enumerate(rng.uniform(0.0, 0.01, 60)):
        planted.sample("pressure", "memory some", second, second + 1.0, stalled, owner=1, capacity=1.0)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_without_pressure_waiting_while_memory_is_full_is_found(seed: int):
    stalls = stalls_of(seed)
    planted = planted_run(np.where(stalls > 0, 0.98, 0.6))
    for second, stalled in enumerate(stalls):
        planted.sample("cpu", "waiting for I/O", second, second + 1.0, stalled, owner=1, capacity=4.0)

    found = first(planted)

    assert found.rule == "memory-pressure"
    assert_near(found.saving_s, float(stalls.sum()), 0.01)


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_waiting_has_another_reason(seed: int):
    planted = planted_run(np.full(60, 0.5))
    for second, stalled in enumerate(stalls_of(seed)):
        planted.sample("cpu", "waiting for I/O", second, second + 1.0, stalled, owner=1, capacity=4.0)

    assert list(RULE.look(planted.case())) == []
