"""Which files are results, and which leave a cluster."""

from __future__ import annotations

from longpole.run.results import wanted_outside, wanted_results
from tests.plan.described import task, workflow


def chain(**more):
    return workflow(
        task("one", [], ["a", "x/{{odd}}"], cluster="c"),
        task("two", ["a"], ["b"], cluster="c"),
        task("three", ["b"], ["c"]),
        **more,
    )


def test_without_more_said_results_are_what_no_task_uses():
    wanted = wanted_results(chain())

    assert [name for name in ("a", "b", "c", "x/{odd}") if wanted(name)] == ["c", "x/{odd}"]


def test_results_are_what_was_asked_for():
    wanted = wanted_results(chain(results=("b", "x/{{odd}}")))

    assert [name for name in ("a", "b", "c", "x/{odd}") if wanted(name)] == ["b", "x/{odd}"]


def test_what_is_used_within_a_cluster_alone_stays_there():
    described = chain(results=("c",))
    wanted = wanted_outside(described, lambda name: described.templates[name].cluster)

    assert [name for name in ("a", "b", "x/{odd}") if wanted("c", name)] == ["b"]
