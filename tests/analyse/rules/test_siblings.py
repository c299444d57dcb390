"""Fans of siblings, by hand."""

from __future__ import annotations

import numpy as np

from longpole.analyse.rules.siblings import sorts, within_ns
from tests.analyse.planted import Planted, S


def test_siblings_that_overlap_are_a_fan():
    planted = Planted(20.0)
    for number in range(3):
        planted.phase("job", f"a {number}", number, 5.0 + number)
        planted.phase("job", f"a {number}", 10.0, 12.0 + number)
    planted.phase("job", "alone", 15.0, 16.0)

    (sort,) = sorts(planted.case(), 2)

    assert (sort.kind, sort.label) == ("job", "a")
    assert [len(fan.places) for fan in sort.fans] == [3, 3]
    assert [fan.span_ns for fan in sort.fans] == [7 * S, 4 * S]
    assert [fan.slots for fan in sort.fans] == [3, 3]
    assert sort.span_ns == 11 * S


def test_siblings_in_sequence_are_no_fan():
    planted = Planted(20.0)
    for number in range(10):
        planted.phase("job", "a", number, number + 1.0)

    assert sorts(planted.case(), 2) == []


def test_late_are_few_and_last():
    planted = Planted(30.0)
    for number in range(7):
        planted.phase("job", "a", 0.0, 10.0 + 0.1 * number)
    slow = planted.phase("job", "a", 0.0, 30.0)
    case = planted.case()

    ((fan,),) = (sort.fans for sort in sorts(case, 2))

    assert case.tree.ids[fan.places[fan.late]].tolist() == [slow]


def test_the_path_within_the_run_is_all_that_is_work():
    planted = Planted(10.0)
    top = planted.phase("process", "p", 0.0, 10.0, process=1)
    planted.phase("phase", "a", 1.0, 4.0, parent=top)
    planted.phase("phase", "b", 1.0, 8.0, parent=top)

    within = within_ns(planted.case())

    assert np.array_equal(within, np.array([10, 10, 0, 7]) * S)
