"""How many ran at once, over time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.profile import profile

INTERVALS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=12)


def test_worked_by_hand():
    # 0-4 and 2-6: one, two, one; on average 8 / 6
    found = profile(np.array([0, 2]), np.array([4, 6]))

    assert found.at_ns.tolist() == [0, 2, 4, 6]
    assert found.running.tolist() == [1, 2, 1, 0]
    assert found.peak == 2
    assert found.mean() == pytest.approx(8 / 6)
    assert found.at_least(2) == pytest.approx(1 / 3)
    assert found.means(3).tolist() == [1.0, 2.0, 1.0]


def test_nothing_ran():
    found = profile(np.array([3]), np.array([3]))

    assert (found.peak, found.mean(), found.means(2).tolist()) == (0, 0.0, [0.0, 0.0])


@given(INTERVALS)
def test_the_area_is_the_sum_of_all_times(intervals):
    starts = np.array([start for start, _ in intervals], np.int64)
    ends = np.array([start + took for start, took in intervals], np.int64)

    found = profile(starts, ends)

    assert (found.running[:-1] * np.diff(found.at_ns)).sum() == (ends - starts).sum()
    assert (found.running >= 0).all()
    assert found.peak <= len(intervals)
