"""``longpole import`` of a real Slurm's jobs: the run says what sacct says, to the second."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from longpole.app.main import cli
from longpole.store.run import StoredRun, open_run
from tests.slurm import Slurm

_FIELDS = "NodeList,JobID,State,Submit,Eligible,Start,End"
_ENDED = {"steps": "COMPLETED", "array": "COMPLETED", "first": "COMPLETED", "second": "COMPLETED"}
_OTHERS = {"fails": "FAILED", "stopped": "CANCELLED", "held": "CANCELLED", "again": "COMPLETED"}
Sentence = tuple[Any, ...]


@pytest.fixture(scope="module")
def jobs(slurm: Slurm) -> dict[str, str]:
    """Ids of jobs of all sorts, by name; they have ended."""

    def submit(name: str, script: str, *options: str) -> str:
        return slurm.submit(script, options=["--job-name", name, *options])

    found = {
        "again": submit("again", '[ -n "$SLURM_RESTART_COUNT" ] || sleep 60'),
        "stopped": submit("stopped", "sleep 60"),
        "held": submit("held", "true", "--hold"),
        "first": submit("first", "sleep 1"),
        "fails": submit("fails", "exit 3"),
        "steps": submit("steps", "srun --ntasks=2 sleep 1\nsrun --ntasks=1 true", "--ntasks=2"),
    }
    found["second"] = submit("second", "true", f"--dependency=afterok:{found['first']}")
    found["array"] = submit("array", "sleep 1", "--array=0-2")
    for name in ("again", "stopped"):
        slurm.until(found[name], "RUNNING")
    slurm.requeue(found["again"])
    slurm.ask("scancel", found["stopped"], found["held"])
    states = slurm.wait(*found.values())
    for name, state in {**_ENDED, **_OTHERS}.items():
        assert {had for job, had in states.items() if job.partition("_")[0] == found[name]} == {state}
    return found


@pytest.fixture(autouse=True)
def _there(slurm: Slurm, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SLURM_CONF", str(slurm.conf))
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))


def _imported(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[StoredRun, list[str]]:
    assert cli(["import", *arguments, "--json"]) == 0, capsys.readouterr().err
    facts = json.loads(capsys.readouterr().out)
    return open_run(Path(facts["path"])), facts["gaps"]


def _rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def _as_sacct_prints(slurm: Slurm, *options: str) -> list[Sentence]:
    """Return job, state, and times in seconds of each attempt, read on our own.

    A job that was cancelled before it had nodes has a start in there, that of its end.
    """
    said = slurm.call("sacct", "-XnDP", f"-o{_FIELDS}", *options, env={"TZ": "UTC"}, prefix=()).stdout
    rows = [line.split("|") for line in said.splitlines()]
    found = []
    for nodes, job, state, submit, eligible, start, end in rows:
        began = "None" if nodes == "None assigned" else start
        found.append((job, state.split()[0], *map(_seconds, (submit, eligible, began, end))))
    return sorted(found)


def _seconds(text: str) -> int:
    if text in ("Unknown", "None"):
        return 0
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _as_the_run_has_it(run: StoredRun) -> list[Sentence]:
    times = "job.start_ns // 1000000000, queue.start_ns // 1000000000, exec.start_ns // 1000000000"
    of = "ON {0}.parent = job.id AND {0}.kind = '{0}'"
    facts = "job.attributes->>'$.job', job.attributes->>'$.state'"
    joined = " ".join(f"LEFT JOIN phases {kind} {of.format(kind)}" for kind in ("queue", "exec"))
    told = f"{facts}, {times}, job.end_ns // 1000000000 AS ended FROM phases job {joined}"
    found = _rows(run, f"SELECT {told} WHERE job.kind = 'job'")
    return sorted(tuple(0 if cell is None else cell for cell in row) for row in found)


def test_jobs_are_as_sacct_prints_them(
    slurm: Slurm, jobs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, gaps = _imported(capsys, "--slurm", *jobs.values())

    told = _as_the_run_has_it(run)
    assert told == _as_sacct_prints(slurm, f"-j{','.join(jobs.values())}")
    assert len(told) == 11
    assert gaps == []


def test_job_that_was_requeued_has_two_attempts(
    jobs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = _imported(capsys, "--slurm", jobs["again"])

    of = "FROM phases WHERE kind = 'job' ORDER BY attempt"
    assert _rows(run, f"SELECT attempt, status, attributes->>'$.state' {of}") == [
        (1, "failed", "REQUEUED"),
        (2, "ok", "COMPLETED"),
    ]


def test_steps_of_srun_lie_in_the_execution(
    slurm: Slurm, jobs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    run, _ = _imported(capsys, "--slurm", jobs["steps"])

    of = "FROM phases step JOIN phases ON step.parent = phases.id AND phases.kind = 'exec'"
    found = _rows(run, f"SELECT step.attributes->>'$.step', step.status {of} WHERE step.kind = 'jobstep'")
    printed = slurm.ask("sacct", "-nP", "-oJobID", f"-j{jobs['steps']}").split()
    assert {step for step, _ in found} == {job.partition(".")[2] for job in printed if "." in job}
    assert {"batch", "0", "1"} <= {step for step, _ in found}
    assert {status for _, status in found} == {"ok"}


def test_dependency_is_an_edge(jobs: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    run, _ = _imported(capsys, "--slurm", *jobs.values())

    named = "FROM edges JOIN tasks b ON from_task = b.id JOIN tasks a ON to_task = a.id"
    assert _rows(run, f"SELECT b.name AS b, a.name AS a, kind {named}") == [("first", "second", "control")]


@pytest.mark.parametrize("form", ["--parsable2", "--json"])
def test_file_tells_the_same(
    slurm: Slurm,
    jobs: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    form: str,
) -> None:
    chosen = ["-D", f"-j{','.join(jobs.values())}"]
    columns = [f"--format={_FIELDS},SubmitLine"]
    said = slurm.ask("sacct", form, *chosen, *(columns if form == "--parsable2" else []))
    (tmp_path / "jobs").write_text(said)

    run, gaps = _imported(capsys, str(tmp_path / "jobs"))

    assert _as_the_run_has_it(run) == _as_sacct_prints(slurm, *chosen)
    assert len(gaps) == 1
    assert ("without a zone" if form == "--parsable2" else "no dependency") in gaps[0]


def test_since_are_the_jobs_of_this_user_alone(
    slurm: Slurm, jobs: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    since = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(time.time() - 60))
    own = slurm.call("sbatch", "--parsable", "--wrap=true", prefix=()).stdout.strip()
    slurm.wait(own)

    run, _ = _imported(capsys, "--since", since)

    told = _as_the_run_has_it(run)
    assert told == _as_sacct_prints(slurm, "-S", since, "-u", "root")
    assert own in {job for job, *_ in told}
    assert not set(jobs.values()) & {job for job, *_ in told}


def test_array_that_still_waits_is_a_task_for_each_element(
    slurm: Slurm, capsys: pytest.CaptureFixture[str]
) -> None:
    job = slurm.submit("true", options=["--hold", "--array=1-5:2"])
    slurm.until_accounted(job)
    try:
        run, gaps = _imported(capsys, "--slurm", job)
    finally:
        slurm.ask("scancel", job)

    assert [row[0] for row in _as_the_run_has_it(run)] == [f"{job}_{element}" for element in (1, 3, 5)]
    assert gaps == ["3 jobs had not ended when sacct was asked."]


def test_accounting_that_is_down_gets_a_sentence_with_a_way_on(
    slurm: Slurm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lines = slurm.conf.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("AccountingStoragePort=")]
    (tmp_path / "slurm.conf").write_text("\n".join([*kept, "AccountingStoragePort=1", ""]))
    monkeypatch.setenv("SLURM_CONF", str(tmp_path / "slurm.conf"))

    assert cli(["import", "--slurm", "1"]) == 3
    said = capsys.readouterr().err
    assert "sacct did not answer: " in said
    assert "Connection refused" in said
    assert "longpole import jobs.txt" in said
    assert not (tmp_path / "runs").exists()
