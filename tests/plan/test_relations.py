from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.workflow import WorkflowError
from longpole.plan.relations import EVERYTHING, Relation, in_step, product

NAMES = ("a", "b", "c", "d")


@st.composite
def relations(draw):
    names = tuple(draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)))
    rows = st.tuples(*(st.sampled_from("xyz") for _ in names))
    return Relation(names, tuple(draw(st.lists(rows, unique=True, max_size=6))))


def as_sets(relation: Relation) -> set[frozenset[tuple[str, str]]]:
    return {frozenset(row.items()) for row in relation.members()}


def test_sets_with_nothing_in_common_are_multiplied():
    joined = Relation(("a",), (("1",), ("2",))).joined(Relation(("b",), (("x",), ("y",))))

    assert joined == Relation(("a", "b"), (("1", "x"), ("1", "y"), ("2", "x"), ("2", "y")))


def test_a_set_within_another_is_joined_by_its_members():
    tiles = Relation(("image", "tile"), (("i", "1"), ("i", "2"), ("k", "3")))

    joined = Relation(("image",), (("i",), ("k",), ("none",))).joined(tiles)

    assert joined.rows == (("i", "1"), ("i", "2"), ("k", "3"))


@given(relations(), relations())
def test_a_join_holds_just_the_pairs_that_agree(one, other):
    expected = {
        frozenset({**a, **b}.items())
        for a in one.members()
        for b in other.members()
        if all(a[name] == b[name] for name in a.keys() & b.keys())
    }

    joined = one.joined(other)

    assert as_sets(joined) == expected
    assert len(joined.rows) == len(expected), "no row twice"


@given(st.lists(relations(), max_size=3))
def test_the_order_of_a_product_does_not_matter(several):
    assert as_sets(product(several)) == as_sets(product(several[::-1]))


@given(relations())
def test_rows_by_some_names_are_all_rows(relation):
    for chosen in (relation.names, relation.names[:1], ()):
        found = relation.by(chosen)
        assert sorted(row for rows in found.values() for row in rows) == sorted(relation.rows)


def test_the_product_of_nothing_is_one_row_of_nothing():
    assert product([]) == EVERYTHING
    assert list(EVERYTHING.members()) == [{}]


def test_three_sets_go_in_step():
    one, two, three = (Relation((name,), (("1",), ("2",))) for name in "abc")

    assert in_step([one, two, three], "").rows == (("1", "1", "1"), ("2", "2", "2"))


def test_sets_of_different_length_do_not_go_in_step():
    with pytest.raises(WorkflowError, match=r"w.yaml:3: .*but 'a' has 1, 'b' has 2\."):
        in_step([Relation(("a",), (("1",),)), Relation(("b",), (("x",), ("y",)))], "w.yaml:3: ")


def test_sets_within_another_go_in_step_for_each_of_its_members():
    one = Relation(("p", "a"), (("1", "x"), ("2", "y"), ("1", "z")))
    other = Relation(("p", "b"), (("2", "Y"), ("1", "X"), ("1", "Z")))

    step = in_step([one, other], "")

    assert step.names == ("p", "a", "b")
    assert set(step.rows) == {("1", "x", "X"), ("1", "z", "Z"), ("2", "y", "Y")}


def test_sets_within_another_that_differ_for_one_member_do_not_go_in_step():
    one = Relation(("p", "a"), (("1", "x"),))
    other = Relation(("p", "b"), (("2", "y"),))

    with pytest.raises(WorkflowError, match=r"'a' has 1, 'b' has 0 of p '1'"):
        in_step([one, other], "")
