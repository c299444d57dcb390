"""Links and renames: what is special about them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.model.ports import Way
from longpole.model.staging import Item, StagingError
from longpole.run.staging.hardlink import HardlinkWay
from longpole.run.staging.link import LinkWay
from tests.run.staging.disks import small_tmpfs


@pytest.fixture(params=[LinkWay(), HardlinkWay()], ids=lambda way: way.name)
def renaming(request: pytest.FixtureRequest) -> Way:
    way: Way = request.param
    return way


def test_an_input_is_a_link_to_where_it_lies(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "d").mkdir()

    moved = LinkWay().bring([Item("in/a", f"{tmp_path}/a"), Item("d/", f"{tmp_path}/d/")], f"{tmp_path}/job")

    assert os.readlink(tmp_path / "job/in/a") == f"{tmp_path}/a"
    assert os.readlink(tmp_path / "job/d") == f"{tmp_path}/d"
    assert [one.moved_bytes for one in moved.transfers] == [0, 0]


def test_the_known_size_of_a_directory_is_taken(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()

    moved = LinkWay().bring([Item("d/", f"{tmp_path}/d/", size_bytes=77)], f"{tmp_path}/job")

    assert moved.sizes == {"d/": 77}


def test_an_output_is_renamed(renaming: Way, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job/a").write_text("x")
    number = (tmp_path / "job/a").stat().st_ino

    renaming.send([Item("a", f"{tmp_path}/kept/a")], f"{tmp_path}/job")

    assert (tmp_path / "kept/a").stat().st_ino == number
    assert os.listdir(tmp_path / "job") == []


def test_outputs_cross_file_systems(renaming: Way, tmp_path: Path) -> None:
    with small_tmpfs(tmp_path / "job") as job:
        (job / "a").write_text("file")
        (job / "d/e").mkdir(parents=True)
        (job / "d/e/f").write_text("deep")

        renaming.send([Item("a", f"{tmp_path}/kept/a"), Item("d/", f"{tmp_path}/kept/d/")], str(job))

        assert (tmp_path / "kept/a").read_text() == "file"
        assert (tmp_path / "kept/d/e/f").read_text() == "deep"
        assert sorted(os.listdir(tmp_path / "kept")) == ["a", "d"]
        assert list(job.iterdir()) == []


def test_a_full_disk_keeps_the_output_where_it_was(renaming: Way, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job/a").write_bytes(bytes(4_000_000))

    with small_tmpfs(tmp_path / "full") as full:
        with pytest.raises(StagingError, match="4 MB needed") as raised:
            renaming.send([Item("a", f"{full}/out/a")], f"{tmp_path}/job")
        assert list((full / "out").iterdir()) == []

    assert raised.value.full
    assert f"{full}/out" in str(raised.value)
    assert (tmp_path / "job/a").exists()


def test_a_hard_link_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/a").write_text("x")
    (tmp_path / "link").symlink_to("d/a")
    number = (tmp_path / "d/a").stat().st_ino

    moved = HardlinkWay().bring(
        [Item("a", f"{tmp_path}/d/a"), Item("b", f"{tmp_path}/link"), Item("d/", f"{tmp_path}/d/")],
        f"{tmp_path}/job",
    )

    assert {(tmp_path / "job" / name).lstat().st_ino for name in ("a", "b", "d/a")} == {number}
    assert sum(one.moved_bytes for one in moved.transfers) == 0


def test_across_file_systems_a_hard_link_is_a_copy(tmp_path: Path) -> None:
    with small_tmpfs(tmp_path / "kept") as kept:
        (kept / "d").mkdir()
        (kept / "d/a").write_text("x")

        moved = HardlinkWay().bring([Item("a", f"{kept}/d/a"), Item("d/", f"{kept}/d/")], f"{tmp_path}/job")

    assert (tmp_path / "job/a").read_text() == (tmp_path / "job/d/a").read_text() == "x"
    assert sum(one.moved_bytes for one in moved.transfers) == 2
    assert set(moved.checksums) == {"a", "d/"}


def test_a_path_must_be_absolute(renaming: Way, tmp_path: Path) -> None:
    with pytest.raises(StagingError, match="absolute path"):
        renaming.bring([Item("a", "a")], f"{tmp_path}/job")
    with pytest.raises(StagingError, match="absolute path"):
        renaming.send([Item("a")], f"{tmp_path}/job")
