"""The scratch of a run: what bears no mark of ours is neither worked in nor removed."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.errors import UsageError
from longpole.run.scratch import remove_scratch, take_scratch


def test_a_scratch_is_made_taken_again_and_removed(tmp_path: Path) -> None:
    scratch = tmp_path / "0badcafe"

    take_scratch(str(scratch))
    (scratch / "1.1").mkdir()
    take_scratch(str(scratch))
    remove_scratch(str(scratch))

    assert not scratch.exists()


@pytest.mark.parametrize("name", ["Documents", "0badcafe"])
def test_a_folder_that_was_there_before_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    (tmp_path / name / "letter").touch()

    with pytest.raises(UsageError, match="was not made by this run"):
        take_scratch(str(tmp_path / name))
    remove_scratch(str(tmp_path / name))

    assert (tmp_path / name / "letter").exists()


def test_a_removal_that_is_cut_short_leaves_a_scratch_that_can_be_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "0badcafe"
    take_scratch(str(scratch))
    for name in ("1.1", "2.1", "3.1"):
        (scratch / name).mkdir()
        (scratch / f"{name}.message").touch()
    removed: list[str] = []

    def killed(path: str, **_: object) -> None:
        removed.append(path)
        raise KeyboardInterrupt

    monkeypatch.setattr("shutil.rmtree", killed)
    with pytest.raises(KeyboardInterrupt):
        remove_scratch(str(scratch))
    take_scratch(str(scratch))

    assert removed != [str(scratch)]


def test_what_cannot_be_removed_keeps_its_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "0badcafe"
    take_scratch(str(scratch))
    (scratch / "1.1").mkdir()

    with monkeypatch.context() as patched:
        patched.setattr("shutil.rmtree", lambda path, **_: None)
        remove_scratch(str(scratch))
    take_scratch(str(scratch))
    remove_scratch(str(scratch))

    assert not scratch.exists()


def test_a_folder_that_is_not_called_like_a_run_is_not_removed(tmp_path: Path) -> None:
    take_scratch(str(tmp_path / "Documents"))

    remove_scratch(str(tmp_path / "Documents"))

    assert (tmp_path / "Documents").exists()


def test_a_link_to_another_scratch_is_not_followed(tmp_path: Path) -> None:
    take_scratch(str(tmp_path / "0badcafe"))
    (tmp_path / "1badcafe").symlink_to(tmp_path / "0badcafe")

    with pytest.raises(UsageError):
        take_scratch(str(tmp_path / "1badcafe"))
    remove_scratch(str(tmp_path / "1badcafe"))

    assert (tmp_path / "0badcafe").exists()
