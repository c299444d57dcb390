"""The critical path over recorded time."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given

from longpole.analyse.path import Because, Release, Stretch, critical_path
from longpole.analyse.tree import Tree
from tests.analyse.planted import Planted, S
from tests.analyse.trees import trees


def said(tree: Tree, path: list[Stretch]) -> list[tuple[str, float, float]]:
    """Return a path as names and seconds; of a wait, what it is."""
    return [
        (
            tree.names[tree.name[one.phase]] if one.because is Because.WORK else one.because.value,
            one.start_ns / S,
            one.end_ns / S,
        )
        for one in path
    ]


def found(run: Planted, **releases: Release) -> list[tuple[str, float, float]]:
    tree = run.tree()
    by_place = {int(name[1:]): release for name, release in releases.items()}
    return said(tree, critical_path(tree, by_place))


def test_of_two_side_by_side_the_last_to_end_is_on_the_path():
    run = Planted(10.0)
    main = run.phase("process", "sh", 0.0, 10.0)
    run.phase("process", "short", 1.0, 4.0, parent=main)
    run.phase("process", "long", 1.0, 8.0, parent=main)

    assert found(run) == [("sh", 0.0, 1.0), ("long", 1.0, 8.0), ("sh", 8.0, 10.0)]


def test_what_a_slot_was_waited_for_is_before_what_took_it():
    run = Planted(12.0)
    main = run.phase("process", "pool", 0.0, 12.0)
    run.phase("process", "a", 0.0, 5.0, parent=main)
    run.phase("process", "b", 0.0, 7.0, parent=main)
    run.phase("process", "c", 5.0, 12.0, parent=main)

    assert found(run) == [("a", 0.0, 5.0), ("c", 5.0, 12.0)]


def test_workers_that_live_as_long_as_a_loop_do_not_explain_it():
    run = Planted(10.0)
    main = run.phase("process", "train", 0.0, 10.0, process=1)
    run.phase("process", "worker", 1.0, 9.5, parent=main, process=2)
    for start in (1.0, 4.0):
        run.phase("step", "step", start, start + 3.0, parent=main, process=1)

    path = found(run)

    assert path[:3] == [("train", 0.0, 1.0), ("step", 1.0, 4.0), ("step", 4.0, 7.0)]
    assert path[3:] == [("worker", 7.0, 9.5), ("train", 9.5, 10.0)]  # what the loop did not mark


def test_a_task_that_could_start_at_once_waited_for_its_dispatch():
    run = Planted(10.0)
    run.phase("job", "a", 0.0, 4.0, task=1)
    run.phase("job", "b", 6.0, 10.0, task=2)
    run.phase("job", "c", 0.0, 5.5, task=3)

    assert found(run, p2=Release(1)) == [("a", 0.0, 4.0), ("dispatch", 4.0, 6.0), ("b", 6.0, 10.0)]
    assert found(run, p2=Release(1, slot_free=False))[0] == ("c", 0.0, 5.5)


def test_a_held_job_waited_for_what_released_it():
    run = Planted(10.0)
    run.phase("job", "a", 0.0, 4.0, task=1)
    job = run.phase("job", "b", 0.0, 10.0, task=2)
    run.phase("hold", "b", 0.0, 4.5, parent=job, task=2)
    run.phase("queue", "b", 4.5, 6.0, parent=job, task=2)
    run.phase("exec", "b", 6.0, 10.0, parent=job, task=2)

    assert found(run, p3=Release(1)) == [
        ("a", 0.0, 4.0),
        ("dependency", 4.0, 4.5),
        ("queue", 4.5, 6.0),
        ("b", 6.0, 10.0),
    ]


def test_what_nothing_is_known_of_is_idle():
    run = Planted(10.0)
    run.phase("job", "a", 2.0, 9.0, task=1)

    assert found(run) == [("idle", 0.0, 2.0), ("a", 2.0, 9.0), ("idle", 9.0, 10.0)]


def test_a_part_that_outlives_the_run_is_no_cause():
    run = Planted(10.0)
    main = run.phase("process", "sh", 0.0, 10.0)
    run.phase("process", "daemon", 1.0, 20.0, parent=main)

    assert found(run) == [("sh", 0.0, 10.0)]


@given(trees())
def test_stretches_are_the_run_without_gap_or_overlap(tree):
    path = critical_path(tree)

    assert (path[0].start_ns, path[-1].end_ns) == (tree.start_ns[0], tree.end_ns[0])
    assert all(before.end_ns == after.start_ns for before, after in pairwise(path))
    assert all(one.start_ns < one.end_ns for one in path)


@given(trees())
def test_a_stretch_lies_within_its_phase(tree):
    for one in critical_path(tree):
        assert tree.start_ns[one.phase] <= one.start_ns
        assert one.end_ns <= tree.end_ns[one.phase]
        if one.whole:
            assert (one.start_ns, one.end_ns) == (tree.start_ns[one.phase], tree.end_ns[one.phase])


def test_tasks_that_released_each_other_may_be_more_than_calls_can_nest():
    count = 5000
    run = Planted(float(count))
    for task in range(count):
        run.phase("exec", "link", task, task + 0.5)
    released_by = {place: Release(place - 1) for place in range(2, count + 1)}

    path = critical_path(run.tree(), released_by)

    work = [one.phase for one in path if one.because is Because.WORK]
    assert work == list(range(1, count + 1))


def test_time_between_the_parts_of_a_job_is_that_of_the_processes_that_live_around_it():
    run = Planted(10.0)
    run.phase("process", "driver", 0.0, 10.0, process=1)
    run.phase("process", "server", 3.0, 9.0, process=2)
    job = run.phase("job", "one", 1.0, 8.0)
    run.phase("queue", "one", 1.0, 2.0, parent=job)
    run.phase("exec", "ran", 4.0, 7.0, parent=job)

    assert found(run) == [
        ("driver", 0.0, 1.0),
        ("queue", 1.0, 2.0),
        ("driver", 2.0, 3.0),
        ("server", 3.0, 4.0),
        ("ran", 4.0, 7.0),
        ("server", 7.0, 8.0),
        ("driver", 8.0, 10.0),
    ]


def test_time_between_jobs_is_that_of_the_process_that_drives_them():
    run = Planted(10.0)
    run.phase("process", "driver", 1.0, 9.0, process=1)
    run.phase("job", "one", 2.0, 4.0)
    run.phase("job", "two", 5.0, 8.0)

    assert found(run) == [
        ("idle", 0.0, 1.0),
        ("driver", 1.0, 2.0),
        ("one", 2.0, 4.0),
        ("driver", 4.0, 5.0),
        ("two", 5.0, 8.0),
        ("driver", 8.0, 9.0),
        ("idle", 9.0, 10.0),
    ]
