from __future__ import annotations

import numpy as np
import pytest

from longpole.analyse.bottlenecks import bottlenecks
from longpole.analyse.rates import give
from longpole.analyse.wanted_cores import hold_by_cores, own_cores
from longpole.model.attribution import Resource
from tests.analyse.workloads import listed, samples, work


def found(workload, observed, host, cores=4.0):
    """Cores that a phase can use by itself, then seconds held by all cores and by its own, of the first."""
    given = give(workload, observed, Resource("cores", "cores", cores)).attribution
    level = np.full(given.pieces.rows, host)
    own = own_cores(workload, given, level)
    held = bottlenecks(workload, [hold_by_cores(workload, given, own, level)])
    return own[0], *listed(held.resources, "saturated_s", "locally_saturated_s")[0]


def test_one_busy_core_of_many_is_the_own_one():
    assert found(work(("a", 0, 10)), samples((0, 10, 0.97)), host=1.0) == (1.0, 0.0, pytest.approx(10.0))


def test_one_busy_core_is_the_own_one_also_on_a_full_host():
    assert found(work(("a", 0, 10)), samples((0, 10, 0.97)), host=4.0) == (1.0, 0.0, pytest.approx(10.0))


def test_less_than_a_core_on_a_full_host_is_held_by_all_cores():
    assert found(work(("a", 0, 10)), samples((0, 10, 0.5)), host=4.0) == (1.0, pytest.approx(10.0), 0.0)


def test_less_than_a_core_on_a_host_with_room_is_held_by_none():
    assert found(work(("a", 0, 10)), samples((0, 10, 0.5)), host=1.0) == (1.0, 0.0, 0.0)


def test_more_than_a_core_on_a_full_host_could_use_the_next():
    assert found(work(("a", 0, 10)), samples((0, 10, 1.2)), host=4.0) == (2.0, pytest.approx(10.0), 0.0)


def test_threads_that_share_one_core_do_not_have_one_each():
    # two phases at once in one process, and one core used: half of one each
    assert found(work(("a", 0, 10), ("a", 0, 10)), samples((0, 10, 1.0)), host=1.0) == (1.0, 0.0, 0.0)


def test_little_of_a_core_on_a_full_host_is_waiting_for_something_else():
    # as a training does that waits for its loader
    assert found(work(("a", 0, 10)), samples((0, 10, 0.1)), host=4.0)[1:] == (0.0, 0.0)


def test_one_that_sleeps_on_a_full_host_is_not_held():
    assert found(work(("a", 0, 10)), samples((0, 10, 0.01)), host=4.0)[1:] == (0.0, 0.0)
