"""Removing runs touches run directories of one folder, and nothing they point to."""

from __future__ import annotations

import os

import pytest

from longpole.errors import RunNotFoundError, UsageError
from longpole.store.removal import remove_run, run_bytes
from longpole.store.selection import list_runs
from tests.builders import RUNNING, HandmadeRun, small_run


@pytest.fixture
def runs(tmp_path):
    return tmp_path / "runs"


def test_a_run_is_removed_with_all_it_holds(runs):
    run = small_run(runs)
    run.open().table("phases")
    size = run_bytes(run.path)

    assert remove_run(run.path, runs) == size > 1000
    assert list(runs.iterdir()) == []


def test_what_a_run_points_to_stays(runs, tmp_path):
    run = small_run(runs)
    treasure = tmp_path / "treasure"
    treasure.mkdir()
    (treasure / "gold").write_text("gold")
    (run.path / "link").symlink_to(treasure)
    (run.path / "log" / "link").symlink_to(treasure / "gold")
    os.mkfifo(run.path / "log" / "pipe")

    remove_run(run.path, runs)

    assert (treasure / "gold").read_text() == "gold"


def test_a_link_to_a_run_is_no_run(runs, tmp_path):
    elsewhere = small_run(tmp_path / "elsewhere")
    runs.mkdir()
    (runs / "20260924T000000Z-made-0badcafe").symlink_to(elsewhere.path)

    with pytest.raises(RunNotFoundError):
        remove_run(runs / "20260924T000000Z-made-0badcafe", runs)

    assert elsewhere.path.is_dir()


@pytest.mark.parametrize("where", [".", "..", "deeper/20260924T000000Z-made-0badcafe"])
def test_only_folders_directly_in_the_folder_of_runs_are_removed(runs, where):
    small_run(runs)
    small_run(runs / "deeper")

    with pytest.raises(RunNotFoundError):
        remove_run(runs / where, runs)

    assert (runs / "deeper").is_dir()


def test_a_folder_that_is_no_run_stays(runs):
    (runs / "thesis").mkdir(parents=True)

    with pytest.raises(RunNotFoundError):
        remove_run(runs / "thesis", runs)


def test_a_run_still_going_stays_unless_forced(runs):
    run = HandmadeRun(runs, **RUNNING)
    run.log().__exit__()

    with pytest.raises(UsageError, match="still going"):
        remove_run(run.path, runs)
    assert len(list_runs(runs)) == 1

    remove_run(run.path, runs, even_running=True)
    assert list_runs(runs) == ()


def test_a_damaged_run_can_be_removed(runs):
    run = small_run(runs)
    (run.path / "run.json").write_text("{")

    remove_run(run.path, runs)

    assert list(runs.iterdir()) == []


def test_a_run_half_removed_is_not_listed(runs):
    run = small_run(runs)
    run.path.rename(runs / f".{run.path.name}.1234")

    assert list_runs(runs) == ()


def test_what_may_not_be_removed_is_said(runs, monkeypatch):
    run = small_run(runs)

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("longpole.store.removal.os.rename", refuse)

    with pytest.raises(UsageError, match="Permission denied"):
        remove_run(run.path, runs)
