"""Phases as a tree."""

from __future__ import annotations

import numpy as np

from longpole.analyse.tree import NONE, executing
from tests.analyse.planted import Planted, S


def test_parts_know_whose_they_are():
    run = Planted(10.0)
    process = run.phase("process", "train", 0.0, 9.0)
    run.phase("step", "step", 1.0, 2.0, parent=process)

    tree = run.tree()

    assert tree.parent.tolist() == [NONE, 0, 1]
    assert tree.depth.tolist() == [0, 1, 2]
    assert tree.serial.tolist() == [True, True, True]
    assert (tree.self_ns // S).tolist() == [1, 8, 1]


def test_what_took_no_time_has_no_place_and_its_parts_are_the_runs():
    run = Planted(10.0)
    empty = run.phase("phase", "empty", 1.0, 1.0)
    run.phase("phase", "within", 1.0, 2.0, parent=empty)

    tree = run.tree()

    assert tree.ids.tolist() == [1, 3]
    assert (tree.parent.tolist(), tree.orphans) == ([NONE, 0], 1)


def test_overlap_anywhere_within_makes_a_phase_not_serial():
    run = Planted(10.0)
    process = run.phase("process", "train", 0.0, 9.0)
    epoch = run.phase("epoch", "epoch", 0.0, 4.0, parent=process)
    run.phase("step", "step", 0.0, 2.0, parent=epoch)
    run.phase("step", "step", 1.0, 3.0, parent=epoch)
    other = run.phase("epoch", "epoch", 4.0, 8.0, parent=process)

    tree = run.tree()

    serial = dict(zip(tree.ids.tolist(), tree.serial.tolist(), strict=True))
    assert [serial[one] for one in (1, process, epoch, other)] == [False, False, False, True]


def test_a_part_that_outlives_its_phase_makes_it_not_serial():
    run = Planted(10.0)
    parent = run.phase("process", "sh", 0.0, 4.0)
    run.phase("process", "daemon", 1.0, 9.0, parent=parent)

    assert not run.tree().serial[1]


def test_phases_in_a_circle_are_the_runs():
    run = Planted(10.0)
    run.phase("phase", "a", 1.0, 2.0, parent=3)
    run.phase("phase", "b", 1.0, 2.0, parent=2)

    assert run.tree().parent.tolist() == [NONE, 0, 0]


def test_without_waits_a_job_begins_when_it_starts_to_run():
    run = Planted(10.0)
    job = run.phase("job", "fit", 0.0, 9.0, task=1)
    run.phase("hold", "fit", 0.0, 3.0, parent=job, task=1)
    run.phase("queue", "fit", 3.0, 5.0, parent=job, task=1)
    run.phase("exec", "fit", 5.0, 9.0, parent=job, task=1)

    work = executing(run.tree())

    assert [work.kinds[kind] for kind in work.kind.tolist()] == ["run", "job", "exec"]
    assert (work.start_ns // S).tolist() == [0, 5, 5]
    assert work.parent.tolist() == [NONE, 0, 1]


def test_what_is_within_a_chosen_phase_is_found_and_summed_at_any_depth():
    run = Planted(10.0)
    outer = run.phase("phase", "outer", 0.0, 9.0)
    run.phase("phase", "inner", 1.0, 2.0, parent=run.phase("phase", "middle", 1.0, 5.0, parent=outer))
    run.phase("phase", "beside", 9.0, 10.0)
    tree = run.tree()

    assert tree.with_all_within(np.arange(5) == 1).tolist() == [False, True, True, True, False]
    assert tree.summed_up(np.array([1, 2, 4, 8, 16])).tolist() == [31, 14, 12, 8, 16]
