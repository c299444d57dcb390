"""Copies on this machine, by each of the means there are."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import xxhash

from longpole.model.staging import Item, StagingError
from longpole.run.staging import copying
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.copy import CopyWay
from longpole.run.staging.copying import copy_file
from tests.run.staging.disks import sharing_disk, small_tmpfs

DATA = os.urandom(3_000_000)


@pytest.mark.parametrize("checksums", Checksums)
@pytest.mark.parametrize("data", [b"", b"small", DATA], ids=["empty", "small", "large"])
def test_a_copy_is_the_same(tmp_path: Path, data: bytes, checksums: Checksums) -> None:
    (tmp_path / "a").write_bytes(data)
    os.chmod(tmp_path / "a", 0o540)

    copied = copy_file(f"{tmp_path}/a", f"{tmp_path}/b", checksums)

    assert (tmp_path / "b").read_bytes() == data
    assert (tmp_path / "b").stat().st_mode & 0o777 == 0o540
    assert copied.size_bytes == len(data)
    assert copied.checksum == (xxhash.xxh3_128_hexdigest(data) if checksums is Checksums.ON else "")


def test_without_checksums_the_kernel_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(DATA)
    monkeypatch.setattr(copying, "_read_and_write", None)

    copy_file(f"{tmp_path}/a", f"{tmp_path}/b", Checksums.OFF)

    assert (tmp_path / "b").read_bytes() == DATA


@pytest.mark.parametrize("checksums", Checksums)
def test_where_blocks_can_be_shared_they_are(tmp_path: Path, checksums: Checksums) -> None:
    data = os.urandom(20_000_000)
    with sharing_disk(tmp_path / "disk") as disk:
        (disk / "a").write_bytes(data)
        os.sync()
        before = os.statvfs(disk).f_bfree
        copied = copy_file(f"{disk}/a", f"{disk}/b", checksums)
        os.sync()
        used = (before - os.statvfs(disk).f_bfree) * os.statvfs(disk).f_frsize
        assert (disk / "b").read_bytes() == data

    assert used < len(data) / 4
    assert copied.checksum == (xxhash.xxh3_128_hexdigest(data) if checksums is Checksums.ON else "")


def test_a_file_of_proc_is_copied(tmp_path: Path) -> None:
    copied = copy_file("/proc/version", f"{tmp_path}/version", Checksums.OFF)

    assert (tmp_path / "version").read_bytes() == Path("/proc/version").read_bytes()
    assert copied.size_bytes > 0


def test_a_full_disk_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(DATA)

    for checksums in Checksums:
        with small_tmpfs(tmp_path / f"full {checksums}") as full:
            with pytest.raises(StagingError, match="3 MB needed") as raised:
                CopyWay(checksums).bring([Item("in/a", f"{tmp_path}/a")], str(full))
            assert list(full.iterdir()) == []
            assert raised.value.full
            assert str(full) in str(raised.value)


def test_a_link_that_leads_back_up_is_refused(tmp_path: Path) -> None:
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "d/e/up").symlink_to("../../d")

    with pytest.raises(StagingError, match="'d/'"):
        CopyWay().bring([Item("d/", f"{tmp_path}/d/")], f"{tmp_path}/job")


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    os.mkfifo(tmp_path / "d/pipe")

    with pytest.raises(StagingError, match="neither a file nor a directory"):
        CopyWay().bring([Item("d/", f"{tmp_path}/d/")], f"{tmp_path}/job")


def test_what_may_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "file").write_text("in the way")

    with pytest.raises(StagingError, match=r"Not a directory|File exists"):
        CopyWay().bring([Item("a", f"{tmp_path}/a")], f"{tmp_path}/file/job")
