from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.workflow import Call, NamedSet, Result, Template, Workflow, WorkflowError
from longpole.plan.expansion import Expansion, looked_up
from tests.plan.described import grouped, task, tiles, values, workflow


def expanded(described, found=None):
    expansion = Expansion(described, found or {})
    expansion.expand()
    return expansion


def names_of(expansion):
    return [each.name for each in expansion.tasks]


def test_a_task_for_every_member():
    expansion = expanded(
        workflow(values("a", "1", "2"), values("b", "x", "y"), task("t", for_each=(("a",), ("b",))))
    )

    assert names_of(expansion) == ["t a=1 b=x", "t a=1 b=y", "t a=2 b=x", "t a=2 b=y"]


def test_sets_of_one_group_go_in_step():
    expansion = expanded(
        workflow(values("a", "1", "2"), values("b", "x", "y"), task("t", for_each=(("a", "b"),)))
    )

    assert names_of(expansion) == ["t a=1 b=x", "t a=2 b=y"]


def test_a_template_over_an_empty_set_has_no_tasks_and_is_done():
    expansion = expanded(
        workflow(values("a"), task("t", made=["{a}"], for_each=(("a",),)), task("sum", ["{a}"], ["s"]))
    )

    assert names_of(expansion) == ["sum"]
    assert expansion.unexpanded == []
    assert expansion.tasks[0].inputs == ((),)


def test_what_is_made_during_the_run_is_expanded_when_it_is_known():
    expansion = expanded(tiles())
    assert names_of(expansion) == ["cut"]
    assert expansion.unexpanded == ["score", "total"]
    assert [each.name for each in expansion.unknown_sets] == ["tile"]
    assert expansion.tasks[0].many == (("tiles/{tile}.png",),)

    made = ["tiles/a.png", "tiles/it's.png"]
    expansion.made(0, made)
    expansion.learn("tile", [*made, "tiles/notes.txt"])
    new = expansion.expand()

    assert new == range(1, 4)
    assert names_of(expansion)[1:] == ["score tile=a", "score tile=it's", "total"]
    assert expansion.dependencies(1) == [0]
    assert expansion.dependencies(3) == [1, 2]
    assert expansion.unexpanded == []


def test_no_tiles_leave_no_scores_and_an_empty_total():
    expansion = expanded(tiles())

    expansion.learn("tile", [])
    expansion.expand()

    assert names_of(expansion) == ["cut", "total"]
    assert expansion.dependencies(1) == []


def test_a_plain_name_that_a_pattern_will_make_waits_for_its_task():
    expansion = expanded(
        workflow(
            values("image", "i", "k"),
            NamedSet("tile", made="t/{image}/{tile}"),
            task("cut", made=["t/{image}/{tile}"], for_each=(("image",),)),
            task("first", ["t/k/0"], ["f"]),
        )
    )

    assert [expansion.tasks[number].name for number in expansion.dependencies(2)] == ["cut image=k"]
    assert "t/k/0" not in expansion.outside


def test_what_a_task_needs_comes_from_outside_even_if_it_is_named_like_what_it_makes():
    expansion = expanded(
        workflow(
            NamedSet("part", made="{part}.txt"),
            task("cut", ["in.txt"], ["{part}.txt"]),
            task("use", ["{part}.txt"], ["{part}.out"], for_each=(("part",),)),
        )
    )

    expansion.learn("part", ["1.txt"])
    expansion.expand()

    assert list(expansion.outside) == ["in.txt"]
    assert names_of(expansion) == ["cut", "use part=1"]
    assert expansion.dependencies(1) == [0]


def test_outputs_of_a_known_set_have_names():
    expansion = expanded(
        workflow(
            values("part", "1", "2"),
            grouped("image", "part", {"1": ("a", "b"), "2": ("c",)}),
            task("deal", ["raw/{image}"], ["done/{image}"], for_each=(("part",),)),
            task("sum", ["done/{image}"], ["s"]),
        )
    )

    assert [each.inputs for each in expansion.tasks[:2]] == [(("raw/a", "raw/b"),), (("raw/c",),)]
    assert [each.outputs for each in expansion.tasks[:2]] == [(("done/a", "done/b"),), (("done/c",),)]
    assert expansion.dependencies(2) == [0, 1]
    assert set(expansion.outside) == {"raw/a", "raw/b", "raw/c"}


def test_a_set_of_files_is_looked_up():
    named = NamedSet("image", glob="data/{image}.jpg")

    expansion = expanded(
        workflow(named, task("t", ["data/{image}.jpg"], for_each=(("image",),))),
        {"image": looked_up(named, ["data/a.jpg", "data/b.png"])},
    )

    assert names_of(expansion) == ["t image=a"]


def test_a_set_of_files_that_was_not_looked_up_is_not_known():
    expansion = expanded(workflow(NamedSet("image", glob="{image}"), task("t", for_each=(("image",),))))

    assert expansion.unexpanded == ["t"]


def test_two_tasks_that_make_one_file_are_refused():
    described = workflow(values("a", "1", "2"), task("t", made=["same"], for_each=(("a",),)))

    with pytest.raises(WorkflowError, match="Both 't a=1' and 't a=2' make 'same'"):
        expanded(described)


def test_a_file_that_is_spelt_differently_where_it_is_used_is_refused():
    described = workflow(
        values("a", "x"),
        values("b", "y"),
        values("c", "x_y"),
        task("use", ["{c}"], ["used"]),
        task("make", made=["{a}_{b}"], for_each=(("a",), ("b",))),
    )

    with pytest.raises(
        WorkflowError, match="'use' uses 'x_y', which 'make' makes under a pattern that is spelt differently"
    ):
        expanded(described)


def chain(*pairs):
    return workflow(
        values("before", *(before for before, _ in pairs)),
        values("after", *(after for _, after in pairs)),
        task("step", ["x/{before}"], ["x/{after}"], for_each=(("before", "after"),)),
    )


def test_tasks_of_one_template_follow_each_other_in_whatever_order():
    expansion = expanded(chain(("2", "3"), ("0", "1"), ("1", "2")))

    assert [expansion.dependencies(number) for number in range(3)] == [[2], [], [1]]
    assert [expansion.depth_of(number) for number in range(3)] == [2, 0, 1]
    assert set(expansion.outside) == {"x/0"}


@pytest.mark.parametrize("pairs", [[("0", "1"), ("1", "0")], [("0", "0")]])
def test_tasks_of_one_template_that_go_round_are_refused(pairs):
    with pytest.raises(
        WorkflowError, match=r"in a circle: 'step before=|'step before=0 after=0' waits for itself"
    ):
        expanded(chain(*pairs))


def test_results_are_taken_from_the_tasks_that_agree():
    expansion = expanded(
        workflow(
            values("a", "1", "2"),
            values("b", "x", "y"),
            Template("one", call=Call(print), for_each=(("a",), ("b",))),
            Template("two", call=Call(print, (Result("one"),)), for_each=(("b",),)),
            Template("all", call=Call(print, (Result("two"),))),
        )
    )

    found = {each.name: expansion.dependencies(number) for number, each in enumerate(expansion.tasks)}
    assert found["two b=y"] == [1, 3]
    assert found["all"] == [4, 5]


def test_work_is_linear_in_members():
    """Count what is looked at, since time on a shared machine tells nothing."""
    looked = [_rows_looked_at(size) for size in (100, 1000)]

    assert looked[1] <= 11 * looked[0]


def _rows_looked_at(size: int) -> int:
    class Counted(str):
        seen = 0

        def __eq__(self, other):
            Counted.seen += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    members = {str(n): (Counted(f"m{n}"),) for n in range(size)}
    described = workflow(
        values("a", *members),
        grouped("b", "a", members),
        Template("one", call=Call(print), for_each=(("a",),)),
        Template("two", call=Call(print, (Result("one"),)), for_each=(("a",),)),
        task("use", ["in/{b}"], ["out/{b}"], for_each=(("a",),)),
    )
    expansion = expanded(described)
    for number in range(len(expansion.tasks)):
        expansion.dependencies(number)
    return Counted.seen + size


@st.composite
def chains(draw):
    """Draw a workflow of levels, each fanned out over one of two sets or none, using what others made."""
    sets = [values("a", *"xyz"[: draw(st.integers(0, 3))]), values("b", *"uv"[: draw(st.integers(0, 2))])]
    templates: list[Template] = []
    for n in range(draw(st.integers(1, 6))):
        chosen = draw(st.lists(st.sampled_from("ab"), unique=True))
        used = draw(st.lists(st.sampled_from(range(n)), unique=True)) if n else []
        places = "".join(f"-{{{name}}}" for name in chosen)
        outputs = [f"{n}/o{places}"]
        inputs = [templates[m].outputs[0].patterns[0] for m in used]
        templates.append(task(f"t{n}", inputs, outputs, for_each=tuple((name,) for name in chosen)))
    return workflow(*sets, *draw(st.permutations(templates)))


@given(chains())
def test_every_input_is_made_by_an_earlier_task_or_comes_from_outside(described):
    expansion = expanded(described)

    assert expansion.unexpanded == []
    for number, each in enumerate(expansion.tasks):
        used = {name for names in each.inputs for name in names}
        makers = {expansion.makers[name] for name in used - expansion.outside.keys()}
        assert set(expansion.dependencies(number)) == makers
        assert all(maker < number for maker in makers)
    assert len({each.name for each in expansion.tasks}) == len(expansion.tasks)


@given(chains())
def test_the_order_of_the_description_does_not_change_the_tasks(described):
    turned = workflow(*described.sets.values(), *reversed(described.templates.values()))

    assert sorted(names_of(expanded(described))) == sorted(names_of(expanded(turned)))


def test_a_task_may_come_after_another_that_hands_no_file_over():
    sets = {"i": NamedSet("i", values=("a", "b"))}
    templates = {
        "first": Template("first", "true", for_each=(("i",),)),
        "second": Template("second", "true", for_each=(("i",),), after=("first",)),
        "last": Template("last", "true", after=("second",)),
    }
    expansion = Expansion(Workflow("w", "/w", sets=sets, templates=templates), {})
    expansion.expand()

    assert [expansion.dependencies(number) for number in range(5)] == [[], [], [0], [1], [2, 3]]
    assert expansion.levels == {"first": 1, "second": 2, "last": 3}
