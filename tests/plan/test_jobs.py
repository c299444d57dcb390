from __future__ import annotations

from hypothesis import given

from longpole.model.plan import Clustering, Grouping
from longpole.plan.clusters import Clusters
from longpole.plan.expansion import Expansion
from longpole.plan.jobs import jobs_of
from tests.plan.described import task, tiles, workflow
from tests.plan.test_expansion import chains


def jobs(described, clustering=None):
    expansion = Expansion(described, {})
    expansion.expand()
    return expansion, jobs_of(expansion, Clusters(clustering or Clustering(), expansion))


def test_a_chain_has_a_level_for_every_task():
    _, found = jobs(workflow(task("a", made=["1"]), task("b", ["1"], ["2"]), task("c", ["1", "2"])))

    assert found.levels == (1, 2, 3)
    assert found.per_level() == (1, 1, 1)


def test_levels_of_clusters_are_those_of_their_graph():
    described = workflow(
        task("a", made=["1"], cluster="x"),
        task("b", ["1"], ["2"], cluster="x"),
        task("other", made=["3"], cluster="y"),
        task("last", ["2", "3"], cluster="z"),
    )

    _, found = jobs(described, Clustering(Grouping.LABEL))

    assert found.per_level() == (2, 1)
    assert found.of_task == (0, 1, 0, 2), "in the order a, other, b, last"


def test_levels_whose_jobs_are_not_known_are_told():
    _, found = jobs(tiles())

    assert found.per_level() == (1, None, None)
    assert found.unknown_levels == {"score": 2, "total": 3}


def test_tasks_that_become_known_within_a_cluster_are_no_unknown_jobs():
    _, found = jobs(tiles(), Clustering(Grouping.WHOLE))

    assert found.per_level() == (1,)
    assert found.unknown_levels == {}


@given(chains())
def test_a_job_is_one_level_above_the_highest_that_it_waits_for(described):
    expansion, found = jobs(described)

    for number in range(len(expansion.tasks)):
        before = [found.levels[found.of_task[other]] for other in expansion.dependencies(number)]
        assert found.levels[found.of_task[number]] == 1 + max(before, default=0)
    assert sum(count or 0 for count in found.per_level()) == len(expansion.tasks)


@given(chains())
def test_all_tasks_in_one_job_are_one_level(described):
    expansion, found = jobs(described, Clustering(Grouping.WHOLE))

    assert found.per_level() == ((1,) if expansion.tasks else ())
