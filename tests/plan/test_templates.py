from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.workflow import Call, NamedSet, Result, Template, WorkflowError
from longpole.plan.templates import Makers, after, in_order, levels, others
from tests.plan.described import task, tiles, values, workflow


def before_of(described):
    return after(described, Makers(described))


def test_an_input_spelt_as_an_output_is_made_by_it():
    before = before_of(tiles())

    assert before == {"cut": (), "score": ("cut",), "total": ("cut", "score")}


def test_places_may_be_called_differently_where_files_are_made_and_used():
    described = workflow(
        values("all", "1", "2"),
        values("few", "1"),
        task("make", made=["p/{all}.x"], for_each=(("all",),)),
        task("use", ["p/{few}.x"]),
    )

    assert before_of(described)["use"] == ("make",)


def test_two_templates_may_make_files_of_one_shape():
    described = workflow(
        values("left", "1"),
        values("right", "2"),
        values("both", "1", "2"),
        task("one", made=["p/{left}"], for_each=(("left",),)),
        task("two", made=["p/{right}"], for_each=(("right",),)),
        task("use", ["p/{both}"]),
    )

    assert before_of(described)["use"] == ("one", "two")


def test_a_plain_name_is_made_by_the_pattern_that_it_matches():
    described = workflow(
        NamedSet("tile", made="t/{tile}"), task("cut", made=["t/{tile}"]), task("use", ["t/first"])
    )

    assert before_of(described)["use"] == ("cut",)


def test_a_plain_output_that_fits_the_pattern_of_a_set_tells_no_member():
    described = workflow(
        NamedSet("part", made="{part}.txt"),
        task("cut", made=["{part}.txt"]),
        task("total", ["{part}.txt"], ["total.txt"]),
        task("plot", ["total.txt"], ["plot.txt"]),
    )

    assert before_of(described) == {"cut": (), "total": ("cut",), "plot": ("total",)}


def test_a_plain_name_that_is_no_member_of_a_known_set_comes_from_outside():
    described = workflow(values("n", "1"), task("step", ["x/0"], ["x/{n}"], for_each=(("n",),)))

    assert before_of(described)["step"] == ()


def test_a_pattern_may_match_plain_outputs():
    described = workflow(values("n", "1", "2"), task("make", made=["x/1"]), task("use", ["x/{n}"]))

    assert before_of(described)["use"] == ("make",)


def test_doubled_braces_belong_to_a_name():
    described = workflow(task("make", made=["a{{b}}"]), task("use", ["a{{b}}"]))

    assert Makers(described).of_name("a{b}") is not None
    assert before_of(described)["use"] == ("make",)


def test_a_call_waits_for_those_whose_results_it_takes():
    call = Call(print, (Result("one"), 2), {"x": Result("two")})

    described = workflow(task("one"), task("two"), Template("three", call=call))
    assert before_of(described)["three"] == ("one", "two")


def test_a_template_that_uses_what_it_makes_is_refused():
    described = workflow(values("n", "1"), task("step", ["x/{n}"], ["x/{n}"], for_each=(("n",),)))

    with pytest.raises(WorkflowError, match=r"'step' waits for itself: it uses what it makes, 'x/\{n\}'\."):
        before_of(described)


def test_tasks_of_one_template_may_follow_each_other():
    described = workflow(
        values("before", "0", "1"),
        values("after", "1", "2"),
        task("step", ["x/{before}"], ["x/{after}"], for_each=(("before", "after"),)),
    )

    assert before_of(described) == {"step": ("step",)}
    assert others(before_of(described)) == {"step": ()}


def test_a_circle_is_named_in_its_order():
    with pytest.raises(WorkflowError, match=r"'a' -> 'b' -> 'c' -> 'a'|'b' -> 'c' -> 'a' -> 'b'|'c' -> 'a'"):
        in_order({"a": ["c"], "b": ["a"], "c": ["b"], "behind": ["a"], "free": []})


@st.composite
def graphs(draw):
    """Draw a graph without circles, its nodes in any order."""
    size = draw(st.integers(1, 12))
    before = {str(n): [str(m) for m in range(n) if draw(st.booleans())] for n in range(size)}
    return dict(draw(st.permutations(list(before.items()))))


@given(graphs())
def test_each_comes_behind_all_that_it_waits_for(before):
    order = in_order(before)

    assert sorted(order) == sorted(before)
    assert all(order.index(earlier) < order.index(name) for name in before for earlier in before[name])


@given(graphs())
def test_a_level_is_one_more_than_the_highest_before_it(before):
    found = levels(before)

    for name, names in before.items():
        assert found[name] == 1 + max((found[earlier] for earlier in names), default=0)
