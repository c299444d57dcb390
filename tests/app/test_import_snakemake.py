"""``longpole import`` of a directory in which Snakemake has run: what is still known, whatever lies there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest

from longpole.app.main import cli
from longpole.store.run import StoredRun, open_run
from tests.parts import need

LONG = "deep/" + "x" * 400 + ".txt"
LOG = """\
[Sun Nov 15 19:15:46 2026]
rule work:
    input: raw.txt
    output: mid.txt
    jobid: 1
    benchmark: bench.tsv
    wildcards: s=a
    threads: 4
[Sun Nov 15 19:15:48 2026]
Error in rule work:
    jobid: 1
[Sun Nov 15 19:15:50 2026]
rule work:
    input: raw.txt
    output: mid.txt
    jobid: 1
    benchmark: bench.tsv
    wildcards: s=a
    threads: 4
[Sun Nov 15 19:15:53 2026]
Finished jobid: 1 (Rule: work)
[Sun Nov 15 19:15:54 2026]
localrule all:
    input: mid.txt
    jobid: 0
[Sun Nov 15 19:15:54 2026]
Finished jobid: 0 (Rule: all)
"""


@pytest.fixture
def flow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    monkeypatch.setenv("TZ", "UTC")
    for name in ("metadata", "log", "incomplete"):
        (tmp_path / "flow" / ".snakemake" / name).mkdir(parents=True)
    return tmp_path / "flow"


def record(flow: Path, output: str, **facts: Any) -> Path:
    """Write the record of an output as Snakemake does, long names in parts."""
    name = urlsafe_b64encode(output.encode()).decode()
    parts = [name[at : at + 254] for at in range(0, len(name), 254)]
    path = flow.joinpath(".snakemake", "metadata", *(f"@{part}" for part in parts[:-1]), parts[-1])
    path.parent.mkdir(parents=True, exist_ok=True)
    known = {"rule": "work", "input": [], "shellcmd": f"make {output}", "job_hash": 7, "params": []}
    path.write_text(json.dumps({**known, "starttime": 1794770150.25, "endtime": 1794770152.5, **facts}))
    return path


def imported(flow: Path, capsys: pytest.CaptureFixture[str]) -> tuple[StoredRun, str]:
    assert cli(["import", str(flow), "--json"]) == 0, capsys.readouterr().err
    facts = json.loads(capsys.readouterr().out)
    return open_run(Path(facts["path"])), " ".join(facts["gaps"])


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def test_records_give_tasks_times_files_and_edges(flow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (flow / "mid.txt").write_text("12345")
    record(flow, "mid.txt", input=["raw.txt"], shellcmd="PASSWORD=hunter2 make")
    record(flow, "side.txt", input=["raw.txt"], shellcmd="PASSWORD=hunter2 make", endtime=1794770153.5)
    record(flow, LONG, rule="end", input=["mid.txt"], starttime=1794770154, endtime=1794770155)

    run, gaps = imported(flow, capsys)

    assert rows(run, "SELECT name, type FROM tasks") == [("work mid.txt", "work"), (f"end {LONG}", "end")]
    ran = "SELECT start_ns, duration_ns, status FROM phases WHERE kind = 'exec' ORDER BY id"
    assert rows(run, ran)[0] == (1794770150_250000000, 3_250000000, "ok")
    tasks = "JOIN tasks b ON from_task = b.id JOIN tasks a ON to_task = a.id"
    edges = f"FROM edges {tasks} JOIN files ON file = files.id"
    assert rows(run, f"SELECT b.type AS b, a.type AS a, files.name, edges.bytes {edges}") == [
        ("work", "end", "mid.txt", 5)
    ]
    [(shell,)] = rows(
        run, "SELECT attributes->>'$.shell' AS s FROM phases WHERE kind = 'job' ORDER BY id LIMIT 1"
    )
    assert shell == "PASSWORD=*** make"
    assert "no log" in gaps
    assert "no times of waiting" in gaps


def test_log_adds_wildcards_failed_tries_and_jobs_without_outputs(
    flow: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (flow / ".snakemake" / "log" / "2026-11-15T191544.941809.snakemake.log").write_text(LOG)
    (flow / "bench.tsv").write_text("s\tmax_rss\n1\t2\n")
    record(flow, "mid.txt", input=["raw.txt"])

    run, gaps = imported(flow, capsys)

    [work, every] = rows(run, "SELECT name, resources FROM tasks")
    assert (work[0], json.loads(work[1])) == ("work s=a", {"threads": 4, "wildcards": {"s": "a"}})
    assert every[0] == "all"
    tries = (
        "SELECT attempt, status, start_ns FROM phases WHERE kind = 'job' AND name = 'work' ORDER BY attempt"
    )
    assert rows(run, tries) == [
        (1, "failed", 1794770146_000000000),
        (2, "ok", 1794770150_250000000),
    ]
    assert rows(run, "SELECT count(*) AS n FROM edges") == [(1,)]
    assert rows(run, "SELECT value FROM totals WHERE metric = 'peak_memory_bytes'") == [(2 * 1024 * 1024,)]
    assert "no log" not in gaps


def test_start_that_the_record_lacks_is_that_of_the_log(
    flow: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (flow / ".snakemake" / "log" / "2026-11-15T191544.941809.snakemake.log").write_text(LOG)
    record(flow, "mid.txt", starttime=None)  # as on a cluster

    run, _ = imported(flow, capsys)

    last = "SELECT start_ns, end_ns FROM phases WHERE kind = 'exec' AND name = 'work' AND attempt = 2"
    assert rows(run, last) == [(1794770150_000000000, 1794770152_500000000)]


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"rule": 5}', '{"rule": ["x"]}', "[" * 100_000, "\x00\x01", '{"input": []}'],
)
def test_record_that_is_none_is_counted(flow: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    record(flow, "good.txt")
    record(flow, "bad.txt").write_text(text)

    run, gaps = imported(flow, capsys)

    assert rows(run, "SELECT name FROM tasks") == [("work good.txt",)]
    assert "1 of the records could not be understood" in gaps


@pytest.mark.parametrize("moment", [None, "x", -5, 1e300, float("nan"), 10**30, True, [], 0])
def test_moment_that_cannot_be_is_not_known(
    flow: Path, capsys: pytest.CaptureFixture[str], moment: object
) -> None:
    record(flow, "a.txt", starttime=moment, endtime=moment, input=moment, shellcmd=moment, job_hash=moment)

    run, gaps = imported(flow, capsys)

    assert rows(run, "SELECT count(*) AS n FROM phases WHERE kind = 'exec' AND start_ns IS NOT NULL") == [
        (0,)
    ]
    assert "When 1 of 1 jobs began is not known." in gaps


@pytest.mark.parametrize(
    "facts",
    [
        {"rule": "\ud800"},
        {"rule": "x" * 10_000_000},
        {"input": ["\ud800", "a\x00b", "x" * 5000, None, []]},
        {"shellcmd": "x" * 10_000_000},
        {"starttime": 2e9, "endtime": 1e9},
    ],
)
def test_record_of_absurd_content_is_taken_as_far_as_it_goes(
    flow: Path, capsys: pytest.CaptureFixture[str], facts: dict[str, Any]
) -> None:
    record(flow, "a.txt", **facts)

    run, _ = imported(flow, capsys)

    assert rows(run, "SELECT count(*) AS n FROM tasks") == [(1,)]


def test_what_is_no_file_is_passed_over(flow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(flow, "good.txt")
    own = flow / ".snakemake"
    secret = flow.parent / "secret"
    secret.write_text('{"rule": "linked"}')
    (own / "metadata" / "YQ==").symlink_to(secret)
    os.mkfifo(own / "metadata" / "Yg==")
    os.mkfifo(own / "log" / "2026-11-15T191544.941809.snakemake.log")
    (own / "metadata" / "@loop").symlink_to(own / "metadata")
    (own / "metadata" / "no base64!").write_text("{}")
    os.mkfifo(flow / "good.txt")

    run, _ = imported(flow, capsys)

    assert rows(run, "SELECT name FROM tasks") == [("work good.txt",)]
    assert rows(run, "SELECT bytes FROM files") == [(None,)]


def test_jobs_under_way_when_snakemake_ended_are_said(flow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record(flow, "good.txt")
    (flow / ".snakemake" / "incomplete" / "YmFkLnR4dA==").write_text('{"external_jobid": null}')

    _, gaps = imported(flow, capsys)

    assert "1 outputs are marked incomplete" in gaps


def test_directory_of_something_else_gets_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli(["import", str(tmp_path), "--runs", str(tmp_path / "runs")]) == 3

    said = capsys.readouterr().err
    assert "is a directory in which Snakemake has not run" in said
    assert not (tmp_path / "runs").exists()


def test_directory_without_a_job_gets_a_sentence(flow: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["import", str(flow)]) == 3

    said = capsys.readouterr().err
    assert f"{flow}: neither .snakemake/metadata nor .snakemake/log tells of a job" in said


SNAKEFILE = """
rule all:
    input: expand("out/{s}.txt", s=["a", "b"])
rule make:
    output: "raw/{s}.txt"
    shell: "echo {wildcards.s} > {output}"
rule work:
    input: "raw/{s}.txt"
    output: "out/{s}.txt"
    benchmark: "bench/{s}.tsv"
    retries: 1
    threads: 2
    shell: "[ {wildcards.s} != b ] || [ -e tried ] || {{ touch tried; exit 3; }}; cat {input} > {output}"
"""


def test_directory_of_a_real_workflow_tells_what_its_logger_would_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    need("snakemake")
    monkeypatch.setenv("LONGPOLE_RUNS", str(tmp_path / "runs"))
    flow = tmp_path / "flow"
    flow.mkdir()
    (flow / "Snakefile").write_text(SNAKEFILE)
    command = [sys.executable, "-m", "snakemake", "--cores", "2"]
    env = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        command, cwd=flow, env=env, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr

    run, _ = imported(flow, capsys)

    assert {name for (name,) in rows(run, "SELECT name FROM tasks")} == {
        *("all", "make s=a", "make s=b", "work s=a", "work s=b")
    }
    tries = "FROM phases JOIN tasks ON task = tasks.id WHERE kind = 'job' AND tasks.name = 'work s=b'"
    assert rows(run, f"SELECT attempt, status {tries} ORDER BY attempt") == [(1, "failed"), (2, "ok")]
    assert rows(run, "SELECT count(*) AS n FROM edges") == [(4,)]
    assert rows(run, "SELECT count(*) AS n FROM files WHERE bytes > 0") == [(4,)]
    assert rows(run, "SELECT count(*) AS n FROM phases WHERE kind = 'exec' AND duration_ns IS NULL") == [(0,)]
