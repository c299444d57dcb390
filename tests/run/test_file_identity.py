"""What changes when a file or folder from outside changes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.run.file_identity import FileIdentities


def identity(path: Path) -> str:
    """Return what an input is known by, as one driver sees it."""
    return FileIdentities().of_input(str(path))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with links to a file and to a folder elsewhere."""
    for name in ("data", "pool/inner"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "pool/a").write_text("one")
    (tmp_path / "data/a").symlink_to("../pool/a")
    (tmp_path / "data/sub").symlink_to("../pool")
    return tmp_path / "data"


def test_a_folder_that_stays_is_the_same(data: Path) -> None:
    before = identity(data)
    os.utime(data)

    assert identity(data) == before


@pytest.mark.parametrize("changed", ["pool/a", "pool/new", "pool/inner/new", "data/new"])
def test_what_changes_behind_a_link_changes_the_folder(data: Path, changed: str) -> None:
    before = identity(data)
    (data.parent / changed).write_text("other")

    assert identity(data) != before


def test_an_empty_folder_in_a_folder_counts(data: Path) -> None:
    before = identity(data)
    (data.parent / "pool/inner/empty").mkdir()

    assert identity(data) != before


@pytest.mark.parametrize("target", [".", "nowhere"])
def test_a_folder_that_cannot_be_staged_is_never_the_same(data: Path, target: str) -> None:
    (data / "bad").symlink_to(target)

    assert identity(data) != identity(data)


def test_a_file_that_is_not_there_has_no_identity(tmp_path: Path) -> None:
    assert identity(tmp_path / "nowhere") == ""


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert identity(tmp_path / "pipe")


def test_an_image_may_have_links_to_nowhere_and_up(data: Path) -> None:
    (data / "up").symlink_to("..")
    (data / "proc").symlink_to("/nowhere/else")
    before = FileIdentities().of_image(str(data))

    assert FileIdentities().of_image(str(data)) == before
    (data / "bin").symlink_to("usr/bin")
    assert FileIdentities().of_image(str(data)) != before


def test_an_image_that_is_none_of_our_files_goes_by_its_name() -> None:
    assert FileIdentities().of_image("localhost/one") == "localhost/one"
    assert FileIdentities().of_image("") == ""
