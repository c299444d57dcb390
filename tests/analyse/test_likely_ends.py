"""Ends of processes that nobody saw."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from longpole.analyse.likely_ends import with_likely_ends
from longpole.analyse.tree import Tree
from tests.analyse.planted import Planted, S
from tests.analyse.trees import trees


def likely(tree: Tree, *processes: int, late_s: float = 1.0) -> Tree:
    return with_likely_ends(tree, np.array(processes, np.int64), np.full(len(processes), round(late_s * S)))


def ends(tree: Tree) -> list[float]:
    return [end / S for end in tree.end_ns.tolist()]


def in_a_row(late_s: float) -> Planted:
    """Three processes one after the other, each found gone some time after its end."""
    run = Planted(10.0)
    main = run.phase("process", "sh", 0.0, 10.0, process=9)
    for number in range(3):
        run.phase(
            "process", "task", number * 3.0, number * 3.0 + 3.0 + late_s, parent=main, process=number + 1
        )
    return run


def test_one_that_was_followed_ended_when_the_next_started():
    found = likely(in_a_row(0.1).tree(), 1, 2, 3)

    assert ends(found)[2:] == [3.0, 6.0, 9.1]
    assert found.serial.all()


def test_an_end_that_was_seen_stays():
    tree = in_a_row(0.1).tree()

    assert ends(likely(tree, 2)) == [10.0, 10.0, 3.1, 6.0, 9.1]
    assert likely(tree) is tree


def test_one_that_goes_on_long_beside_the_next_stays():
    tree = in_a_row(2.0).tree()

    assert ends(likely(tree, 1, 2, 3))[:4] == ends(tree)[:4]


def test_an_end_known_to_a_tick_is_not_moved_by_more():
    tree = in_a_row(0.1).tree()

    assert ends(likely(tree, 1, 2, 3, late_s=0.02)) == ends(tree)


def test_its_parts_end_no_later():
    run = in_a_row(0.1)
    run.phase("phase", "save", 2.0, 3.05, parent=3, process=1)
    run.phase("phase", "load", 1.0, 2.0, parent=3, process=1)

    assert ends(likely(run.tree(), 1, 2, 3))[2:] == [3.0, 6.0, 9.1, 3.0, 2.0]


def test_each_start_takes_one_end_so_a_pool_keeps_its_slots():
    run = Planted(10.0)
    main = run.phase("process", "pool", 0.0, 10.0, process=9)
    for number, (start, end) in enumerate([(0.0, 3.1), (0.0, 5.1), (3.0, 8.1), (5.0, 9.0)]):
        run.phase("process", "task", start, end, parent=main, process=number + 1)

    found = likely(run.tree(), *range(1, 5))

    assert ends(found)[2:] == [3.0, 5.0, 8.1, 9.0]


@given(trees())
def test_nothing_ends_later_or_before_it_began(tree):
    found = likely(tree, *np.unique(tree.process).tolist())

    assert (found.end_ns <= tree.end_ns).all()
    assert (found.end_ns > found.start_ns).all()


def test_one_that_seems_to_end_just_after_what_started_it_ends_with_it():
    run = Planted(10.0)
    shell = run.phase("process", "sh", 0.0, 9.99, process=1)
    run.phase("process", "sleep", 5.0, 10.0, parent=shell, process=2)
    run.phase("process", "daemon", 5.0, 10.0, parent=shell, process=3)

    found = with_likely_ends(run.tree(), np.array([1, 2]), np.full(2, round(0.02 * S)))

    assert ends(found) == [10.0, 9.99, 9.99, 10.0]
