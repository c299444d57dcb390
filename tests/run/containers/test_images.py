"""What is taken for an image, and what is not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.model.containers import ContainerError
from longpole.run.containers.images import ImageKind, check_root, kind_of, within
from tests.images import make_root, make_squashfs
from tests.parts import need


@pytest.fixture(scope="module")
def squashfs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    need("squashfs")
    folder = tmp_path_factory.mktemp("images")
    return make_squashfs(make_root(folder / "root"), folder / "called.txt")


def refusal(image: Path | str) -> str:
    with pytest.raises(ContainerError) as refused:
        kind_of(str(image))
    assert refused.value.exit_code == 1
    assert str(image) in str(refused.value)
    return str(refused.value)


def test_a_squashfs_is_known_by_what_it_holds(squashfs: Path) -> None:
    assert kind_of(str(squashfs)) is ImageKind.SQUASHFS


def test_a_directory_is_one_even_if_it_is_called_like_a_reference(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "localhost" / "name").mkdir(parents=True)

    assert kind_of("localhost/name") is ImageKind.DIRECTORY
    assert kind_of("localhost/other") is ImageKind.REFERENCE
    assert kind_of("docker://debian:12") is ImageKind.REFERENCE


def test_a_sif_is_known_by_its_magic(tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(b"#!/usr/bin/env run-singularity\n\0" + b"SIF_MAGIC\0" + bytes(100))

    assert kind_of(str(image)) is ImageKind.SIF


def test_what_is_not_there_is_said_with_what_an_image_may_be(tmp_path: Path) -> None:
    said = refusal(tmp_path / "image.sqfs")

    assert "There is no image" in said
    assert "squashfs file" in said


@pytest.mark.parametrize("content", [b"", b"just a text\n", b"\x7fELF" + bytes(200)])
def test_another_file_is_no_image_whatever_its_name(tmp_path: Path, content: bytes) -> None:
    image = tmp_path / "image.sqfs"
    image.write_bytes(content)

    assert "is no image" in refusal(image)


def test_a_pipe_is_no_image_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "image.sqfs")

    assert "is no image" in refusal(tmp_path / "image.sqfs")


@pytest.mark.parametrize("kept", [10, 95, 96, 1000, -1])
def test_a_squashfs_that_was_cut_off_is_damaged(squashfs: Path, tmp_path: Path, kept: int) -> None:
    image = tmp_path / "cut.sqfs"
    image.write_bytes(squashfs.read_bytes()[:4096][:kept] if kept > 0 else squashfs.read_bytes()[:-5000])

    assert "is damaged" in refusal(image)


def test_a_squashfs_of_an_old_version_is_not_read(squashfs: Path, tmp_path: Path) -> None:
    content = bytearray(squashfs.read_bytes())
    content[28:32] = (3).to_bytes(2, "little") + (1).to_bytes(2, "little")
    image = tmp_path / "old.sqfs"
    image.write_bytes(content)

    assert "version 3.1" in refusal(image)


def test_a_directory_without_a_shell_is_no_root(tmp_path: Path) -> None:
    with pytest.raises(ContainerError, match="has no /bin/sh"):
        check_root(str(tmp_path), "the image")

    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").write_text("no program")
    with pytest.raises(ContainerError, match="is no program"):
        check_root(str(tmp_path), "the image")


def test_links_of_an_image_lead_to_its_own_files(tmp_path: Path) -> None:
    (tmp_path / "usr" / "bin").mkdir(parents=True)
    (tmp_path / "bin").symlink_to("/usr/bin")
    (tmp_path / "usr" / "bin" / "sh").symlink_to("../../../../usr/bin/dash")
    (tmp_path / "round").symlink_to("round")

    assert within(str(tmp_path), "/bin/sh") == str(tmp_path / "usr" / "bin" / "dash")
    assert within(str(tmp_path), "/../../etc/passwd") == str(tmp_path / "etc" / "passwd")
    assert within(str(tmp_path), "/round/x").startswith(str(tmp_path))
    with pytest.raises(ContainerError, match="has no /bin/sh"):
        check_root(str(tmp_path), "the image")
