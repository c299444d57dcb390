"""What released each task."""

from __future__ import annotations

from longpole.analyse.path import Release
from longpole.analyse.releases import dependencies, releases
from longpole.model.columns import Columns, integers
from tests.analyse.planted import Planted


def edges(*pairs: tuple[int, int]) -> Columns:
    return Columns(
        {
            "from_task": integers([pair[0] for pair in pairs]),
            "to_task": integers([pair[1] for pair in pairs]),
        }
    )


def three_tasks() -> Planted:
    """1 and 2 side by side, then 3: its job is made of a queue and an execution."""
    planted = Planted(20.0)
    planted.phase("exec", "one", 0.0, 5.0, task=10)
    planted.phase("exec", "two", 0.0, 7.0, task=20)
    job = planted.phase("job", "three", 7.0, 12.0, task=30)
    planted.phase("queue", "three", 7.0, 8.0, parent=job, task=30)
    planted.phase("exec", "three", 8.0, 12.0, parent=job, task=30)
    return planted


def test_the_last_to_end_of_what_it_depends_on_released_a_task_and_its_waits():
    found = releases(three_tasks().tree(), edges((10, 30), (20, 30)))

    assert dict(found) == {3: Release(2, slot_free=True), 4: Release(2, slot_free=True)}


def test_of_several_that_ended_together_the_first_edge_tells_which_released_it():
    planted = Planted(10.0)
    for task in (1, 2):
        planted.phase("exec", "early", 0.0, 5.0, task=task)
    planted.phase("exec", "late", 5.0, 9.0, task=3)

    assert releases(planted.tree(), edges((2, 3), (1, 3)))[3].phase == 2


def test_no_slot_was_free_while_as_many_ran_as_ever_did():
    planted = Planted(20.0)
    for task, (start, end) in enumerate(((0, 4), (0, 9), (4, 9), (10, 12)), start=1):
        planted.phase("exec", "one", start, end, task=task)

    found = releases(planted.tree(), edges((1, 3), (3, 4)))

    assert {place: release.slot_free for place, release in found.items()} == {3: False, 4: True}


def test_task_of_several_attempts_begins_with_the_first_and_ends_with_the_last():
    planted = Planted(20.0)
    planted.phase("exec", "again", 0.0, 3.0, task=1)
    planted.phase("exec", "again", 4.0, 6.0, task=1)
    planted.phase("exec", "after", 6.0, 8.0, task=2)
    planted.phase("exec", "after", 9.0, 10.0, task=2)
    tree = planted.tree()

    assert {place: one.phase for place, one in releases(tree, edges((1, 2))).items()} == {3: 2}
    assert dependencies(tree, edges((1, 2))) == {3: [2]}


def test_edges_of_tasks_without_phases_say_nothing():
    tree = three_tasks().tree()

    assert dict(releases(tree, edges((99, 30), (10, 99)))) == {}
    assert dependencies(tree, edges((99, 30), (10, 99))) == {}
    assert dict(releases(tree, edges())) == {}


def test_run_without_tasks_has_no_releases():
    assert dict(releases(Planted(5.0).tree(), edges((1, 2)))) == {}


def test_a_job_that_tries_a_task_again_and_its_queue_were_released_by_the_job_before():
    planted = Planted(20.0)
    planted.phase("exec", "before", 0.0, 2.0, task=1)
    failed = planted.phase("job", "again", 2.0, 5.0, task=2)
    planted.phase("exec", "again", 2.0, 5.0, parent=failed, task=2)
    second = planted.phase("job", "again", 5.0, 9.0, task=2)
    planted.phase("queue", "again", 5.0, 6.0, parent=second, task=2)

    found = {place: one.phase for place, one in releases(planted.tree(), edges((1, 2))).items()}

    assert found == {2: 1, 4: 2, 5: 2}


def test_what_a_job_depends_on_released_it_where_that_was_done_anew_after_its_first_try():
    planted = Planted(20.0)
    planted.phase("job", "again", 0.0, 2.0, task=2)
    planted.phase("exec", "before", 2.0, 5.0, task=1)
    planted.phase("job", "again", 5.0, 9.0, task=2)

    found = {place: one.phase for place, one in releases(planted.tree(), edges((1, 2))).items()}

    assert found[3] == 2
