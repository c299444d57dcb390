"""Files take their places when they are complete, and not before."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.run.staging.landing import landing, replace


def test_nothing_is_seen_before_all_is_there(tmp_path: Path) -> None:
    with landing(str(tmp_path)) as ground:
        Path(ground.path("d/a")).write_text("x")
        assert not (tmp_path / "d").exists()

    assert os.listdir(tmp_path) == ["d"]
    assert (tmp_path / "d/a").read_text() == "x"


def test_after_an_error_nothing_is_there(tmp_path: Path) -> None:
    def fail() -> None:
        with landing(str(tmp_path / "job")) as ground:
            Path(ground.path("d/a")).write_text("x")
            raise KeyError

    with pytest.raises(KeyError):
        fail()

    assert os.listdir(tmp_path / "job") == []


def test_a_directory_that_is_there_takes_in_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/old").write_text("old")
    (tmp_path / "d/e/both").write_text("old")

    with landing(str(tmp_path)) as ground:
        Path(ground.path("d/new")).write_text("new")
        Path(ground.path("d/e/both")).write_text("new")

    assert {path.name: path.read_text() for path in tmp_path.rglob("*") if path.is_file()} == {
        "old": "old",
        "new": "new",
        "both": "new",
    }


def test_a_link_to_a_directory_is_replaced_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "job").mkdir()
    (tmp_path / "job/d").symlink_to("../elsewhere")

    with landing(str(tmp_path / "job")) as ground:
        Path(ground.path("d/a")).write_text("x")

    assert os.listdir(tmp_path / "elsewhere") == []
    assert (tmp_path / "job/d/a").read_text() == "x"


@pytest.mark.parametrize("old", ["file", "folder", "link"])
@pytest.mark.parametrize("new", ["file", "folder"])
def test_anything_replaces_anything(tmp_path: Path, old: str, new: str) -> None:
    _make(tmp_path / "old", old, "old")
    _make(tmp_path / "new", new, "new")

    replace(str(tmp_path / "new"), str(tmp_path / "old"))

    found = tmp_path / "old"
    assert (found / "x" if new == "folder" else found).read_text() == "new"
    assert sorted(os.listdir(tmp_path)) in (["old"], ["old", "target"])


def _make(path: Path, kind: str, text: str) -> None:
    if kind == "folder":
        path.mkdir()
        (path / "x").write_text(text)
    elif kind == "link":
        (path.parent / "target").mkdir()
        path.symlink_to("target")
    else:
        path.write_text(text)
