from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from longpole.analyse.rank_sum import beyond, differences, least_p, p_value

NUMBERS = st.lists(st.integers(0, 6).map(float), min_size=1, max_size=5)


def by_hand(one: list[float], other: list[float]) -> float:
    """Return p by going through all ways to deal the numbers."""
    ranks = stats.rankdata([*one, *other])
    seen = ranks[len(one) :].sum()
    sums = [sum(some) for some in itertools.combinations(ranks, len(other))]
    below = sum(one <= seen + 1e-9 for one in sums) / len(sums)
    above = sum(one >= seen - 1e-9 for one in sums) / len(sums)
    return float(min(1.0, 2 * min(below, above)))


def test_of_twenty_ways_to_deal_six_numbers_two_lie_as_far_apart() -> None:
    assert p_value([1, 2, 3], [4, 5, 6]) == pytest.approx(2 / 20)
    assert p_value([1, 2, 4], [3, 5, 6]) == pytest.approx(4 / 20)


@given(one=NUMBERS, other=NUMBERS)
def test_p_counts_all_ways_to_deal_the_numbers_equal_ones_too(one: list[float], other: list[float]) -> None:
    assert p_value(one, other) == pytest.approx(by_hand(one, other))


@given(one=NUMBERS, other=NUMBERS)
def test_p_is_the_same_in_both_directions(one: list[float], other: list[float]) -> None:
    assert p_value(one, other) == pytest.approx(p_value(other, one))


def test_p_agrees_with_scipy_where_no_numbers_are_equal() -> None:
    drawn = np.random.default_rng(4)
    for sizes in ((4, 9), (10, 10), (30, 25)):
        one, other = drawn.normal(size=sizes[0]), drawn.normal(0.5, size=sizes[1])

        expected = stats.mannwhitneyu(one, other, method="exact").pvalue

        assert p_value(list(one), list(other)) == pytest.approx(expected)


def test_many_numbers_are_judged_by_a_normal_distribution_that_comes_close() -> None:
    drawn = np.random.default_rng(5)
    one, other = drawn.normal(size=70), drawn.normal(0.4, size=70)

    expected = stats.mannwhitneyu(one, other, method="exact").pvalue

    assert p_value(list(one), list(other)) == pytest.approx(expected, rel=0.05)
    assert p_value([1.0] * 70, [1.0] * 70) == 1.0


@pytest.mark.parametrize(("one", "other"), [(3, 3), (5, 5), (2, 9), (10, 10)])
def test_the_smallest_p_is_that_of_groups_wholly_apart(one: int, other: int) -> None:
    apart = p_value([float(at) for at in range(one)], [float(100 + at) for at in range(other)])

    assert apart == pytest.approx(least_p(one, other))


def test_the_interval_of_ten_and_ten_is_that_of_the_tables() -> None:
    """The two-sided critical value of Mann and Whitney's U for 10 and 10 at 0.05 is 23."""
    assert beyond(10, 10, 0.05) == 24
    assert beyond(8, 8, 0.05) == 14
    assert beyond(5, 5, 0.01) == 1
    assert beyond(4, 4, 0.02) == 0


def test_the_interval_of_many_comes_close_to_that_of_fewer() -> None:
    """Beyond what is counted exactly a formula takes over; there is no step between them."""
    shares = [beyond(size, size, 0.02) / size**2 for size in (58, 60, 61, 64)]

    assert max(shares) - min(shares) < 0.01


@given(st.data())
def test_the_interval_excludes_a_shift_exactly_if_the_test_rejects_it(data: st.DataObject) -> None:
    one, other = (
        np.array(data.draw(st.lists(st.floats(0, 1), min_size=5, max_size=9, unique=True))) for _ in range(2)
    )
    level = data.draw(st.sampled_from([0.1, 0.05, 0.02]))
    every, cut = differences(one, other), beyond(len(one), len(other), level)
    if len(np.unique(np.concatenate([one, other]))) < len(one) + len(other) or not cut or 0.0 in every:
        return

    shown = p_value(list(one), list(other)) <= level

    assert shown == (every[cut - 1] > 0 or every[-cut] < 0)
