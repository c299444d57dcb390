"""Progress of long work, where a person is looking."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from longpole.app.main import cli
from longpole.app.progress import progress
from tests.exchange.wfformat_instances import document


class Terminal(io.StringIO):
    """What a person looks at."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Return what stands for standard error from now on; no fixture, as pytest sets its own for each test."""
    made = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_terminal_shows_what_is_done(monkeypatch: pytest.MonkeyPatch):
    seen = terminal(monkeypatch)

    with progress("Counting", 2) as done:
        done(1)
        done(1)

    assert "Counting" in seen.getvalue()


def test_without_a_terminal_nothing_is_written(capsys: pytest.CaptureFixture[str]):
    with progress("Counting", 2) as done:
        done(1)

    assert capsys.readouterr() == ("", "")


def test_import_and_explain_show_progress_beside_what_they_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "made.json"
    file.write_text(json.dumps(document({"a": [], "b": ["a"]})))
    seen = terminal(monkeypatch)

    assert cli(["import", str(file), "--runs", str(tmp_path)]) == 0
    assert cli(["explain", "--runs", str(tmp_path), "--json"]) == 0

    assert "Importing" in seen.getvalue()
    assert "Explaining" in seen.getvalue()
    assert "Explaining" not in capsys.readouterr().out
