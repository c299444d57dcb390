from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.measure.repeats import LEAST_SPREAD, MOST_SPREAD, agree, of_rates, of_seconds

rates = st.lists(st.floats(1e-3, 1e15), min_size=1, max_size=50)


def test_the_best_rate_is_the_highest_and_the_best_time_the_least():
    assert of_rates("memory", [3.0, 5.0, 4.0]).best == 5.0
    assert of_seconds("process", [3.0, 5.0, 4.0]).best == 3.0


def test_the_spread_reaches_from_the_best_to_the_worst():
    assert of_rates("memory", [10.0, 8.0, 9.0, 9.0]).spread == pytest.approx(0.2 * 1.5)
    assert of_seconds("process", [8.0, 10.0, 9.0, 9.0]).spread == pytest.approx(0.2 * 1.5)


def test_few_repeats_spread_more_than_many():
    assert of_rates("memory", [10.0, 8.0]).spread > of_rates("memory", [10.0, 8.0] * 4).spread > 0.2


def test_repeats_that_do_not_differ_spread_by_the_least():
    assert of_rates("memory", [10.0] * 5).spread == LEAST_SPREAD


def test_one_hiccup_in_ten_does_not_count():
    assert of_rates("memory", [10.0] * 9 + [1.0]).spread == LEAST_SPREAD
    assert of_rates("memory", [10.0] * 8 + [1.0]).spread > 0.9


def test_what_others_held_might_have_been_had():
    assert of_rates("memory", [10.0, 9.9], others=0.2).spread == pytest.approx(0.25)
    assert of_seconds("process", [10.0, 9.9], others=0.2).spread == pytest.approx(0.2)


def test_measurements_further_apart_than_their_spreads_do_not_agree():
    assert agree(of_rates("memory", [10.0]), of_rates("memory", [10.5]))
    assert not agree(of_rates("memory", [10.0]), of_rates("memory", [10.7]))


@given(rates, st.floats(0, 1))
def test_a_spread_is_a_share_and_never_below_the_least(values, others):
    for found in (of_rates("memory", values, others), of_seconds("process", values, others)):
        assert LEAST_SPREAD <= found.spread <= MOST_SPREAD
        assert found.best in values
