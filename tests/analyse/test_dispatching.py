"""How long places stood empty though a task could have begun."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.dispatching import Waits, gaps_s
from longpole.analyse.graph import Graph
from tests.analyse.run_tables import S, ns


def test_two_lanes_each_with_gaps():
    found = gaps_s(ns(0, 0, 3, 3), ns(2, 2, 5, 5), 2, (0, 5 * S)).sum()

    assert found == pytest.approx(2.0)


def test_a_wait_for_what_it_depends_on_is_none():
    graph = Graph(3, np.array([0]), np.array([2]))

    found = gaps_s(ns(0, 0, 5.5), ns(5, 1, 7), 2, (0, 7 * S), Waits(graph)).sum()

    assert found == pytest.approx(0.5)


def test_a_barrier_that_nobody_told_of_is_none():
    found = gaps_s(ns(0, 0, 5, 9, 9), ns(5, 5, 9, 10, 10), 2, (0, 10 * S)).sum()

    assert found == pytest.approx(0.0)


def test_time_in_a_queue_is_none():
    queued = ns(0, 0, 2.5), ns(0, 0, 4.5)

    found = gaps_s(ns(0, 0, 5), ns(2, 2, 7), 2, (0, 7 * S), Waits(None, queued)).sum()

    assert found == pytest.approx(1.0)


@given(
    st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=15), st.integers(1, 4)
)
def test_dispatch_is_never_more_than_the_lanes_stood_idle(rows, lanes):
    starts, ends = ns(*(at for at, _ in rows)), ns(*(at + took for at, took in rows))
    end = int(ends.max())

    found = gaps_s(starts, ends, lanes, (0, end)).sum()

    assert 0 <= found <= max(0.0, lanes * end / S - float((ends - starts).sum()) / S) + 1e-9
