"""Choosing runs: where they are, which there are, which is meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.errors import RunNotFoundError
from longpole.model.manifest import State
from longpole.record.rundir import find_runs_folder
from longpole.store.selection import find_run, list_runs, runs_folder
from tests.builders import HandmadeRun


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder of three runs, made in another order than they started in."""
    folder = tmp_path / "runs"
    HandmadeRun(folder, "bbbb2222", "train", stamp="20260102T000000Z")
    HandmadeRun(folder, "aaaa1111", "train", stamp="20260101T000000Z")
    HandmadeRun(folder, "aaab3333", "infer", stamp="20260103T000000Z", user=-7)
    return folder


def ids(folder) -> list[str]:
    return [entry.manifest.id for entry in list_runs(folder)]


def test_runs_are_listed_the_newest_last(runs):
    assert ids(runs) == ["aaaa1111", "bbbb2222", "aaab3333"]


def test_what_is_no_run_is_not_listed(runs):
    (runs / "notes").mkdir()
    (runs / "file").touch()
    (runs / "link").symlink_to(runs / "20260101T000000Z-train-aaaa1111")
    (runs / ".leaving").mkdir()
    (runs / ".leaving" / "run.json").touch()

    assert len(ids(runs)) == 3


def test_a_folder_that_is_not_there_has_no_runs(tmp_path):
    assert list_runs(tmp_path / "nosuch") == ()


def test_a_broken_run_is_listed_with_its_problem(runs):
    (runs / "20260102T000000Z-train-bbbb2222" / "run.json").write_text("{")

    entry = list_runs(runs)[1]

    assert (entry.manifest.id, entry.manifest.name, entry.state) == ("bbbb2222", "train", State.BROKEN)
    assert "is not a manifest" in entry.problem


@pytest.mark.parametrize(
    ("wanted", "identity"),
    [
        ("aaaa1111", "aaaa1111"),
        ("bb", "bbbb2222"),
        ("aaab", "aaab3333"),
        ("20260103", "aaab3333"),
        ("20260101T000000Z-train-aaaa1111", "aaaa1111"),
        ("latest", "bbbb2222"),
        ("latest:train", "bbbb2222"),
    ],
)
def test_a_run_is_found_by_what_people_call_it(runs, wanted, identity):
    assert find_run(wanted, runs).name.endswith(identity)


def test_a_run_is_found_by_its_path_from_anywhere(runs, tmp_path, monkeypatch):
    path = next(runs.iterdir())
    monkeypatch.chdir(runs)

    assert find_run(str(path), tmp_path / "other") == path
    assert find_run(f"./{path.name}", tmp_path / "other") == path
    assert find_run(path.name, tmp_path / "other") == path
    monkeypatch.chdir(path)
    assert find_run(".", tmp_path / "other") == path


@pytest.mark.parametrize("wanted", ["", "cccc", "latest:nosuch", "latest:", "aaaa11112"])
def test_a_run_that_is_not_there_says_where_it_was_looked_for(runs, wanted):
    if wanted == "latest:":
        assert find_run(wanted, runs).name.endswith("bbbb2222")
        return
    with pytest.raises(RunNotFoundError, match="No run") as caught:
        find_run(wanted, runs)

    assert str(runs) in str(caught.value)
    assert caught.value.exit_code == 2


@pytest.mark.parametrize("wanted", ["./nosuch", "/etc"])
def test_a_path_that_is_no_run_says_why(runs, wanted):
    with pytest.raises(RunNotFoundError, match="is not a run"):
        find_run(wanted, runs)


def test_a_beginning_of_several_runs_names_them(runs):
    with pytest.raises(RunNotFoundError, match="could be any of 2 runs") as caught:
        find_run("aaa", runs)

    assert caught.value.matches == ("aaaa1111", "aaab3333")


def test_the_latest_of_others_is_not_mine(runs):
    with pytest.raises(RunNotFoundError):
        find_run("latest:infer", runs)


def test_the_folder_of_runs_is_the_one_the_recorder_writes_to(tmp_path, monkeypatch):
    monkeypatch.delenv("LONGPOLE_RUNS", raising=False)
    deep = tmp_path / "project" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)

    assert runs_folder() == deep / ".longpole" / "runs" == Path(find_runs_folder())

    (tmp_path / "project" / ".longpole" / "runs").mkdir(parents=True)
    assert runs_folder() == tmp_path / "project" / ".longpole" / "runs" == Path(find_runs_folder())

    monkeypatch.setenv("LONGPOLE_RUNS", "elsewhere")
    assert runs_folder() == deep / "elsewhere" == Path(find_runs_folder())
    assert runs_folder("given") == deep / "given" == Path(find_runs_folder("given"))
