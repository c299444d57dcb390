from __future__ import annotations

import os

import pytest

from longpole.model.workflow import NamedSet, Place, Unreadable, WorkflowError
from longpole.plan.outside import Outside, found_members
from tests.plan.described import workflow


def filled(folder, *names):
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("12345")


def members(folder, pattern, **more):
    named = NamedSet("x", glob=pattern, **more)
    return found_members(workflow(named, folder=str(folder)))["x"]


def test_files_of_a_pattern_are_found_in_the_order_of_their_names(tmp_path):
    filled(tmp_path, "d/b.jpg", "d/a.jpg", "d/c.png", "a.jpg", "d/e/f.jpg", "d/it's [1]*.jpg")

    assert members(tmp_path, "d/{x}.jpg").rows == (("a",), ("b",), ("it's [1]*",))


def test_places_within_folders_are_found(tmp_path):
    filled(tmp_path, "d/1/a.jpg", "d/2/a.jpg", "d/2/b.jpg", "d/x.jpg")

    found = members(tmp_path, "d/{of}/{x}.jpg")

    assert found.names == ("of", "x")
    assert found.rows == (("1", "a"), ("2", "a"), ("2", "b"))


def test_a_pattern_of_folders_finds_folders(tmp_path):
    filled(tmp_path, "d/one/a", "d/two/b", "d/file")

    assert members(tmp_path, "d/{x}/").rows == (("one",), ("two",))


def test_a_folder_that_is_not_there_has_no_members(tmp_path):
    assert members(tmp_path, "none/{x}.jpg").rows == ()


def test_a_file_that_cannot_be_read_fails_or_is_dropped(tmp_path):
    filled(tmp_path, "a.jpg")
    os.symlink("nowhere", tmp_path / "b.jpg")  # not even root can read it

    with pytest.raises(WorkflowError, match=r"'b\.jpg' of the set 'x' cannot be read.*on_unreadable: drop"):
        members(tmp_path, "{x}.jpg")
    assert members(tmp_path, "{x}.jpg", unreadable=Unreadable.DROP).rows == (("a",),)


def test_a_file_lies_in_the_folder_or_where_it_is_said_to(tmp_path):
    filled(tmp_path, "w/a", "elsewhere/b")
    files = {
        "b": Place("../elsewhere/b"),
        "c": Place(url="http://c", size_bytes=9),
        "e": Place(str(tmp_path)),
    }
    outside = Outside(workflow(folder=str(tmp_path / "w"), files=files))

    assert outside.path("a") == str(tmp_path / "w/a")
    assert outside.size("b") == 5
    assert outside.path("c") == ""
    assert (outside.size("c"), outside.is_missing("c"), outside.is_there("c")) == (9, False, False)
    assert (outside.size("d"), outside.is_missing("d"), outside.is_missing("n/d")) == (None, True, True)
    assert outside.size("e") == 10, "a folder is as large as all in it"
