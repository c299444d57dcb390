"""``longpole import``: a run of what sacct printed, shown like any other."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from longpole.app.main import cli
from longpole.store.selection import find_run
from tests.builders import HandmadeRun

TEXT = """\
JobID|JobName|State|ExitCode|Submit|Eligible|Start|End|UserCPU|SystemCPU|MaxRSS|AllocCPUS|NodeList|SubmitLine
1|prepare|COMPLETED|0:0|1000|1000|1001|1011|00:08.000|00:01.000||1|n1|sbatch prepare.sh
1.batch|batch|COMPLETED|0:0|||1001|1011|00:08.000|00:01.000|102400K|1|n1|
2_1|train|COMPLETED|0:0|1000|1011|1015|1115|01:30.000|00:02.000||2|n1|sbatch --dependency=afterok:1 t.sh
2_2|train|FAILED|1:0|1000|1011|1020|1030|00:05.000|00:00.500||2|n2|sbatch --dependency=afterok:1 t.sh
"""


@pytest.fixture
def jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    file = tmp_path / "jobs.txt"
    file.write_text(TEXT)
    return file


def test_imported_run_is_shown_with_its_tasks(jobs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["import", str(jobs)]) == 0
    assert "3 tasks" in capsys.readouterr().out

    assert cli(["show"]) == 0
    shown = capsys.readouterr().out
    assert "Tasks" in shown
    assert "prepare" in shown
    assert "Slurm accounting" in shown


def test_json_names_the_run_and_its_overview_has_the_tasks(
    jobs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(["import", str(jobs), "--name", "night", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["rows"]["tasks"], facts["rows"]["edges"], facts["gaps"]) == (3, 2, [])

    assert cli(["show", facts["run"], "--json"]) == 0
    overview = json.loads(capsys.readouterr().out)
    train, prepare = overview["tasks"]
    assert (overview["name"], overview["makespan_s"]) == ("night", 115.0)
    assert (train["type"], train["tasks"], train["failed"], train["queue_s"], train["hold_s"]) == (
        "train",
        2,
        1,
        13.0,
        22.0,
    )
    assert (prepare["exec_s"], prepare["peak_memory_bytes"]) == (10.0, 102400 * 1024)


def test_tables_hold_what_was_told(jobs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli(["import", str(jobs)])
    capsys.readouterr()

    named = "FROM edges JOIN tasks b ON from_task = b.id JOIN tasks a ON to_task = a.id"
    sql = f"SELECT b.name AS b, a.name AS a {named}"
    assert cli(["query", "latest", sql, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows == [{"b": "prepare", "a": "train"}] * 2


def test_import_reads_standard_input(
    jobs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with jobs.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert cli(["import", "-"]) == 0
    assert "3 tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Give a file or directory"),
        (["--slurm"], 2, "needs ids"),
        (["--slurm", "x; rm"], 2, "is not the id"),
        (["/nowhere/jobs.txt"], 2, "Cannot read /nowhere/jobs.txt"),
        (["--timezone", "Mars/Base", "jobs"], 2, "no time zone"),
        (["/", "/tmp"], 2, "imported alone"),
        (["--slurm", "1"], 3, "There is no sacct here."),
    ],
)
def test_what_cannot_be_imported_gets_a_sentence(
    jobs: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    monkeypatch.setenv("PATH", str(jobs.parent))

    assert cli(["import", *arguments]) == code
    assert said in capsys.readouterr().err
    assert not (jobs.parent / "runs").exists()


def _sacct(folder: Path, script: str) -> None:
    program = folder / "sacct"
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)


def test_sacct_is_asked_for_all_attempts_in_seconds_since_1970(
    jobs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _sacct(jobs.parent, f'echo "$SLURM_TIME_FORMAT" "$@" >{jobs.parent}/asked; tr "|" "\\037" <{jobs}')
    monkeypatch.setenv("PATH", f"{jobs.parent}:{os.environ['PATH']}")

    assert cli(["import", "--slurm", "1", "2_1"]) == 0
    asked = (jobs.parent / "asked").read_text()
    assert asked.startswith("%s")
    assert {"--duplicates", "--jobs=1,2_1"} <= set(asked.split())
    assert "3 tasks" in capsys.readouterr().out


def test_sacct_that_refuses_is_quoted_with_a_way_on(
    jobs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _sacct(jobs.parent, "echo Slurm accounting storage is disabled >&2; exit 1")
    monkeypatch.setenv("PATH", f"{jobs.parent}:{os.environ['PATH']}")

    assert cli(["import", "--since", "2026-11-01"]) == 3
    said = capsys.readouterr().err
    assert "Slurm accounting storage is disabled" in said
    assert "longpole import jobs.txt" in said


def test_sacct_that_does_not_answer_is_given_up_with_a_way_on(
    jobs: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _sacct(jobs.parent, "sleep 1000 & wait")  # as where sacct is a script around the real one
    monkeypatch.setenv("PATH", f"{jobs.parent}:{os.environ['PATH']}")
    began = time.monotonic()

    assert cli(["import", "--slurm", "1", "--wait", "0.5"]) == 3
    assert time.monotonic() - began < 20
    said = capsys.readouterr().err
    assert "sacct has not answered within 0.5 s." in said
    assert "longpole import jobs.txt" in said


def test_run_that_cannot_be_written_leaves_nothing(jobs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (jobs.parent / "runs").write_text("in the way")

    assert cli(["import", str(jobs)]) == 3
    assert "Cannot write a run into" in capsys.readouterr().err


def test_imported_run_is_the_latest_whenever_it_ran(jobs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    HandmadeRun(jobs.parent / "runs", started="2026-01-01T00:00:00.000Z")
    for name in ("first", "second"):  # what they tell of was in 1970
        assert cli(["import", str(jobs), "--name", name]) == 0
    capsys.readouterr()

    assert find_run("latest", jobs.parent / "runs").name.split("-")[1] == "second"
    assert cli(["ls", "--json"]) == 0
    assert [run["name"] for run in json.loads(capsys.readouterr().out)["runs"]] == ["made", "first", "second"]


def test_imported_run_is_not_old_because_it_ran_long_ago(
    jobs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(["import", str(jobs)]) == 0
    assert cli(["gc", "--older-than", "1d"]) == 0

    assert "0 of 1 runs removed" in capsys.readouterr().err
