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


def test_a_mark_is_part_of_the_mark_of_its_thread_that_holds_it():
    run = Planted(10.0)
    main = run.phase("process", "main", 0.0, 10.0, process=1)
    epoch = run.phase("epoch", "epoch", 1.0, 9.0, parent=main, process=1, lane=0)
    steps = [run.phase("step", "step", at, at + 2.0, parent=epoch, process=1, lane=0) for at in (1.0, 3.0)]
    save = run.phase("checkpoint", "save", 3.5, 4.5, parent=main, process=1, lane=0)
    across = run.phase("checkpoint", "save", 4.6, 5.5, parent=main, process=1, lane=0)
    elsewhere = run.phase("checkpoint", "save", 3.6, 4.4, parent=main, process=1, lane=1)

    assert parent_of(run, save) == steps[1]
    assert parent_of(run, across) == epoch
    assert parent_of(run, elsewhere) == main


def test_of_two_marks_of_the_same_time_the_first_holds_the_other():
    run = Planted(10.0)
    first = run.phase("phase", "a", 1.0, 9.0, process=1)
    second = run.phase("phase", "b", 1.0, 9.0, process=1)

    assert (parent_of(run, first), parent_of(run, second)) == (1, first)


def test_many_marks_beside_the_one_that_holds_them_hide_it_from_none():
    run = Planted(100.0)
    epoch = run.phase("epoch", "epoch", 1.0, 99.0, process=1)
    saves = [run.phase("checkpoint", "save", at, at + 1.0, process=1) for at in range(2, 60, 2)]

    assert {parent_of(run, save) for save in saves} == {epoch}
