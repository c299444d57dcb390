from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.plan import Clustering, Grouping, Placement
from longpole.model.workflow import NamedSet, WorkflowError
from longpole.plan.clusters import Clusters, Group, clustering_for
from longpole.plan.expansion import Expansion
from tests.plan.described import task, tiles, values, workflow

LABEL, WHOLE = Clustering(Grouping.LABEL), Clustering(Grouping.WHOLE)


def groups(described, clustering, size_of=None):
    expansion = Expansion(described, {})
    return Clusters(clustering, expansion, size_of).assign(expansion.expand())


def many(count):
    members = [str(n) for n in range(count)]
    return workflow(values("n", *members), task("t", ["{n}.in"], for_each=(("n",),)))


def test_without_clusters_every_task_is_alone():
    assert groups(many(2), Clustering()) == [Group("", (0,)), Group("", (1,))]


def test_tasks_of_a_label_are_one_job_and_the_others_alone():
    described = workflow(task("a", cluster="x"), task("b"), task("c", cluster="x"))

    assert groups(described, LABEL) == [Group("x", (0, 2)), Group("", (1,))]


def test_a_label_with_places_makes_a_cluster_of_every_member():
    described = workflow(
        values("n", "1", "2"),
        task("a", made=["{n}.a"], for_each=(("n",),), cluster="of {n}"),
        task("b", ["{n}.a"], for_each=(("n",),), cluster="of {n}"),
    )

    assert groups(described, LABEL) == [Group("of 1", (0, 2)), Group("of 2", (1, 3))]


def test_a_cluster_takes_in_tasks_that_become_known_later():
    expansion = Expansion(tiles(), {})
    clusters = Clusters(WHOLE, expansion)
    first = clusters.assign(expansion.expand())

    expansion.learn("tile", ["tiles/a.png"])
    later = clusters.assign(expansion.expand())

    assert first == [Group("whole", (0,))]
    assert later == [Group("whole", (1, 2))]
    assert clusters.assign(expansion.expand()) == []


@pytest.mark.parametrize(
    ("clustering", "sizes"),
    [
        (Clustering(Grouping.HORIZONTAL, tasks=3), [3, 3, 1]),
        (Clustering(Grouping.HORIZONTAL, jobs=3), [2, 2, 3]),
        (Clustering(Grouping.HORIZONTAL, jobs=20), [1] * 7),
        (Clustering(Grouping.HORIZONTAL, size_bytes=25), [2, 2, 2, 1]),
        (Clustering(Grouping.HORIZONTAL, size_bytes=5), [1] * 7),
    ],
)
def test_horizontal_clusters_have_so_many_tasks_jobs_or_bytes(clustering, sizes):
    found = groups(many(7), clustering, lambda _: 10)

    assert [len(group.tasks) for group in found] == sizes


def test_a_task_whose_size_nobody_knows_is_alone():
    clustering = Clustering(Grouping.HORIZONTAL, size_bytes=1000)

    found = groups(many(5), clustering, lambda name: None if name == "2.in" else 10)

    assert [group.tasks for group in found] == [(0, 1), (2,), (3, 4)]


def test_horizontal_clusters_never_mix_types():
    described = workflow(values("n", "1", "2"), task("a", for_each=(("n",),)), task("b", for_each=(("n",),)))

    found = groups(described, Clustering(Grouping.HORIZONTAL, tasks=10))

    assert found == [Group("a 1", (0, 1)), Group("b 1", (2, 3))]


def test_tasks_that_follow_each_other_are_never_in_one_horizontal_cluster():
    described = workflow(
        values("before", "0", "2", "1", "a"),
        values("after", "1", "3", "2", "b"),
        task("step", ["x/{before}"], ["x/{after}"], for_each=(("before", "after"),)),
    )

    found = groups(described, Clustering(Grouping.HORIZONTAL, tasks=10))

    assert found == [Group("step 1", (0, 3)), Group("", (2,)), Group("", (1,))]


@given(st.integers(0, 40), st.integers(1, 12), st.sampled_from(["tasks", "jobs", "size_bytes"]))
def test_horizontal_clusters_hold_every_task_once(count, number, what):
    clustering = Clustering(Grouping.HORIZONTAL, **{what: number})

    found = groups(many(count), clustering, len)

    assert [task for group in found for task in group.tasks] == list(range(count))
    assert what != "jobs" or len(found) == min(number, count)
    assert what != "tasks" or all(len(group.tasks) <= number for group in found)


def test_clusters_that_wait_for_each_other_are_named():
    described = workflow(
        task("a", made=["1"], cluster="x"), task("b", ["1"], ["2"]), task("c", ["2"], cluster="x")
    )

    with pytest.raises(
        WorkflowError, match=r"wait for each other\..*('cluster x' -> 'task b'|'task b' -> 'cl)"
    ):
        groups(described, LABEL)


def test_clusters_that_will_wait_for_each_other_are_refused_before_the_run():
    described = workflow(
        NamedSet("tile", made="tiles/{tile}"),
        task("cut", made=["tiles/{tile}"], cluster="x"),
        task("score", ["tiles/{tile}"], ["scores/{tile}"], for_each=(("tile",),)),
        task("total", ["scores/{tile}"], cluster="x"),
    )

    with pytest.raises(WorkflowError, match="'task score'"):
        Clusters(LABEL, Expansion(described, {}))


def test_clusters_of_members_that_need_each_other_are_refused():
    described = workflow(
        values("n", "1", "2"),
        values("m", "1", "2"),
        task("a", made=["{n}.a"], for_each=(("n",),), cluster="of {n}"),
        task("b", ["{m}.a"], ["{n}.b"], for_each=(("n",),), cluster="of {n}"),
    )

    with pytest.raises(WorkflowError, match="'cluster of 1'"):
        groups(described, LABEL)


def test_the_same_labels_are_no_trouble_without_clusters():
    described = workflow(
        task("a", made=["1"], cluster="x"), task("b", ["1"], ["2"]), task("c", ["2"], cluster="x")
    )

    assert len(groups(described, Clustering())) == 3


def test_clustering_is_by_label_where_there_is_one_and_else_whole():
    assert clustering_for(Placement.CLUSTERING, many(1)) == WHOLE
    assert clustering_for(Placement.CLUSTERING, workflow(task("a", cluster="x"))) == LABEL
    assert clustering_for(Placement.BASELINE, workflow(task("a", cluster="x"))) == Clustering()
