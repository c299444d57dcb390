"""Which files are results, and which leave a cluster."""

from __future__ import annotations

import pytest

from longpole.model.workflow import NamedSet
from longpole.run.results import wanted_outside, wanted_results
from tests.plan.described import task, values, workflow


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


@pytest.mark.parametrize(
    "part", [values("part", "1", "2"), NamedSet("part", made="{part}.txt")], ids=["listed", "told"]
)
def test_what_fits_a_pattern_and_is_no_member_of_its_set_is_a_result(part: NamedSet):
    cut = task("cut", made=["{part}.txt"], for_each=(("part",),) if part.values else ())
    described = workflow(part, cut, task("total", ["{part}.txt"], ["total.txt"]))
    wanted = wanted_results(described)

    assert [name for name in ("1.txt", "total.txt") if wanted(name)] == ["total.txt"]
