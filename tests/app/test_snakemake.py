"""A real Snakemake with our logger: one run with its tasks, attempts and edges, the workflow unharmed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from longpole.store.run import StoredRun, open_run
from tests.parts import need

SNAKEFILE = """
SAMPLES = [f"s{number}" for number in range(5)]
rule all:
    input: expand("out/{s}.txt", s=SAMPLES)
rule make:
    output: "raw/{s}.txt"
    shell: "echo {wildcards.s} > {output}"
rule work:
    input: "raw/{s}.txt"
    output: "mid/{s}.txt"
    retries: 1
    threads: 2
    shell: "[ {wildcards.s} != s3 ] || [ -e tried ] || {{ touch tried; exit 3; }}; cat {input} > {output}"
rule end:
    input: "mid/{s}.txt"
    output: "out/{s}.txt"
    benchmark: "bench/{s}.tsv"
    shell: "wc -c {input} > {output}"
"""


@pytest.fixture(autouse=True)
def _parts() -> None:
    need("snakemake")


@pytest.fixture
def workflow(tmp_path: Path) -> Path:
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "Snakefile").write_text(SNAKEFILE)
    return folder


def snakemake(folder: Path, *arguments: str, record: bool = False) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    if record:
        command = [sys.executable, "-m", "longpole", "record", "--", *command]
    environment = {**os.environ, "LONGPOLE_RUNS": str(folder.parent / "runs"), "HOME": str(folder.parent)}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def the_run(folder: Path) -> StoredRun:
    [path] = (folder.parent / "runs").iterdir()
    return open_run(path)


def rows(run: StoredRun, sql: str) -> list[tuple[object, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


_DAG = """SELECT before.name, after.name FROM edges
    JOIN tasks before ON from_task = before.id JOIN tasks after ON to_task = after.id"""


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_unchanged_workflow_is_one_run(workflow: Path, quiet: tuple[str, ...]) -> None:
    done = snakemake(workflow, "--logger", "longpole", *quiet)

    assert done.returncode == 0, done.stderr
    run = the_run(workflow)
    assert rows(run, "SELECT type, count(*) FROM tasks GROUP BY type ORDER BY type") == [
        *(("all", 1), ("end", 5), ("make", 5), ("work", 5))
    ]
    expected = {(f"make s=s{at}", f"work s=s{at}") for at in range(5)}
    expected |= {(f"work s=s{at}", f"end s=s{at}") for at in range(5)}
    expected |= {(f"end s=s{at}", "all") for at in range(5)}
    assert set(rows(run, _DAG)) == expected
    tries = "FROM phases JOIN tasks ON task = tasks.id WHERE kind = 'job' AND tasks.name = 'work s=s3'"
    assert rows(run, f"SELECT attempt, status {tries} ORDER BY attempt") == [(1, "failed"), (2, "ok")]
    assert rows(run, "SELECT count(*) FROM phases WHERE kind IN ('job', 'exec') AND end_ns IS NULL") == [(0,)]
    assert rows(run, "SELECT count(*) FROM files WHERE bytes > 0") == [(15,)]
    assert rows(run, "SELECT count(*) > 0 FROM totals WHERE scope = 'phase'") == [(1,)]
    assert run.manifest.exit_code == 0


def test_recorded_workflow_has_its_tasks_and_its_processes(workflow: Path) -> None:
    done = snakemake(workflow, "--logger", "longpole", record=True)

    assert done.returncode == 0, done.stderr
    run = the_run(workflow)
    assert rows(run, "SELECT count(*) FROM tasks") == [(16,)]
    assert int(str(rows(run, "SELECT count(*) FROM processes")[0][0])) > 1


def test_failed_workflow_says_so_and_ends_as_without_us(workflow: Path) -> None:
    (workflow / "Snakefile").write_text('rule all:\n    output: "x"\n    shell: "exit 3"\n')
    bare = snakemake(workflow)

    done = snakemake(workflow, "--logger", "longpole")

    assert done.returncode == bare.returncode == 1
    run = the_run(workflow)
    assert rows(run, "SELECT status FROM phases WHERE kind = 'exec'") == [("failed",)]
    assert run.manifest.exit_code == 1


def test_where_no_run_can_be_written_the_workflow_goes_on(workflow: Path) -> None:
    (workflow.parent / "runs").write_text("in the way")

    done = snakemake(workflow, "--logger", "longpole")

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("longpole: ") == 1
    assert (workflow / "out" / "s4.txt").exists()


def test_dry_run_makes_no_run(workflow: Path) -> None:
    done = snakemake(workflow, "--logger", "longpole", "--dry-run")

    assert done.returncode == 0, done.stderr
    assert not (workflow.parent / "runs").exists()
