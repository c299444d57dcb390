"""Blame: each nanosecond of the makespan is somebody's."""

from __future__ import annotations

import pytest
from hypothesis import given

from longpole.analyse.blame import Counted, Labels, blame
from longpole.analyse.path import critical_path
from longpole.analyse.tree import Tree
from tests.analyse.planted import Planted, S
from tests.analyse.trees import trees


def shares(tree: Tree, counted: dict[int, list[Counted]] | None = None) -> dict[tuple[str, str], float]:
    found = blame(tree, critical_path(tree), Labels(tree.name, tree.names), counted or {})
    return {(one.what, one.kind): one.seconds for one in found}


def test_a_training_worked_by_hand():
    # 10 s: 1 s to start, then 2 steps of 4 s, 3 of which is data, and 1 s at the end
    run = Planted(10.0)
    main = run.phase("process", "train", 0.0, 10.0)
    for start in (1.0, 5.0):
        step = run.phase("step", "step", start, start + 4.0, parent=main)
        run.phase("data", "data", start, start + 3.0, parent=step)

    assert shares(run.tree()) == {("data", "data"): 6.0, ("train", "process"): 2.0, ("step", "step"): 2.0}


def test_the_largest_comes_first():
    run = Planted(10.0)
    run.phase("phase", "small", 0.0, 4.0)
    run.phase("phase", "large", 4.0, 10.0)
    tree = run.tree()

    found = blame(tree, critical_path(tree), Labels(tree.name, tree.names), {})

    assert [one.what for one in found] == ["large", "small"]


def test_what_was_only_counted_has_its_part_of_the_time_around_it():
    run = Planted(10.0)
    run.phase("process", "train", 0.0, 10.0)

    found = shares(run.tree(), {1: [Counted("step", "inference", 4 * S)]})

    assert found == {("train", "process"): 6.0, ("step", "inference"): 4.0}


def test_more_counted_than_there_was_time_takes_all_of_it():
    run = Planted(10.0)
    run.phase("process", "train", 0.0, 10.0)
    counted = [Counted("a", "job", 30 * S), Counted("b", "job", 10 * S)]  # in threads, side by side

    assert shares(run.tree(), {1: counted}) == {("a", "job"): 7.5, ("b", "job"): 2.5}


@given(trees())
def test_shares_sum_to_the_makespan(tree):
    assert sum(shares(tree).values()) == pytest.approx(100.0, abs=1e-6)
    assert all(seconds > 0 for seconds in shares(tree).values())
