from __future__ import annotations

import pytest

from longpole.app.outputs import fresh_file, fresh_folder
from longpole.errors import UsageError


def write_file(target, *, force=False, text="new"):
    with fresh_file(target, force=force) as path:
        path.write_text(text)


def write_folder(target, *, force=False):
    with fresh_folder(target, force=force) as folder:
        (folder / "a").write_text("new")


def fail(manager):
    with manager as path:
        (path if path.suffix else path / "a").write_text("half")
        raise RuntimeError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_there_when_it_is_whole(tmp_path):
    write_file(tmp_path / "x.csv")

    assert (tmp_path / "x.csv").read_text() == "new"
    assert names(tmp_path) == ["x.csv"]


def test_a_failure_leaves_nothing_and_changes_nothing(tmp_path):
    (tmp_path / "x.csv").write_text("old")

    with pytest.raises(RuntimeError):
        fail(fresh_file(tmp_path / "x.csv", force=True))
    with pytest.raises(RuntimeError):
        fail(fresh_folder(tmp_path / "out", force=True))

    assert names(tmp_path) == ["x.csv"]
    assert (tmp_path / "x.csv").read_text() == "old"


def test_what_is_there_stays_unless_force_is_used(tmp_path):
    write_file(tmp_path / "x.csv", text="old")

    with pytest.raises(UsageError, match="is there already"):
        write_file(tmp_path / "x.csv")
    write_file(tmp_path / "x.csv", force=True)

    assert (tmp_path / "x.csv").read_text() == "new"


def test_a_folder_keeps_what_it_has_under_other_names(tmp_path):
    target = tmp_path / "out"
    target.mkdir()
    (target / "a").write_text("old")
    (target / "mine").write_text("mine")

    with pytest.raises(UsageError):
        write_folder(target)
    write_folder(target, force=True)

    assert names(target) == ["a", "mine"]
    assert (target / "a").read_text() == "new"


def test_an_empty_folder_is_used(tmp_path):
    (tmp_path / "out").mkdir()

    write_folder(tmp_path / "out")

    assert names(tmp_path / "out") == ["a"]


def test_a_file_is_never_put_over_a_folder_nor_a_folder_over_a_file(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")

    with pytest.raises(UsageError):
        write_file(tmp_path / "folder", force=True)
    with pytest.raises(UsageError):
        write_folder(tmp_path / "file", force=True)
