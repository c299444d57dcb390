"""Processes in the marks of those that started them."""

from __future__ import annotations

from longpole.analyse.stitch import stitched
from tests.analyse.planted import Planted


def parent_of(run: Planted, phase: int) -> int:
    tree = stitched(run.tree())
    at = tree.ids.tolist().index(phase)
    return int(tree.ids[tree.parent[at]])


def test_a_process_is_part_of_the_innermost_mark_that_holds_it():
    run = Planted(10.0)
    main = run.phase("process", "main", 0.0, 10.0)
    search = run.phase("phase", "search", 1.0, 8.0, parent=main)
    trial = run.phase("phase", "trial", 2.0, 5.0, parent=search)
    within = run.phase("process", "fit", 3.0, 4.0, parent=main)
    across = run.phase("process", "fit", 4.0, 6.0, parent=main)
    outside = run.phase("process", "report", 7.5, 9.0, parent=main)

    assert parent_of(run, within) == trial
    assert parent_of(run, across) == search
    assert parent_of(run, outside) == main


def test_of_marks_of_several_threads_the_last_to_begin_holds_it():
    run = Planted(10.0)
    main = run.phase("process", "main", 0.0, 10.0)
    run.phase("phase", "a", 1.0, 9.0, parent=main, lane=1)
    second = run.phase("phase", "b", 2.0, 9.0, parent=main, lane=2)
    child = run.phase("process", "fit", 3.0, 4.0, parent=main)

    assert parent_of(run, child) == second


def test_a_process_of_the_run_stays_there():
    run = Planted(10.0)
    run.phase("phase", "told", 0.0, 10.0)
    top = run.phase("process", "main", 1.0, 9.0)

    assert parent_of(run, top) == 1
