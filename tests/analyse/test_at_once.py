"""How many tasks ran at once."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.at_once import at_once, processes_at_once
from tests.analyse.run_tables import ns


def test_a_moment_together_is_no_parallelism():
    assert at_once(ns(0, 9.9), ns(10, 20)) == 1


def test_two_that_ran_together_most_of_the_time_did():
    assert at_once(ns(0, 1), ns(10, 11)) == 2


def test_short_processes_that_are_noted_late_ran_one_after_the_other():
    starts = np.arange(40) * 0.03
    late = starts + np.where(np.arange(40) % 3 == 0, 0.05, 0.0)

    assert processes_at_once(ns(*late), ns(*(late + 0.03))) == 1


def test_short_processes_that_ran_side_by_side_did():
    starts = np.repeat(np.arange(40) * 0.03, 3)

    assert processes_at_once(ns(*starts), ns(*(starts + 0.03))) == 3


def test_long_processes_count_as_they_ran():
    assert processes_at_once(ns(0, 0, 5), ns(10, 10, 10)) == 3


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=20))
def test_never_more_ran_than_there_are_and_never_none(rows):
    starts, ends = ns(*(at for at, _ in rows)), ns(*(at + took for at, took in rows))

    assert 1 <= at_once(starts, ends) <= len(rows)
    assert 1 <= processes_at_once(starts, ends) <= len(rows)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(1, 50)), min_size=1, max_size=20))
def test_as_many_count_as_ran_for_a_twentieth_of_the_time(rows):
    starts, ends = ns(*(at for at, _ in rows)), ns(*(at + took for at, took in rows))
    moments = [sum(at <= now < at + took for at, took in rows) for now in range(150)]

    found = at_once(starts, ends)

    lasting = [n for n in range(1, 21) if sum(m >= n for m in moments) >= 0.05 * sum(m > 0 for m in moments)]
    mean = sum(moments) / sum(m > 0 for m in moments)
    assert found == max(*lasting, math.ceil(mean - 0.05))
    assert processes_at_once(starts, ends) == max(lasting)


def test_a_hundred_thousand_at_once_are_counted_in_one_pass():
    starts, ends = np.zeros(100_000, np.int64), 10**12 + np.arange(100_000)

    assert (at_once(starts, ends), processes_at_once(starts, ends)) == (100_000, 100_000)
