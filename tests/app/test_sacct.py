"""Waiting for Slurm's accounts: jobs that they do not have yet are asked about again, but not for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from longpole.app import sacct
from longpole.app.sacct import await_accounts

LINES = """\
JobID|State|Submit|Start|End
7|RUNNING|1000|1001|Unknown
8|PENDING|1000|Unknown|Unknown
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(sacct, "_PAUSE_S", 0.01)
    (tmp_path / "lines").write_text(LINES)
    return tmp_path


def _sacct(folder: Path, script: str) -> None:
    program = folder / "sacct"
    program.write_text(f'#!/bin/sh\ncd {folder}\necho "$@" >> asked\n{script}\n')
    program.chmod(0o755)


def test_jobs_without_a_start_are_asked_about_again(folder: Path) -> None:
    later = "JobID|State|Submit|Start|End\\n8|COMPLETED|1000|1003|1004"
    _sacct(folder, f"if [ -e told ]; then printf '{later}\\n'; else touch told; cat lines; fi")

    found, reason = await_accounts(["7", "8"])

    assert [(entry.job, entry.state) for entry in found] == [("7", "RUNNING"), ("8", "COMPLETED")]
    assert reason == ""
    assert ["--jobs=7,8" in line for line in (folder / "asked").read_text().splitlines()] == [True, False]


def test_job_that_never_starts_is_not_waited_for_for_ever(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sacct, "_LAG_S", 0.05)
    _sacct(folder, "cat lines")

    found, reason = await_accounts(["7", "8"])

    assert {entry.job for entry in found} == {"7", "8"}
    assert reason == ""


def test_accounts_that_do_not_come_are_given_up_in_time(folder: Path) -> None:
    _sacct(folder, "sleep 1000")
    began = time.monotonic()

    assert await_accounts(["7"], limit_s=0.3) == ([], "sacct has not answered within 0.3 s.")
    assert time.monotonic() - began < 20


def test_nobody_is_asked_about_no_jobs(folder: Path) -> None:
    _sacct(folder, "exit 1")

    assert await_accounts([]) == ([], "")
    assert not (folder / "asked").exists()
