"""An unchanged Snakemake workflow, here and on a real Slurm: one run, its DAG, waits apart from work."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from longpole.store.run import StoredRun, open_run
from tests.parts import need
from tests.slurm import Slurm

SNAKEFILE = """
SAMPLES = [f"s{number:02}" for number in range(20)]
rule all:
    input: expand("out/{s}.txt", s=SAMPLES)
rule make:
    output: "raw/{s}.txt"
    shell: "echo {wildcards.s} > {output}"
rule work:
    input: "raw/{s}.txt"
    output: "mid/{s}.txt"
    threads: 2
    resources: mem_mb=64
    shell: "[ {wildcards.s} != s07 ] || [ -e tried ] || {{ touch tried; exit 3; }}; cat {input} > {output}"
rule end:
    input: "mid/{s}.txt"
    output: "out/{s}.txt"
    benchmark: "bench/{s}.tsv"
    shell: "wc -c {input} > {output}"
"""
_BY_SBATCH = ("--executor", "cluster-generic", "--cluster-generic-submit-cmd")
_DAG = """SELECT before.name AS b, after.name AS a FROM edges
    JOIN tasks before ON from_task = before.id JOIN tasks after ON to_task = after.id"""


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    need("snakemake")
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "Snakefile").write_text(SNAKEFILE)
    return folder


def snakemake(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    known = {**os.environ, "LONGPOLE_RUNS": str(folder.parent / "runs"), "HOME": str(folder.parent)}
    command = [sys.executable, "-m", "snakemake", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        env={**known, **(environment or {})},
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


def on_slurm(
    folder: Path, slurm: Slurm, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run the workflow with a job of Slurm for each of its jobs."""
    submit = "sbatch --parsable --cpus-per-task={threads} --output=/dev/null"
    return snakemake(
        folder,
        *("--jobs", "6", "--retries", "1", "--logger", "longpole", *_BY_SBATCH, submit),
        *("--seconds-between-status-checks", "1", "--max-status-checks-per-second", "1000", *arguments),
        environment={"SLURM_CONF": str(slurm.conf), **environment},
    )


def the_run(folder: Path) -> StoredRun:
    [path] = (folder.parent / "runs").iterdir()
    return open_run(path)


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def own_dag(folder: Path) -> tuple[set[str], set[tuple[str, str]]]:
    """Return the jobs and the edges that Snakemake itself has, named as our tasks are."""
    said = snakemake(folder, "--dag", "dot", "--forceall", "--quiet", "all").stdout
    nodes = dict(re.findall(r'^\s*(\d+)\[label = "([^"]*)"', said, re.MULTILINE))
    edges = re.findall(r"^\s*(\d+) -> (\d+)", said, re.MULTILINE)
    makers = {after: before for before, after in edges}
    names = {number: _named(number, nodes, makers) for number in nodes}
    assert len(nodes) == len(set(names.values()))
    return set(names.values()), {(names[before], names[after]) for before, after in edges}


def _named(number: str, nodes: dict[str, str], before: dict[str, str]) -> str:
    """Return rule and wildcards; Snakemake writes them where they first come up, which is before."""
    rule, *wildcards = nodes[number].split("\\n")
    while not wildcards and rule != "all":
        number = before[number]
        wildcards = nodes[number].split("\\n")[1:]
    return " ".join([rule, *(one.replace(": ", "=") for one in wildcards)])


def assert_is_the_workflow(folder: Path, run: StoredRun) -> None:
    """One run of 61 tasks, whose edges are Snakemake's own, and whose failed job has two attempts."""
    jobs, edges = own_dag(folder)
    assert (len(jobs), len(edges)) == (61, 60)
    assert {name for (name,) in rows(run, "SELECT name FROM tasks")} == jobs
    found = rows(run, _DAG)
    assert (len(found), set(found)) == (60, edges)
    kinds = rows(run, "SELECT type, count(*) AS n FROM tasks GROUP BY type ORDER BY type")
    assert kinds == [("all", 1), ("end", 20), ("make", 20), ("work", 20)]
    tries = "FROM phases JOIN tasks ON task = tasks.id WHERE kind = 'job' AND tasks.name = 'work s=s07'"
    assert rows(run, f"SELECT attempt, status {tries} ORDER BY attempt") == [(1, "failed"), (2, "ok")]
    assert rows(run, "SELECT count(*) AS n FROM phases WHERE kind = 'job'") == [(62,)]
    assert run.manifest.exit_code == 0


def assert_has_what_was_declared(run: StoredRun) -> None:
    """Threads, resources and wildcards; what benchmark files say."""
    [(declared,)] = rows(run, "SELECT resources FROM tasks WHERE name = 'work s=s07'")
    known = json.loads(declared)
    assert (known["threads"], known["mem_mb"], known["wildcards"]) == (2, 64, {"s": "s07"})
    of = "FROM totals JOIN phases ON owner = phases.id WHERE scope = 'phase' AND metric = 'peak_memory_bytes'"
    # of a job that ends at once Snakemake may measure nothing
    assert rows(run, f"SELECT count(*) > 0 AS any {of} AND name = 'end'") == [(1,)]


def test_workflow_that_runs_here_is_one_run(flow: Path) -> None:
    done = snakemake(flow, "--cores", "2", "--retries", "1", "--logger", "longpole")

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert_is_the_workflow(flow, run)
    assert_has_what_was_declared(run)
    apart = "SELECT count(*) AS n FROM phases WHERE kind = 'exec' AND end_ns >= start_ns AND duration_ns > 0"
    assert rows(run, apart) == [(62,)]


@pytest.mark.timeout(600)
def test_same_workflow_on_slurm_is_one_run_with_the_queue_apart(flow: Path, slurm: Slurm) -> None:
    need("cluster-generic")
    done = on_slurm(flow, slurm)

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert_is_the_workflow(flow, run)
    assert_has_what_was_declared(run)
    assert rows(run, "SELECT count(*) AS n FROM phases WHERE kind = 'submitted'") == [(61,)]
    assert rows(run, _APART) == [(61, 61)]
    assert_times_are_those_of_sacct(run, slurm)
    assert run.recording.gaps == ()


_APART = """SELECT count(*) FILTER (phases.kind = 'queue') AS q, count(*) FILTER (phases.kind = 'exec') AS e
    FROM phases JOIN phases whole ON phases.parent = whole.id WHERE whole.kind = 'submitted'
        AND phases.start_ns >= whole.start_ns AND phases.end_ns <= whole.end_ns"""


def assert_times_are_those_of_sacct(run: StoredRun, slurm: Slurm) -> None:
    """Starts are those that sacct prints, to the second, but not before Snakemake had submitted the job."""
    said = slurm.call("sacct", "-XnP", "-oJobID,Start,End", env={"TZ": "UTC"}, prefix=()).stdout
    printed = {
        job: (_ns(start), _ns(end)) for job, start, end in (line.split("|") for line in said.splitlines())
    }
    sql = """SELECT ran.attributes->>'$.job' AS job, ran.start_ns, ran.end_ns, whole.start_ns AS since,
            whole.end_ns AS until
        FROM phases ran JOIN phases whole ON ran.parent = whole.id
        WHERE ran.kind = 'exec' AND whole.kind = 'submitted'"""
    found = rows(run, sql)
    assert len({job for job, *_ in found}) == 61
    for job, start, end, submitted, seen in found:
        began, ended = printed[job]
        assert start == min(max(began, submitted), seen)
        assert end == min(max(ended, start), seen) or end == seen  # what ended last may not be accounted yet


def _ns(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 1_000_000_000


SMALL = """
rule all:
    input: "b.txt"
rule one:
    output: "a.txt"
    shell: "echo > {output}"
rule two:
    input: "a.txt"
    output: "b.txt"
    shell: "cat {input} > {output}"
"""


@pytest.mark.timeout(300)
def test_where_sacct_does_not_answer_it_is_said_and_the_workflow_is_whole(flow: Path, slurm: Slurm) -> None:
    need("cluster-generic")
    (flow / "Snakefile").write_text(SMALL)
    program = flow.parent / "sacct"
    program.write_text("#!/bin/sh\necho no >&2; exit 1\n")
    program.chmod(0o755)

    done = on_slurm(flow, slurm, PATH=f"{flow.parent}:{os.environ['PATH']}")

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    kinds = "SELECT kind, count(*) AS n FROM phases WHERE task IS NOT NULL GROUP BY kind ORDER BY kind"
    assert rows(run, kinds) == [("exec", 1), ("job", 3), ("queue", 3), ("submitted", 2)]
    [gap] = run.recording.gaps
    assert gap.startswith("When 2 of 2 jobs began in the cluster is not known: sacct did not answer: no.")


@pytest.mark.timeout(300)
def test_jobs_of_a_group_share_a_job_of_the_cluster(flow: Path, slurm: Slurm) -> None:
    need("cluster-generic")
    (flow / "Snakefile").write_text(SMALL)

    done = on_slurm(flow, slurm, "--groups", "one=both", "two=both")

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert set(rows(run, _DAG)) == {("one", "two"), ("two", "all")}
    of = "FROM phases WHERE kind = 'exec' AND attributes IS NOT NULL"
    assert rows(run, f"SELECT count(*) AS n, count(DISTINCT attributes->>'$.job') AS jobs {of}") == [(2, 1)]
    assert run.recording.gaps == ()
