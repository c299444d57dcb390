"""What encloses what, by times alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longpole.exchange.enclosing import NONE, enclosing

TIMES = st.tuples(st.integers(0, 1), st.integers(0, 20), st.integers(0, 10))


def parents(*intervals: tuple[int, int], lanes: list[int] | None = None) -> list[int]:
    lane = np.array(lanes or [0] * len(intervals), np.int64)
    starts, ends = (np.array([one[at] for one in intervals], np.int64) for at in (0, 1))
    found: list[int] = enclosing([lane], starts, ends).tolist()
    return found


def test_the_innermost_encloses() -> None:
    assert parents((2, 3), (0, 10), (1, 5), (6, 7)) == [2, NONE, 1, 1]


def test_lanes_do_not_enclose_each_other() -> None:
    assert parents((0, 10), (1, 2), lanes=[1, 2]) == [NONE, NONE]


def test_those_that_overlap_in_part_are_beside_each_other() -> None:
    assert parents((0, 10), (5, 15), (12, 14), (6, 9)) == [NONE, NONE, 1, 1]


def test_of_equals_the_first_encloses() -> None:
    assert parents((0, 10), (0, 10), (0, 10)) == [NONE, 0, 1]


def test_one_of_no_length_lies_in_what_goes_on_and_after_what_ends() -> None:
    assert parents((0, 10), (0, 0), (5, 5), (10, 10)) == [NONE, 0, 0, NONE]


def test_nothing_encloses_nothing() -> None:
    assert parents() == []


@given(st.lists(TIMES, max_size=30))
def test_what_encloses_is_of_the_lane_and_reaches_as_far(found: list[tuple[int, int, int]]) -> None:
    intervals = [(start, start + length) for _, start, length in found]
    lanes = [lane for lane, _, _ in found]

    for row, holder in enumerate(parents(*intervals, lanes=lanes) if found else []):
        if holder != NONE:
            assert lanes[holder] == lanes[row]
            assert intervals[holder][0] <= intervals[row][0]
            assert intervals[holder][1] >= intervals[row][1]
            assert holder != row
