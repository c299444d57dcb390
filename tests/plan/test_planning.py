from __future__ import annotations

from longpole.model.plan import Clustering, Grouping, Placement
from longpole.plan.planning import make_plan
from tests.plan.described import task, tiles, values, workflow


def test_a_plan_says_what_is_known_only_during_the_run():
    plan = make_plan(tiles(), Placement.BASELINE)

    assert (plan.jobs.value, plan.jobs.at_least) == (None, 1)
    assert (plan.auxiliary_jobs.value, plan.auxiliary_jobs.at_least) == (None, 4)
    assert plan.levels == (1, None, None)
    assert plan.unknown_sets == ("tile",)
    score = next(each for each in plan.types if each.name == "score")
    assert score.tasks is None
    assert score.known_after == {"tile": ("cut",)}
    assert plan.types[0].makes_many


def test_jobs_of_a_whole_are_known_though_its_tasks_are_not():
    plan = make_plan(tiles(), Placement.CLUSTERING)

    assert plan.clustering == Clustering(Grouping.WHOLE)
    assert (plan.jobs.value, plan.auxiliary_jobs.value, plan.tasks.value) == (1, 4, None)


def test_types_come_in_an_order_in_which_they_could_run():
    described = workflow(
        values("n", "1", "2", "3"),
        task("last", ["{n}.mid"], ["out"]),
        task("first", ["a", "b"], ["{n}.mid", "{n}.log"], for_each=(("n",),)),
    )

    plan = make_plan(described, Placement.LINKS)

    assert [(each.name, each.level, each.tasks) for each in plan.types] == [("first", 1, 3), ("last", 2, 1)]
    assert [(each.inputs, each.outputs) for each in plan.types] == [((2, 2), (2, 2)), ((3, 3), (1, 1))]
    assert plan.levels == (3, 1)
    assert (plan.outside_files, plan.missing_files) == (2, 2)


def test_what_moves_is_what_is_brought_and_what_is_sent():
    plan = make_plan(workflow(task("a", ["1", "2"], ["3"])), Placement.BASELINE)

    assert (plan.brought.files.value, plan.sent.files.value, plan.files_moved.value) == (2, 1, 3)
    assert plan.bytes_moved.value is None


def test_an_empty_workflow_has_a_plan():
    plan = make_plan(workflow(), Placement.BASELINE)

    assert (plan.jobs.value, plan.levels, plan.files_moved.value) == (0, (), 0)
