"""A case over time: tasks on lanes, kinds after those they wait for."""

from __future__ import annotations

import pytest
from hypothesis import given

from longpole.analyse.case_timeline import case_timeline
from tests.analyse.cases import bgw, case, cases, kind, lcls, machine


def test_sigma_follows_epsilon_as_long_as_both_were_measured():
    drawn = case_timeline(bgw(), bgw().dots[0])

    assert [row.label for row in drawn.rows] == ["E", "S"]
    assert drawn.length_s == pytest.approx(4184.86)
    assert [piece.end_s for piece in drawn.critical] == pytest.approx([1096.5, 4184.86])


def test_a_merge_waits_for_the_last_of_those_before_it():
    loading = kind("load", 3, overhead={"wait": 2.0})
    merging = kind("merge", overhead={"wait": 1.0}, after=("load",))

    drawn = case_timeline(case(loading, merging, on=machine(4), parallel=2))

    assert drawn.length_s == pytest.approx(5.0)
    assert drawn.peak == 2
    assert [round(piece.end_s - piece.start_s, 9) for piece in drawn.critical] == [2.0, 2.0, 1.0]


def test_tasks_beside_each_other_share_what_all_share():
    assert case_timeline(lcls()).length_s == pytest.approx(1000.0)


def test_nothing_is_drawn_where_no_times_are_known():
    assert case_timeline(case(kind("a"))).rows == ()


@given(cases())
def test_critical_path_ends_with_the_last_task_and_never_outlasts_it(drawn):
    shown = case_timeline(drawn)

    pieces = sum(piece.end_s - piece.start_s for piece in shown.critical)
    assert pieces <= shown.length_s * (1 + 1e-9)
    assert shown.peak <= drawn.parallel
