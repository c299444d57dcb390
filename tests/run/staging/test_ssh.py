"""What the way of ssh says when the other side cannot, and that many files start few processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.model.staging import Item, StagingError
from longpole.run.staging.ssh import SshWay
from tests.parts import need
from tests.run.staging.disks import small_tmpfs
from tests.run.staging.sshd import HOST, ssh_server


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    need("sshd")
    with ssh_server(tmp_path_factory.mktemp("sshd")) as options:
        yield options


def test_many_files_go_into_many_folders_over_one_connection(
    options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "job").mkdir()
    names = [f"f{number}" for number in range(1000)]
    for name in names:
        (tmp_path / "job" / name).write_text(name)
    there = {name: f"{tmp_path}/kept/{number % 7}/{name}" for number, name in enumerate(names)}
    way = SshWay(HOST, options=options)

    sent = way.send([Item(name, there[name]) for name in names], f"{tmp_path}/job")
    items = [Item(name, there[name], checksum=sent.checksums[name]) for name in names]
    back = way.bring(items, f"{tmp_path}/back")

    assert len(sent.transfers) == len(back.transfers) == 1
    assert sent.transfers[0].files == back.transfers[0].files == 1000
    assert sorted(os.listdir(tmp_path / "back")) == sorted(names)
    assert sent.checksums == back.checksums


def test_a_full_disk_there_is_told(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job/a").write_bytes(bytes(4_000_000))

    with small_tmpfs(tmp_path / "full") as full:
        with pytest.raises(StagingError, match=f"{full}/out at {HOST}") as raised:
            SshWay(HOST, options=options).send(
                [Item("a", f"{full}/out/a", size_bytes=4_000_000)], f"{tmp_path}/job"
            )
        assert list((full / "out").iterdir()) == []

    assert raised.value.full
    assert "4 MB needed" in str(raised.value)


def test_a_full_disk_here_is_told(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(4_000_000))

    with small_tmpfs(tmp_path / "full") as full:
        with pytest.raises(StagingError, match=str(full)) as raised:
            SshWay(HOST, options=options).bring([Item("a", f"{tmp_path}/a")], str(full))
        assert list(full.iterdir()) == []

    assert raised.value.full


def test_a_host_that_does_not_answer_is_told(tmp_path: Path) -> None:
    need("sshd")
    way = SshWay(HOST, options=("-F", "none", "-p", "9"))

    with pytest.raises(StagingError, match=f"No connection to {HOST}"):
        way.bring([Item("a", "/a")], f"{tmp_path}/job")


def test_a_key_that_is_not_known_is_told(options: tuple[str, ...], tmp_path: Path) -> None:
    others = [word if not word.endswith("/user") else "/dev/null" for word in options]

    with pytest.raises(StagingError, match="Permission denied"):
        SshWay(HOST, options=others).bring([Item("a", "/a")], f"{tmp_path}/job")


def test_a_folder_there_that_may_not_be_written_is_told(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    (tmp_path / "job/a").write_text("x")

    with pytest.raises(StagingError, match="Cannot move a by ssh"):
        SshWay(HOST, options=options).send([Item("a", "/proc/none/a")], f"{tmp_path}/job")
