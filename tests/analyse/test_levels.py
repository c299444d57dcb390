from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.levels import integral, level

ROWS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 10), st.sampled_from([0.1, 0.2, 0.3, 1e6])), max_size=15
)
SECOND = 1_000_000_000


def made(rows):
    start = np.array([row[0] for row in rows], np.int64) * SECOND
    end = start + np.array([row[1] for row in rows], np.int64) * SECOND
    return start, end, np.array([row[2] for row in rows], np.float64)


@given(ROWS)
def test_a_level_is_the_sum_of_what_is_active_and_exactly_zero_where_nothing_is(rows):
    found = level(*made(rows))

    for moment in range(-1, 42):
        active = [amount for start, length, amount in rows if start <= moment < start + length]
        value = found.at(np.array([moment * SECOND]))[0]
        assert value == pytest.approx(sum(active), rel=1e-8)
        assert (value == 0.0) == (not active)


@given(ROWS, st.integers(0, 40), st.integers(0, 40))
def test_an_integral_is_the_mass_between_two_moments(rows, first, second):
    low, high = sorted((first, second))
    mass = sum(amount * max(0, min(high, start + length) - max(low, start)) for start, length, amount in rows)

    found = level(*made(rows)).integral().over(np.array([low * SECOND]), np.array([high * SECOND]))

    assert found[0] == pytest.approx(mass, rel=1e-9, abs=1e-6)


def test_rates_are_zero_between_intervals_and_outside():
    # 2 a second in [1, 2) and 3 a second in [4, 6)
    found = integral(np.array([1, 4]) * SECOND, np.array([2, 6]) * SECOND, np.array([2.0, 3.0]))
    pairs = [(0, 1), (0, 3), (2, 4), (1, 5), (5, 9), (7, 9)]

    masses = found.over(*(np.array([pair[at] for pair in pairs]) * SECOND for at in (0, 1)))

    assert masses.tolist() == [0.0, 2.0, 0.0, 5.0, 3.0, 0.0]
