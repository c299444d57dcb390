"""Patterns: filling and matching undo each other, and no name leaves the workflow."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.model.patterns import doubled, fill, fill_some, fits, matcher, parse, places
from longpole.model.workflow import WorkflowError

NAMES = st.sampled_from(["a", "tile", "größe", "_x1"])
LITERALS = st.text(st.characters(exclude_characters="\0\n"), max_size=5)
MEMBERS = st.text(st.characters(exclude_characters="/\0\n"), min_size=1, max_size=8)
PATTERNS = st.lists(LITERALS.map(doubled) | NAMES.map("{{{}}}".format), min_size=1, max_size=6).map("".join)


@given(PATTERNS, st.fixed_dictionaries(dict.fromkeys(("a", "tile", "größe", "_x1"), MEMBERS)))
def test_what_is_filled_in_is_found_again(pattern, members):
    try:
        name = fill(pattern, members)
    except WorkflowError:
        return

    found = matcher(pattern).fullmatch(name)

    assert found is not None
    assert fill(pattern, found.groupdict()) == name
    if len(parse(pattern).places) == 1:
        assert found.groupdict() == {place: members[place] for place in places(pattern)}


@given(PATTERNS, st.dictionaries(NAMES, MEMBERS), st.fixed_dictionaries({"a": MEMBERS, "tile": MEMBERS}))
def test_filling_in_two_steps_is_filling_in_one(pattern, some, rest):
    everything = {"größe": "g", "_x1": "x", **rest, **some}
    try:
        whole = fill(pattern, everything)
    except WorkflowError:
        return

    assert fill(fill_some(pattern, some), everything) == whole


@given(st.text())
def test_any_text_is_a_pattern_once_its_braces_are_doubled(text):
    assert parse(doubled(text)).literals == (text,)


def test_a_place_that_occurs_twice_stands_for_one_text():
    found = matcher("{a}/{a}.txt")

    assert found.fullmatch("x/x.txt")
    assert not found.fullmatch("x/y.txt")


def test_a_place_stands_for_no_slash_and_not_for_nothing():
    assert not matcher("t/{a}.txt").fullmatch("t/x/y.txt")
    assert not matcher("t/{a}.txt").fullmatch("t/.txt")
    assert not matcher("t/{a}.txt").fullmatch("t/x.txt\n")


def test_a_place_that_is_not_awaited_is_refused():
    with pytest.raises(WorkflowError, match=r"place \{b\} that nothing is known of"):
        matcher("{a}-{b}", frozenset({"a"}))


@pytest.mark.parametrize("pattern", ["a{", "a}b", "{}", "{1}", "{a b}", "{a.list}"])
def test_a_brace_that_belongs_to_no_place_is_refused(pattern):
    with pytest.raises(WorkflowError, match="a brace that is no part of a place"):
        parse(pattern)


def test_a_member_that_is_missing_is_named():
    with pytest.raises(WorkflowError, match=r"'t/\{a\}' has no member for its place \{a\}"):
        fill("t/{a}", {"b": "x"})


@pytest.mark.parametrize("member", ["..", "../x", "a/../../b", ".", "", "a\nb", "a\0b", "a//b", "/etc"])
def test_a_member_never_leads_out_of_the_folder(member):
    with pytest.raises(WorkflowError):
        fill("t/{a}/x" if member != "/etc" else "{a}", {"a": member})


def test_dots_within_a_name_are_fine():
    assert fill("t/{a}..txt", {"a": "..x"}) == "t/..x..txt"
    assert [fits(name) for name in ("a/...", ".hidden", "a/..", "./a")] == [True, True, False, False]
