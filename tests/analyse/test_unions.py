"""Unions of intervals, against counting every instant."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.unions import union

INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)), max_size=12)


def arrays(intervals: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    starts = np.array([start for start, _ in intervals], np.int64)
    return starts, starts + np.array([length for _, length in intervals], np.int64)


def instants(intervals: list[tuple[int, int]]) -> set[int]:
    return {at for start, length in intervals for at in range(start, start + length)}


def test_touching_intervals_are_one_piece() -> None:
    found = union(np.array([0, 5, 12]), np.array([5, 9, 13]))

    assert (found.starts.tolist(), found.ends.tolist()) == ([0, 12], [9, 13])


@given(INTERVALS)
def test_length_counts_every_instant_once(intervals: list[tuple[int, int]]) -> None:
    assert union(*arrays(intervals)).length == len(instants(intervals))


@given(INTERVALS, INTERVALS)
def test_within_counts_the_instants_inside(
    intervals: list[tuple[int, int]], windows: list[tuple[int, int]]
) -> None:
    found = union(*arrays(intervals)).within(*arrays(windows))

    assert found.tolist() == [len(instants(intervals) & instants([window])) for window in windows]


def test_an_interval_that_ends_before_it_begins_counts_less_than_nothing() -> None:
    assert union(np.array([0, 6]), np.array([3, 5])).length == 2
    assert union(np.array([0, 2]), np.array([3, 1])).length == 3
