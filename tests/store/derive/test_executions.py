"""Commands that ran for a task another system told: where their processes lie."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from longpole.app.telling import Telling
from longpole.exchange.rows import Row, as_columns
from longpole.store.run import StoredRun, open_run

START_NS = 1_700_000_000_000_000_000


def phase(number: int, kind: str, attempt: int, parent: int | None = None) -> Row:
    times = {"start_ns": START_NS, "end_ns": START_NS + 1, "duration_ns": 1}
    known = {"id": number, "kind": kind, "attempt": attempt, "task": 8, "parent": parent}
    return {**known, **times, "name": "work", "count": 1, "status": "ok"}


@pytest.fixture
def telling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Telling:
    monkeypatch.delenv("LONGPOLE_RUN", raising=False)
    told = Telling("Snakemake", "flow", ["snakemake"], str(tmp_path / "runs"))
    told.tell("tasks", as_columns("tasks", [{"id": 8, "name": "work", "type": "work", "outcome": "ran"}]))
    return told


def execute(telling: Telling, task: str, **environment: str) -> None:
    record = [
        sys.executable,
        "-m",
        "longpole",
        "record",
        "--join",
        telling.path,
        "--task",
        task,
        "--",
        "true",
    ]
    subprocess.run(record, check=True, env={"PYTHONPATH": ":".join(sys.path), **environment})


def ended(telling: Telling) -> StoredRun:
    telling.end(failed=False)
    return open_run(Path(telling.path))


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


_ABOVE = """SELECT above.kind, above.attempt, phases.task, phases.attempt AS own FROM phases
    JOIN phases above ON above.id = phases.parent WHERE phases.kind = 'process'"""


def test_process_lies_in_the_execution_of_its_attempt(telling: Telling) -> None:
    tries = [phase(1, "job", 1), phase(2, "exec", 1, 1), phase(3, "job", 2), phase(4, "exec", 2, 3)]
    telling.tell("phases", as_columns("phases", tries))
    execute(telling, "Snakemake:8:2")

    run = ended(telling)

    assert rows(run, _ABOVE) == [("exec", 2, 1, 2)]
    assert rows(run, "SELECT count(*) AS n FROM tasks") == [(1,)]
    assert run.recording.commands == 0


def test_process_lies_in_the_submission_where_no_execution_was_told(telling: Telling) -> None:
    telling.tell("phases", as_columns("phases", [phase(1, "job", 1), phase(2, "submitted", 1, 1)]))
    execute(telling, "Snakemake:8:1")

    assert rows(ended(telling), _ABOVE) == [("submitted", 1, 1, 1)]


def test_each_restart_of_a_batch_system_has_its_own_execution(telling: Telling) -> None:
    told = [phase(1, "submitted", 1), phase(2, "exec", 1, 1), phase(3, "exec", 1, 1)]
    telling.tell("phases", as_columns("phases", told))
    execute(telling, "Snakemake:8:1", SLURM_JOB_ID="7", SLURM_RESTART_COUNT="1")

    run = ended(telling)

    assert rows(run, "SELECT parent - 1 AS told FROM phases WHERE kind = 'process'") == [(3,)]
    assert run.recording.gaps == ()


@pytest.mark.parametrize(
    "task", ["Snakemake:9:1", "Snakemake:8:7", "Nextflow:8:1", "of its own", ":::", "::"]
)
def test_command_of_a_task_that_nobody_told_is_one_of_its_own(telling: Telling, task: str) -> None:
    telling.tell("phases", as_columns("phases", [phase(1, "job", 1), phase(2, "exec", 1, 1)]))
    execute(telling, task)

    run = ended(telling)

    assert rows(run, _ABOVE) == [("exec", 1, 1, 1)]
    assert rows(run, "SELECT name FROM tasks ORDER BY id") == [("true",), ("work",)]
    assert rows(run, "SELECT DISTINCT task FROM phases WHERE name = 'work'") == [(2,)]


def test_told_rows_keep_their_parents_beside_commands(telling: Telling) -> None:
    telling.tell("phases", as_columns("phases", [phase(1, "job", 1), phase(2, "exec", 1, 1)]))
    execute(telling, "Snakemake:8:1")

    found = rows(ended(telling), "SELECT id, kind, parent FROM phases ORDER BY id")

    assert found == [(1, "run", None), (2, "job", 1), (3, "exec", 2), (4, "process", 3)]


def test_run_goes_on_between_commands_until_it_is_told_to_the_end(telling: Telling) -> None:
    execute(telling, "Snakemake:8:1")
    between = open_run(Path(telling.path)).state

    assert between == "running"
    assert ended(telling).state == "finished"
