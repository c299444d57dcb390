"""A root is put together so that every folder can be mounted in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.run.containers.layout import root_arguments


@pytest.fixture
def image(tmp_path: Path) -> Path:
    for name in ("bin", "dev", "home/one", "proc", "tmp", "var/lib/x", "var/log"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "lib").symlink_to("usr/lib")
    (tmp_path / "marker").write_text("")
    return tmp_path


def shown(image: Path, *points: str) -> set[tuple[str, ...]]:
    """Return what is done at which path, without the image's own path."""
    arguments = [part.replace(str(image), "IMAGE") for part in root_arguments(str(image), points)]
    found, place = set(), 0
    while place < len(arguments):
        width = 2 if arguments[place] == "--dir" else 3
        found.add(tuple(arguments[place : place + width]))
        place += width
    return found


@pytest.mark.parametrize("points", [(), ("/home/one",), ("/tmp/anything/at/all", "/dev/shm/x")])
def test_an_image_that_has_all_directories_is_mounted_as_a_whole(
    image: Path, points: tuple[str, ...]
) -> None:
    assert shown(image, *points) == {("--ro-bind", "IMAGE", "/")}


def test_a_missing_directory_at_the_top_makes_a_new_top(image: Path) -> None:
    assert shown(image, "/scratch/job") == {
        ("--ro-bind", "IMAGE/bin", "/bin"),
        ("--ro-bind", "IMAGE/home", "/home"),
        ("--ro-bind", "IMAGE/marker", "/marker"),
        ("--ro-bind", "IMAGE/var", "/var"),
        ("--symlink", "usr/lib", "/lib"),
    }


def test_a_missing_directory_deeper_makes_those_above_it_new(image: Path) -> None:
    found = shown(image, "/var/lib/job")

    assert {("--dir", "/var"), ("--dir", "/var/lib"), ("--ro-bind", "IMAGE/var/lib/x", "/var/lib/x")} <= found
    assert ("--ro-bind", "IMAGE/var/log", "/var/log") in found
    assert ("--ro-bind", "IMAGE/var", "/var") not in found


def test_a_link_on_the_way_becomes_a_directory(image: Path) -> None:
    found = shown(image, "/lib/job")

    assert ("--dir", "/lib") in found
    assert not [what for what in found if what[0] == "--symlink"]


def test_an_image_without_proc_or_tmp_gets_them(image: Path) -> None:
    (image / "proc").rmdir()

    assert ("--ro-bind", "IMAGE", "/") not in shown(image)
