"""Threads and processes that get on one at a time."""

from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.rules.lock import RULE
from tests.analyse.planted import Planted
from tests.analyse.rules.seen import SEEDS, assert_near, first

_CORES = 8


def threads_of(seed: int, used: float, threads: int = 4, beside_s: float = 0.0) -> tuple[Planted, float]:
    """Return threads of one process that together use so many cores, and how long they take."""
    rng = np.random.default_rng(seed)
    took = rng.normal(20.0, 0.1, threads)
    end = 2.0 + max(float(took.max()), beside_s)
    planted = Planted(end + 1.0, cores=_CORES)
    top = planted.phase("process", "python serve.py", 0.0, end + 1.0, process=1)
    for number, one in enumerate(took):
        planted.phase("phase", "handle", 2.0, 2.0 + one, parent=top, process=1, lane=number + 1)
    if beside_s:
        planted.phase("phase", "simulate", 2.0, 2.0 + beside_s, parent=top, process=1, lane=9)
    for second in range(int(end)):
        cores = used + rng.normal(0.0, 0.02)
        planted.sample("cpu", "used", second, second + 1.0, cores, scope="process", owner=1)
        planted.sample("cpu", "user", second, second + 1.0, cores + 0.1, owner=1, capacity=float(_CORES))
    return planted, float(took.max())


@pytest.mark.parametrize("seed", SEEDS)
def test_threads_on_one_core_are_found_first_with_their_saving(seed: int):
    planted, took_s = threads_of(seed, used=1.0)

    found = first(planted)

    assert (found.rule, found.phase) == ("lock", "handle")
    assert "GIL" in found.advice
    assert_near(found.saving_s, took_s * (1 - 1 / 4), 0.03)
    assert found.saving_low_s <= 0.51 * found.saving_s


@pytest.mark.parametrize("seed", SEEDS)
def test_processes_on_one_core_are_found_first(seed: int):
    rng = np.random.default_rng(seed)
    took = rng.normal(30.0, 0.2, 3)
    planted = Planted(float(took.max()), cores=_CORES)
    for number, one in enumerate(took):
        planted.phase("process", "ingest", 0.0, one, process=number + 1)
    for second in range(30):
        shares = rng.dirichlet([5.0, 5.0, 5.0])
        for number, share in enumerate(shares):
            planted.sample("cpu", "used", second, second + 1.0, share, scope="process", owner=number + 1)

    found = first(planted)

    assert (found.rule, found.phase) == ("lock", "ingest")
    assert "processes" in found.advice
    assert "GIL" not in found.advice
    assert_near(found.saving_s, float(took.max()) * (1 - 1 / 3), 0.03)


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_threads_use_their_cores(seed: int):
    planted, _ = threads_of(seed, used=3.9)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_if_they_wait_for_input(seed: int):
    planted, _ = threads_of(seed, used=0.9)
    planted.sample("pressure", "io some", 0.0, 22.0, 0.5, owner=1, capacity=1.0)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_silent_off_the_critical_path(seed: int):
    planted, _ = threads_of(seed, used=1.0, beside_s=60.0)

    assert list(RULE.look(planted.case())) == []


def test_silent_if_no_core_is_free():
    planted, _ = threads_of(0, used=1.0)
    planted.sample("cpu", "user", 0.0, 30.0, 6.5, owner=1, capacity=float(_CORES))

    assert list(RULE.look(planted.case())) == []


def test_silent_if_they_wait_for_a_process_of_their_own():
    planted = Planted(20.0, cores=_CORES)
    for number in (1, 2):
        shell = planted.phase("process", "sh", 0.0, 20.0, process=number)
        planted.phase("process", "work", 0.0, 20.0, parent=shell, process=number + 2)
        planted.sample("cpu", "used", 0.0, 20.0, 0.5, scope="process", owner=number)

    assert list(RULE.look(planted.case())) == []


@pytest.mark.parametrize("seed", SEEDS)
def test_marked_waits_for_a_lock_are_found_first(seed: int):
    rng = np.random.default_rng(seed)
    planted = Planted(40.0, cores=_CORES)
    waited = 0.0
    for worker in (1, 2):
        top = planted.phase("process", f"worker-{worker}", 0.0, 40.0, process=worker)
        for round_ in range(10):
            begin, wait = round_ * 4.0, float(rng.uniform(1.0, 2.0))
            planted.phase("phase", "wait for lock", begin, begin + wait, parent=top, process=worker)
            planted.phase("phase", "write", begin + wait, begin + 4.0, parent=top, process=worker)
            waited += wait / 2

    found = first(planted)

    assert (found.rule, found.phase) == ("lock", "wait for lock")
    assert found.saving_s <= waited * 1.3
    assert found.saving_s >= waited * 0.6


def test_a_wait_that_only_one_has_is_no_lock():
    planted = Planted(20.0)
    planted.phase("wait", "wait for results", 0.0, 20.0, process=1)

    assert list(RULE.look(planted.case())) == []
