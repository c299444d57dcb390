"""Tables that know where they stand: wrong types and unknown keys are told with file and key."""

from __future__ import annotations

import datetime as dt

import pytest

from longpole.describe.table import Table
from longpole.errors import UsageError
from longpole.model.resources import Dimension

ROOT = Table({"tasks": [{"node": {"memory": "32"}}], "odd key": {"a": 1}}, "case.toml")


def complaint(call) -> str:
    with pytest.raises(UsageError) as caught:
        call()
    return str(caught.value)


def test_a_complaint_names_the_file_and_the_whole_key():
    node = ROOT.tables("tasks")[0].table("node")

    assert complaint(lambda: node.quantity("memory", Dimension.BYTES)) == (
        "case.toml: tasks[0].node.memory: '32' has no unit; write it as 32 GB, 32 GiB or the like."
    )


def test_a_key_that_toml_must_quote_is_quoted():
    assert complaint(lambda: ROOT.table("odd key").only()).startswith('case.toml: "odd key".a: ')


def test_an_unknown_key_is_refused_with_what_there_is_and_what_may_be_meant():
    table = Table({"nodse": 1}, "m.toml")

    assert complaint(lambda: table.only("name", "nodes")) == (
        "m.toml: nodse: There is no such key here; there are name, nodes. Did you mean 'nodes'?"
    )


def test_a_missing_key_is_named():
    assert complaint(lambda: ROOT.text("name")) == "case.toml: The key 'name' is missing."


@pytest.mark.parametrize("value", [1, 1.5, True, [], {}, ["a"], dt.date(2024, 1, 1)])
def test_a_text_is_nothing_else(value):
    table = Table({"key": value}, "f")

    assert "key: This must be a text" in complaint(lambda: table.text("key"))
    assert "key: This must be a text with a unit" in complaint(lambda: table.quantity("key", Dimension.BYTES))
    assert "key: This must be a text such as" in complaint(lambda: table.share("key"))


@pytest.mark.parametrize("value", ["1", 1.0, True, [], {}, float("nan"), 0, -1, 10**400])
def test_a_whole_number_is_nothing_else(value):
    assert "key: This must be" in complaint(lambda: Table({"key": value}, "f").whole("key"))


@pytest.mark.parametrize("value", ["1", True, [], 0, -0.5, float("nan"), float("inf"), 1e-320, 10**400])
def test_a_number_is_finite_and_above_zero(value):
    assert "key: This must be" in complaint(lambda: Table({"key": value}, "f").number("key"))


@pytest.mark.parametrize("value", ["yes", 1, 0, []])
def test_a_flag_is_true_or_false(value):
    assert "key: This must be true or false" in complaint(lambda: Table({"key": value}, "f").flag("key"))


@pytest.mark.parametrize("value", ["a", 1, True, [], [{}]])
def test_a_table_is_nothing_else(value):
    assert "key: This must be a table" in complaint(lambda: Table({"key": value}, "f").table("key"))


@pytest.mark.parametrize("value", ["a", 1, {"a": 1}, [1], [{}, 1]])
def test_tables_are_a_list_of_tables(value):
    assert "under [[key]]" in complaint(lambda: Table({"key": value}, "f").tables("key"))


@pytest.mark.parametrize("value", ["a", 1, {"a": 1}, [1], ["a", 1]])
def test_texts_are_a_list_of_texts(value):
    assert "key: This must be a list of texts" in complaint(lambda: Table({"key": value}, "f").texts("key"))


def test_a_number_without_a_unit_is_shown_with_one():
    table = Table({"hbm": 6220}, "f")

    assert 'such as "6220 GB/s", not the number 6220' in complaint(
        lambda: table.quantity("hbm", Dimension.BYTES_PER_SECOND)
    )


def test_a_text_comes_on_one_line_and_cannot_steer_a_terminal():
    table = Table({"about": "two\n  lines \x1b[2J"}, "f")

    assert table.text("about") == "two lines \\x1b[2J"


def test_an_empty_text_is_refused():
    assert "f: name: This text is empty" in complaint(lambda: Table({"name": "  "}, "f").text("name"))
