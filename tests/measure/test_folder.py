from __future__ import annotations

import os
import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from longpole.measure import folder as module
from longpole.measure.folder import file_system, nameless_file, remark_on, room
from longpole.measure.probe import UnmeasurableError

MOUNTS = """\
22 1 254:0 / / rw - ext4 /dev/vda rw
23 22 0:21 / /mnt/with\\040space rw shared:1 - nfs4 server:/x rw
24 22 0:22 / /mnt rw - tmpfs tmpfs rw
"""
Usage = namedtuple("Usage", "total used free")


def test_the_longest_mount_that_holds_a_folder_is_its_file_system(tmp_path):
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    assert file_system(Path("/mnt/with space/a"), mounts) == "nfs4"
    assert file_system(Path("/mnt/b"), mounts) == "tmpfs"
    assert file_system(Path("/home"), mounts) == "ext4"


def test_a_folder_in_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "file_system", lambda _: "tmpfs")

    with pytest.raises(UnmeasurableError, match=r"in memory \(tmpfs\); give a --folder on a disk"):
        room(tmp_path, 1)


def test_a_folder_without_room_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 10**9, 1000))

    with pytest.raises(UnmeasurableError, match=r"too little room \(1 kB free\)"):
        room(tmp_path, 1000)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(UnmeasurableError, match="There is no folder"):
        room(tmp_path / "none", 1)


def test_only_a_quarter_of_the_room_is_used(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 0, 4000))
    monkeypatch.setattr(module, "file_system", lambda _: "ext4")

    assert room(tmp_path, 1000) == 1000


def test_a_file_system_that_nodes_share_is_remarked_upon(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "file_system", lambda _: "lustre")

    assert "lustre, which other nodes may share" in remark_on(tmp_path)


def test_a_nameless_file_leaves_nothing_behind(tmp_path):
    file = nameless_file(tmp_path, 0)

    assert os.listdir(tmp_path) == []
    assert os.write(file, b"there all the same") == 18
    os.close(file)


def test_a_file_whose_flags_are_refused_leaves_nothing_behind(tmp_path, monkeypatch):
    real = os.open

    def refuse(*arguments):
        os.close(real(*arguments))
        raise OSError(22, "Invalid argument")

    monkeypatch.setattr(os, "open", refuse)

    with pytest.raises(OSError, match="Invalid argument"):
        nameless_file(tmp_path, 0)
    assert os.listdir(tmp_path) == []
