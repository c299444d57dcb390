"""Snakemake with ``--logger-longpole-processes``: processes lie under jobs, and nothing else changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from longpole.store.run import StoredRun
from tests.app.test_snakemake_slurm import on_slurm, rows, snakemake, the_run
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
    log: "log/{s}.txt"
    shell:
        "head -c 50000000 /dev/zero | md5sum > {output}; echo said >&2 2> {log};"
        " [ {wildcards.s} != s07 ] || [ -e tried ] || {{ touch tried; exit 3; }}"
rule end:
    input: "mid/{s}.txt"
    output: "out/{s}.txt"
    shell: "wc -c {input} > {output}"
"""
FEW = SNAKEFILE.replace("range(20)", "range(6, 8)")
RECORDED = ("--logger", "longpole", "--logger-longpole-processes")
HERE = ("--cores", "2", "--retries", "1")
# Each process, with the task and attempt of the execution that it lies in, however deep. Starts are known to
# a tick of the kernel, and a process may be seen before it has the name of its program.
_LYING = """WITH RECURSIVE below AS (
        SELECT id, id AS execution, task, attempt FROM phases WHERE kind = 'exec'
        UNION ALL
        SELECT phases.id, execution, below.task, below.attempt FROM phases JOIN below ON parent = below.id
        WHERE kind IN ('process', 'command'))
    SELECT phases.name, phases.process, tasks.type, tasks.name AS task_name, below.attempt,
        phases.task = below.task AND phases.attempt = below.attempt AS agrees,
        phases.start_ns > above.start_ns - 20000000 AND phases.end_ns < above.end_ns + 20000000 AS within
    FROM below JOIN phases ON phases.id = below.id JOIN phases above ON above.id = below.execution
    JOIN tasks ON tasks.id = below.task WHERE phases.kind = 'process'"""
_EVERY_ATTEMPT = [
    *(("end s=s06", 1), ("end s=s07", 1), ("make s=s06", 1), ("make s=s07", 1)),
    *(("work s=s06", 1), ("work s=s07", 1), ("work s=s07", 2)),
]


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    need("snakemake")
    folder = tmp_path / "flow"
    folder.mkdir()
    (folder / "Snakefile").write_text(FEW)
    return folder


def lying(run: StoredRun, what: str, where: str = "true") -> list[tuple[object, ...]]:
    return rows(run, f"SELECT {what} FROM ({_LYING}) WHERE {where}")


def assert_every_process_lies_under_a_job(run: StoredRun) -> None:
    [(processes,)] = rows(run, "SELECT count(*) AS n FROM processes")
    assert lying(run, "count(*) AS n, count(DISTINCT process) AS different") == [(processes, processes)]
    assert lying(run, "count(*) AS n", "agrees IS NOT true") == [(0,)]


def attempts_with_processes(run: StoredRun) -> list[tuple[object, ...]]:
    return lying(run, "DISTINCT task_name, attempt", "true ORDER BY 1, 2")


def results(folder: Path) -> dict[str, str]:
    files = [path for path in folder.rglob("*.txt") if ".snakemake" not in path.parts]
    return {str(path.relative_to(folder)): path.read_text() for path in files}


def test_processes_of_every_job_lie_under_its_execution(flow: Path) -> None:
    (flow / "Snakefile").write_text(SNAKEFILE)
    done = snakemake(flow, *HERE, *RECORDED)

    assert done.returncode == 0, done.stderr
    assert "longpole" not in done.stderr
    run = the_run(flow)
    assert rows(run, "SELECT count(*) AS n FROM tasks") == [(61,)]
    assert_every_process_lies_under_a_job(run)
    known = lying(run, "type, count(DISTINCT task_name) AS tasks", "within GROUP BY 1 ORDER BY 1")
    assert known == [("end", 20), ("make", 20), ("work", 20)]
    used = """SELECT tasks.name, sum(value) AS cpu FROM totals JOIN processes ON owner = processes.id
        JOIN phases ON phases.process = processes.id AND kind = 'process' JOIN tasks ON task = tasks.id
        WHERE scope = 'process' AND metric LIKE 'cpu_%' AND type = 'work' GROUP BY 1 HAVING sum(value) > 0"""
    assert len(rows(run, used)) == 20
    assert (run.state, run.manifest.exit_code) == ("finished", 0)
    assert run.recording.commands == 0


def test_each_attempt_has_its_own_processes(flow: Path) -> None:
    done = snakemake(flow, *HERE, *RECORDED)

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert attempts_with_processes(run) == _EVERY_ATTEMPT
    assert lying(run, "count(*) AS n", "within IS NOT true") == [(0,)]


def test_results_logs_and_exit_code_are_those_without_us(flow: Path) -> None:
    bare = snakemake(flow, "--cores", "2", "--keep-going")
    without = results(flow)
    subprocess.run(["rm", "-r", "raw", "mid", "out", "tried", "log", ".snakemake"], cwd=flow, check=True)

    done = snakemake(flow, "--cores", "2", "--keep-going", *RECORDED)

    assert done.returncode == bare.returncode == 1
    assert results(flow) == without
    assert "log/s06.txt" in without
    assert done.stderr.count("exited with non-zero") == bare.stderr.count("exited with non-zero") > 0
    assert the_run(flow).manifest.exit_code == 1


def test_commands_find_their_shell_folder_environment_and_streams_as_ever(flow: Path) -> None:
    ask = "echo $SHELLOPTS $0; pwd; echo $OMP_NUM_THREADS $LD_X; readlink /proc/self/fd/0; ulimit -a"
    shell = f"( {ask}; ) > {{output}}; echo out; echo err >&2"
    rule = f'rule all:\n    threads: 2\n    output: "out.txt"\n    shell: "{shell}"\n'
    (flow / "Snakefile").write_text(rule)
    bare = snakemake(flow, "--cores", "2", environment={"LD_X": "kept"})
    without = results(flow)
    (flow / "out.txt").unlink()

    done = snakemake(flow, "--cores", "2", *RECORDED, environment={"LD_X": "kept"})

    assert done.returncode == bare.returncode == 0
    assert results(flow) == without
    assert "pipefail" in without["out.txt"]
    assert (done.stdout, done.stderr.count("err\n")) == (bare.stdout, bare.stderr.count("err\n"))


def test_rules_that_run_python_and_scripts_are_recorded_too(flow: Path) -> None:
    (flow / "Snakefile").write_text(
        'rule all:\n    input: "a.txt", "b.txt"\n'
        'rule one:\n    output: "a.txt"\n    run:\n        shell("expr 1 + 1 > {output}")\n'
        'rule two:\n    output: "b.txt"\n    script: "two.py"\n'
    )
    (flow / "two.py").write_text("open(snakemake.output[0], 'w').write('2')")

    done = snakemake(flow, *HERE, *RECORDED)

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert_every_process_lies_under_a_job(run)
    assert lying(run, "DISTINCT type", "name IN ('bash', 'expr') ORDER BY 1")[0] == ("one",)
    assert lying(run, "count(*) > 0 AS some", "type = 'two' AND name LIKE 'python%'") == [(1,)]


def test_what_lies_in_the_folder_of_a_job_is_not_imported(flow: Path) -> None:
    for name in ("gc", "resource", "longpole", "json", "sitecustomize"):
        (flow / f"{name}.py").write_text("raise SystemExit('imported from the folder')")
    (flow / "Snakefile").write_text('rule all:\n    output: "x"\n    shell: "echo > {output}"\n')
    flags = {"PYTHONSAFEPATH": "1"}  # for Snakemake itself

    done = snakemake(flow, *HERE, *RECORDED, environment=flags)

    assert done.returncode == 0, done.stderr
    assert attempts_with_processes(the_run(flow)) == [("all", 1)]


def test_where_no_run_can_be_written_the_workflow_goes_on(flow: Path) -> None:
    (flow.parent / "runs").write_text("in the way")

    done = snakemake(flow, *HERE, *RECORDED)

    assert done.returncode == 0, done.stderr
    assert done.stderr.count("longpole: ") == 1
    assert (flow / "out" / "s07.txt").exists()


def test_run_that_is_removed_meanwhile_harms_no_job(flow: Path) -> None:
    (flow / "Snakefile").write_text(
        'rule all:\n    input: "a"\n    output: "b"\n    shell: "cp {input} {output}"\n'
        'rule one:\n    output: "a"\n    shell: "rm -rf ../runs; touch {output}"\n'
    )

    done = snakemake(flow, *HERE, *RECORDED)

    assert done.returncode == 0, done.stderr
    assert (flow / "b").exists()


def test_recorded_snakemake_has_the_processes_under_their_jobs_once(flow: Path) -> None:
    command = [sys.executable, "-m", "longpole", "record", "--", sys.executable, "-m", "snakemake"]
    env = {**os.environ, "LONGPOLE_RUNS": str(flow.parent / "runs"), "HOME": str(flow.parent)}
    done = subprocess.run(
        [*command, *HERE, *RECORDED], cwd=flow, env=env, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert rows(run, "SELECT count(*) AS n FROM tasks") == [(7,)]
    assert attempts_with_processes(run) == _EVERY_ATTEMPT
    assert lying(run, "count(*) AS n", "agrees IS NOT true") == [(0,)]
    [(twice,)] = rows(
        run, "SELECT count(*) - count(DISTINCT process) AS n FROM phases WHERE kind = 'process'"
    )
    assert twice == 0


@pytest.mark.timeout(300)
def test_on_slurm_processes_lie_under_their_jobs(flow: Path, slurm: Slurm) -> None:
    need("cluster-generic")
    done = on_slurm(flow, slurm, "--logger-longpole-processes")

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert rows(run, "SELECT count(*) AS n FROM tasks") == [(7,)]
    assert_every_process_lies_under_a_job(run)
    assert attempts_with_processes(run) == _EVERY_ATTEMPT
    assert run.recording.gaps == ()


@pytest.mark.timeout(300)
def test_in_steps_of_slurm_processes_lie_under_their_jobs(flow: Path, slurm: Slurm) -> None:
    need("slurm-executor")
    (flow / "Snakefile").write_text('rule all:\n    output: "x"\n    shell: "expr 1 + 1 > {output}"\n')
    srun = flow.parent / "srun"  # the executor takes SLURM_CONF away from its jobs
    srun.write_text(f'#!/bin/sh\nSLURM_CONF={slurm.conf} exec {shutil.which("srun")} "$@"\n')
    srun.chmod(0o755)
    wanted = ("--jobs", "1", "--executor", "slurm", "--default-resources", "mem_mb=50")
    soon = ("--slurm-init-seconds-before-status-checks", "1", "--seconds-between-status-checks", "1")
    known = {"SLURM_CONF": str(slurm.conf), "PATH": f"{flow.parent}:{os.environ['PATH']}"}

    done = snakemake(flow, *wanted, *soon, *RECORDED, environment=known)

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert_every_process_lies_under_a_job(run)
    assert lying(run, "DISTINCT task_name, attempt", "name IN ('bash', 'expr')") == [("all", 1)]


@pytest.mark.timeout(300)
def test_jobs_of_a_group_have_their_own_processes(flow: Path, slurm: Slurm) -> None:
    need("cluster-generic")
    done = on_slurm(flow, slurm, "--logger-longpole-processes", "--groups", "make=g", "work=g", "end=g")

    assert done.returncode == 0, done.stderr
    run = the_run(flow)
    assert_every_process_lies_under_a_job(run)
    assert {name for name, _ in attempts_with_processes(run)} == {name for name, _ in _EVERY_ATTEMPT}
