from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.analyse.intervals import Intervals, left_over, overlapping, union

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 20), st.integers(1, 8)).map(
        lambda row: (row[0], row[1], row[1] + row[2])
    ),
    max_size=20,
)


def made(rows):
    columns = np.array(rows, np.int64).reshape(-1, 3)
    return Intervals(columns[:, 0], columns[:, 1], columns[:, 2])


def moments(rows):
    """Every row and whole moment that is covered, and how often it is."""
    return sorted((row, moment) for row, start, end in rows for moment in range(start, end))


def rows_of(found):
    return list(zip(found.row.tolist(), found.start.tolist(), found.end.tolist(), strict=True))


@given(ROWS)
def test_a_union_covers_the_same_time_once_and_has_gaps_between(rows):
    found = rows_of(union(made(rows)))

    assert moments(found) == sorted(set(moments(rows)))
    assert all(one[0] < two[0] or one[2] < two[1] for one, two in itertools.pairwise(found))


@given(ROWS, st.lists(st.tuples(st.integers(0, 20), st.integers(0, 9)), min_size=4, max_size=4))
def test_what_is_left_is_the_whole_without_what_is_taken(rows, wholes):
    whole = [(row, start, start + length) for row, (start, length) in enumerate(wholes)]
    taken = [(row, max(a, whole[row][1]), min(b, whole[row][2])) for row, a, b in rows]
    taken = [one for one in taken if one[1] < one[2]]

    found = rows_of(left_over(made(whole), made(taken)))

    assert moments(found) == sorted(set(moments(whole)) - set(moments(taken)))
    assert all(start < end for _, start, end in found)


@given(ROWS)
def test_intervals_that_overlap_are_in_one_group(rows):
    groups = overlapping(made(rows)).tolist()

    for one, group in zip(rows, groups, strict=True):
        for two, other in zip(rows, groups, strict=True):
            if one[0] == two[0] and one[1] < two[2] and two[1] < one[2]:
                assert group == other
            if one[0] != two[0]:
                assert group != other


def test_intervals_that_touch_are_joined_in_a_union_and_apart_in_groups():
    rows = [(0, 0, 5), (0, 5, 9)]

    assert rows_of(union(made(rows))) == [(0, 0, 9)]
    assert overlapping(made(rows)).tolist() == [0, 1]


def test_seconds_are_added_up_by_row_and_cut_by_moments():
    found = made([(0, 0, 2_000_000_000), (2, 0, 500_000_000), (0, 5, 1_000_000_005)])

    assert found.summed(3).tolist() == [3.0, 0.0, 0.5]
    assert rows_of(found.within(400_000_000, 600_000_000)) == [
        (0, 400_000_000, 600_000_000),
        (2, 400_000_000, 500_000_000),
        (0, 400_000_000, 600_000_000),
    ]


def test_nothing_stays_nothing():
    none = made([])

    assert rows_of(union(none)) == rows_of(left_over(none, none)) == []
    assert overlapping(none).tolist() == []
