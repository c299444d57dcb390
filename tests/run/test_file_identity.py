"""What changes when a file or folder from outside changes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from pathlib import Path

import pytest

from longpole.run import file_identity
from longpole.run.file_identity import FileIdentities
from longpole.run.staging.trees import Part


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


class Eyes:
    """Identities with a clock that ticks each time it is looked at, and a count of looks at folders."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.looks, self.later_ns = 0, 0
        ticks: Iterator[int] = count()
        self.identities = FileIdentities(lambda: next(ticks) + self.later_ns)
        for name in ("parts_of", "_all_below"):
            monkeypatch.setattr(file_identity, name, self._counted(getattr(file_identity, name)))

    def _counted(self, look: Callable[[str], Iterable[Part]]) -> Callable[[str], Iterable[Part]]:
        def counted(path: str) -> Iterable[Part]:
            self.looks += 1
            return look(path)

        return counted


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> Eyes:
    return Eyes(monkeypatch)


def test_ten_tasks_look_at_a_folder_and_an_image_once(data: Path, eyes: Eyes) -> None:
    for _ in range(10):
        eyes.identities.of_input(str(data))
        eyes.identities.of_image(str(data))

    assert eyes.looks == 2


def test_a_folder_is_looked_at_again_after_fifty_times_as_long_as_that_took(data: Path, eyes: Eyes) -> None:
    before = eyes.identities.of_input(str(data))
    (data.parent / "pool/new").touch()
    eyes.later_ns = 40
    soon = eyes.identities.of_input(str(data))
    eyes.later_ns = 60
    later = eyes.identities.of_input(str(data))

    assert soon == before
    assert later != before
    assert eyes.looks == 2


def test_a_folder_that_is_another_one_is_looked_at_at_once(data: Path, eyes: Eyes) -> None:
    before = eyes.identities.of_input(str(data))
    data.rename(data.parent / "was")
    data.mkdir()

    assert eyes.identities.of_input(str(data)) != before


def test_what_tasks_make_is_looked_at_each_time(data: Path, eyes: Eyes) -> None:
    before = eyes.identities.of_made(str(data))
    (data.parent / "pool/new").touch()

    assert eyes.identities.of_made(str(data)) != before


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
