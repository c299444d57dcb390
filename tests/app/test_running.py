"""The launcher: which runs stay when their driver could not run the workflow."""

from __future__ import annotations

from pathlib import Path

import pytest

from longpole.app import running
from longpole.errors import USAGE, UsageError
from longpole.run.journal import Journal
from longpole.run.request import Request
from tests.run.test_journal import DRIVER


@pytest.fixture
def run_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a run whose driver will say that its workflow cannot be run."""
    path = tmp_path / "20260101T000000Z-made-00000001"
    (path / "log").mkdir(parents=True)
    monkeypatch.setattr(running, "_drive", lambda *_: USAGE)
    return path


@pytest.mark.parametrize("begun", [False, True])
def test_a_run_is_removed_only_if_nothing_of_it_was_begun(run_path: Path, begun: bool) -> None:
    journal = Journal(str(run_path), {}, {})
    journal.begin(DRIVER)
    if begun:
        journal.start(journal.plan_auxiliary("create_dir", "create_dir"), 1, 1, 1)
    journal.close()

    assert running.begin_in(str(run_path), Request("made.yaml"), ()) == USAGE

    assert run_path.exists() is begun


def test_a_run_whose_log_cannot_be_read_stays(run_path: Path) -> None:
    (run_path / "log" / "here-driver-0").write_text("this is no log")

    running.begin_in(str(run_path), Request("made.yaml"), ())

    assert run_path.exists()


def test_what_cannot_be_written_down_is_refused_before_there_is_a_run(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not UTF-8"):
        running.begin(Request("caf\udce9/made.yaml"), "made", str(tmp_path / "runs"), ())

    assert list(tmp_path.iterdir()) == []
