"""Results in a user's folder: a directory is replaced as a whole, and nothing of the user's is removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from longpole.model.staging import Item, StagingError
from longpole.run.staging import results
from longpole.run.staging.results import NOTES, ResultsWay


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def deliver(out: Path, *names: str, of: str = "model/") -> None:
    """Deliver a directory with these files."""
    made = out.parent / f"made-{'-'.join(names)}"
    for name in names:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(name)
    ResultsWay().bring([Item(of, f"{made}/")], str(out))


def files(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.is_file() and NOTES not in path.parts)
    return sorted(str(path.relative_to(folder)) for path in found)


def test_a_directory_takes_the_place_of_what_an_earlier_run_has_put_there(out: Path) -> None:
    deliver(out, "a", "b")
    deliver(out, "a", "c/d")

    assert files(out) == ["model/a", "model/c/d"]


def test_a_directory_within_another_leaves_what_is_beside_it(out: Path) -> None:
    (out / "all").mkdir(parents=True)
    (out / "all/mine").touch()
    deliver(out, "a", of="all/model/")
    deliver(out, "b", of="all/model/")

    assert files(out) == ["all/mine", "all/model/b"]


def test_an_empty_directory_is_replaced(out: Path) -> None:
    (out / "model").mkdir(parents=True)
    deliver(out, "a")

    assert files(out) == ["model/a"]


@pytest.mark.parametrize("mine", ["model/mine", "model/a", "model/deep/mine"])
def test_a_directory_in_which_a_user_has_changed_something_stays(out: Path, mine: str) -> None:
    deliver(out, "a", "b", "deep/x")
    (out / mine).write_text("written by hand")
    before = files(out)

    with pytest.raises(StagingError, match=r"out/model: it has something in it that no run has put there\. "):
        deliver(out, "a", "c")

    assert files(out) == before


@pytest.mark.parametrize("name", ["model", "model/", "model/sub/", "model/a"])
def test_what_lies_where_no_run_has_put_anything_stays(out: Path, name: str) -> None:
    out.mkdir()
    taken = out / "model"
    if name in ("model/sub/", "model/a"):
        taken.write_text("a file")
    else:
        taken.mkdir()
        (taken / "mine").touch()
    (out.parent / "made").mkdir()
    (out.parent / "made/x").touch()
    item = Item(name, f"{out.parent}/made/" if name.endswith("/") else f"{out.parent}/made/x")

    with pytest.raises(StagingError, match=r"Results cannot go to \S+/out/model: it .*--out\."):
        ResultsWay().bring([item], str(out))

    assert files(out) in (["model"], ["model/mine"])


def test_a_link_to_a_directory_stays(out: Path) -> None:
    (out.parent / "large").mkdir()
    out.mkdir()
    (out / "model").symlink_to("../large")

    with pytest.raises(StagingError):
        deliver(out, "a")

    assert (out / "model").is_symlink()


def test_who_is_killed_between_two_directories_can_deliver_again(
    out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    deliver(out, "a")
    monkeypatch.setattr(results, "settle", die)
    with pytest.raises(KeyboardInterrupt):
        deliver(out, "b")
    monkeypatch.undo()
    deliver(out, "c")

    assert files(out) == ["model/c"]


def test_files_are_replaced_and_leave_no_notes(out: Path) -> None:
    out.mkdir()
    (out / "total").write_text("old")
    (out.parent / "total").write_text("new")

    ResultsWay().bring([Item("total", str(out.parent / "total"))], str(out))

    assert (out / "total").read_text() == "new"
    assert os.listdir(out) == ["total"]
