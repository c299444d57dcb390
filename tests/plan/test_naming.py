from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from longpole.model.workflow import NamedSet, Uses
from longpole.plan.naming import Namer, listed, matching
from longpole.plan.relations import Relation
from tests.plan.described import grouped, values

PARTS = Relation(("part",), (("1",), ("2",)))
IMAGES = Relation(("part", "image"), (("1", "a"), ("2", "b"), ("1", "c")))
KNOWN = {"part": PARTS, "image": IMAGES}


def test_a_set_that_the_task_has_no_member_of_means_all_of_it():
    assert Namer(Uses("", ("x/{image}",)), KNOWN, ())({}) == ("x/a", "x/b", "x/c")


def test_members_of_a_set_within_the_tasks_own_are_those_that_belong_to_it():
    namer = Namer(Uses("", ("x/{image}",)), KNOWN, ("part",))

    assert namer({"part": "1"}) == ("x/a", "x/c")
    assert namer({"part": "2"}) == ("x/b",)
    assert namer({"part": "none"}) == ()


def test_tasks_to_which_a_pattern_is_the_same_share_its_names():
    namer = Namer(Uses("", ("x/{image}", "plain")), KNOWN, ("trial",))

    assert namer({"trial": "1"}) is namer({"trial": "2"})


def test_a_member_that_looks_like_a_place_stays_as_it_is():
    known = {"image": Relation(("image",), (("{part}",),))}

    assert Namer(Uses("", ("{part}-{image}",)), known, ("part",))({"part": "{image}"}) == ("{image}-{part}",)


def test_a_pattern_of_a_set_that_is_not_known_stays_open():
    namer = Namer(Uses("", ("t/{part}/{tile}", "t/{part}.log")), KNOWN, ("part",))

    assert namer({"part": "1"}) == ("t/1.log",)
    assert namer.open({"part": "{1}"}) == ("t/{{1}}/{tile}",)


def test_a_name_that_two_rows_give_is_there_once():
    known = {"image": Relation(("part", "image"), (("1", "a"), ("2", "a")))}

    assert Namer(Uses("", ("{image}",)), known, ())({}) == ("a",)


@given(st.lists(st.text("abc.{} ", min_size=1, max_size=4), unique=True))
def test_members_are_found_again_in_the_names_they_were_put_into(members):
    named = NamedSet("tile", made="t/{tile}.png")
    rows = Relation(("tile",), tuple((member,) for member in members))

    names = Namer(Uses("", ("t/{tile}.png",)), {"tile": rows}, ())({})

    assert matching(named, named.made, names) == rows


def test_files_that_do_not_match_tell_no_members():
    named = NamedSet("tile", made="t/{image}/{tile}.png")

    found = matching(named, named.made, ["t/i/1.png", "t/1.png", "t/i/1.txt", "t/i/1.png", "t/k/1.png"])

    assert found == Relation(("image", "tile"), (("i", "1"), ("k", "1")))


def test_listed_members_are_there_once():
    assert listed(values("a", "x", "y", "x")) == Relation(("a",), (("x",), ("y",)))
    assert listed(grouped("a", "b", {"1": ("x", "y"), "2": ("x",)})) == Relation(
        ("b", "a"), (("1", "x"), ("1", "y"), ("2", "x"))
    )
    assert listed(NamedSet("a", glob="{a}.txt")) is None
