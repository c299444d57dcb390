"""Jobs of a real Slurm that record themselves into one run, and what accounting says of the same jobs."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run
from tests.parts import need
from tests.record.hooks.both_ways import PROGRAMS
from tests.recording import SOURCE, Someone
from tests.slurm import Slurm


def script(someone: Someone, command: str, into: str = "jobs") -> str:
    """Return the lines of a job that records a command."""
    exports = f"export PYTHONPATH={someone.source} LONGPOLE_RUNS={someone.runs}\n"
    return f"{exports}exec {someone.python} -m longpole record --into {into} -- {command}"


def joint(someone: Someone, name: str = "jobs") -> StoredRun:
    return open_run(find_run(name, someone.runs))


def rows(run: StoredRun, sql: str) -> list[dict[str, object]]:
    return [dict(row) for row in run.query(sql).records()]


def jobs(run: StoredRun) -> list[dict[str, object]]:
    """Return each attempt with what is known of its job, and how long it waited and ran."""
    found = rows(
        run,
        "SELECT job.task, job.attempt, job.status, job.attributes, tasks.name,"
        " max(part.duration_ns) FILTER (part.kind = 'queue') AS queue_ns,"
        " min(part.start_ns) FILTER (part.kind = 'exec') AS start_ns,"
        " max(part.end_ns) FILTER (part.kind = 'exec') AS end_ns, min(job.start_ns) AS submit_ns"
        " FROM phases job JOIN tasks ON job.task = tasks.id JOIN phases part ON part.parent = job.id"
        " WHERE job.kind = 'job' GROUP BY ALL ORDER BY job.task, job.attempt",
    )
    return [{**row, **json.loads(str(row["attributes"]))} for row in found]


def command_facts(run: StoredRun) -> list[dict[str, object]]:
    """Return what each command says of itself."""
    found = rows(run, "SELECT attributes FROM phases WHERE kind = 'command'")
    return [json.loads(str(row["attributes"])) for row in found]


def accounted(someone: Someone, ids: str, slurm: Slurm) -> list[dict[str, object]]:
    """Import what accounting says of the same jobs, and return it in the same form."""
    ours = {"PYTHONPATH": str(SOURCE), "LONGPOLE_RUNS": str(someone.runs)}
    done = subprocess.run(
        [sys.executable, "-m", "longpole", "import", "--slurm", ids, "--json"],
        env=slurm.environment(ours),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return jobs(open_run(find_run(json.loads(done.stdout)["run"], someone.runs)))


def agree(recorded: list[dict[str, object]], told: list[dict[str, object]]) -> None:
    """Assert that both tell the same, to the second in which Slurm counts."""
    assert [(row["attempt"], row["status"]) for row in recorded] == [
        (row["attempt"], row["status"]) for row in told
    ]
    for ours, theirs in zip(recorded, told, strict=True):
        for moment in ("submit_ns", "start_ns", "end_ns"):
            assert abs(int(str(ours[moment])) - int(str(theirs[moment]))) <= 1.5e9, (moment, ours, theirs)


def test_an_array_of_ten_is_one_run_with_index_node_and_queue_time(slurm: Slurm, nobody: Someone) -> None:
    job = slurm.submit(script(nobody, "sleep 2"), options=("--array=0-9", "--job-name=fit", "-n1"))
    slurm.wait(job)

    run = joint(nobody)
    found = jobs(run)
    commands = [
        json.loads(str(row["attributes"]))
        for row in rows(run, "SELECT attributes FROM phases WHERE kind = 'command'")
    ]
    assert sorted(int(str(row["array_index"])) for row in found) == list(range(10))
    assert {row["status"] for row in found} == {"ok"}
    assert {fact["node"] for fact in commands} <= {"n1", "n2", "n3"}
    assert len({fact["node"] for fact in commands}) > 1
    # six have room at once; the others waited for at least as long as a command takes
    assert sum(int(str(row["queue_ns"] or 0)) >= 1e9 for row in found) >= 4
    assert not run.recording.gaps
    told = accounted(nobody, job, slurm)
    key = "array_index"
    agree(sorted(found, key=lambda row: str(row[key])), sorted(told, key=lambda row: str(row["name"])))


def test_a_job_that_was_requeued_has_two_attempts(slurm: Slurm, nobody: Someone) -> None:
    mark = nobody.runs / "second"
    command = f"bash -c {shlex.quote(f'if [ -e {mark} ]; then exit 0; fi; touch {mark}; sleep 60')}"
    job = slurm.submit(script(nobody, command), options=("--requeue", "--job-name=again"))
    slurm.until(job, "RUNNING")
    _until(mark.exists)
    slurm.requeue(job)
    slurm.wait(job)

    found = jobs(joint(nobody))
    assert [(row["attempt"], row["status"]) for row in found] == [(1, "failed"), (2, "ok")]
    assert [row["restarts"] for row in found] == [0, 1]
    assert int(str(found[0]["end_ns"])) <= int(str(found[1]["start_ns"]))
    told = accounted(nobody, job, slurm)
    assert [row["attempt"] for row in told] == [1, 2]
    for ours, theirs in zip(found, told, strict=True):
        assert abs(int(str(ours["start_ns"])) - int(str(theirs["start_ns"]))) <= 1.5e9


def test_a_job_that_is_preempted_keeps_everything_up_to_the_last_seconds(
    slurm: Slurm, nobody: Someone
) -> None:
    """SIGTERM, which it ignores, and SIGKILL to all its processes at once."""
    busy = "trap '' TERM; while :; do :; done"
    job = slurm.submit(script(nobody, f"bash -c {shlex.quote(busy)}"), options=("--job-name=cut",))
    slurm.until(job, "RUNNING")
    _until(lambda: bool(_logs(nobody)) and _samples(nobody) >= 3)
    slurm.ask("scancel", "--signal=TERM", "--full", job)
    before = _samples(nobody)
    _until(lambda: _samples(nobody) > before)
    slurm.ask("scancel", "--signal=KILL", "--full", job)
    slurm.wait(job)
    _until(lambda: joint(nobody).state == "finished")

    run = joint(nobody)
    [attempt] = jobs(run)
    [seen] = rows(run, "SELECT max(end_ns) AS last FROM samples WHERE scope = 'process'")
    told = accounted(nobody, job, slurm)
    assert attempt["status"] == "unfinished"
    assert run.recording.commands_cut == 1
    assert int(str(told[0]["end_ns"])) - int(str(seen["last"])) <= 3e9


def test_ranks_of_a_training_on_two_nodes_have_their_steps(slurm: Slurm, user: Someone) -> None:
    """Two nodes of two ranks each: srun starts torchrun on both, each recorded into the same run."""
    need("torch")
    host = os.uname().nodename
    training = f"{user.python} -m torch.distributed.run --nnodes 2 --nproc-per-node 2"
    place = f"--rdzv-backend c10d --rdzv-endpoint {host}:29631 --rdzv-id $SLURM_JOB_ID --local-addr {host}"
    command = f"{training} {place} {PROGRAMS / 'prog_ranks.py'}"
    exports = f"export PYTHONPATH={user.source} LONGPOLE_RUNS={user.runs} OMP_NUM_THREADS=1\n"
    step = f"srun -N2 --ntasks-per-node=1 {user.python} -m longpole record --into ranks -- {command}"
    file = slurm.home / "ranks.sh"
    file.write_text(f"#!/bin/bash\n{exports}{step}\n")
    submitted = slurm.call(
        "sbatch", "--parsable", "-N2", "--ntasks-per-node=1", "-c2", "--job-name=ranks", str(file), prefix=()
    )
    job = submitted.stdout.strip()
    slurm.wait(job)

    run = joint(user, "ranks")
    steps = rows(
        run,
        "SELECT rank, world, count(*) AS steps FROM phases JOIN processes ON phases.process = processes.id"
        " WHERE kind = 'step' GROUP BY ALL ORDER BY rank",
    )
    assert [(row["rank"], row["world"]) for row in steps] == [(rank, 4) for rank in range(4)]
    assert [row["steps"] for row in steps] == [7, 9, 11, 13]
    assert {fact["node"] for fact in command_facts(run)} == {"n1", "n2"}
    [attempt] = jobs(run)
    assert (attempt["status"], attempt["job"]) == ("ok", job)


def _logs(someone: Someone) -> list[Path]:
    return list(someone.runs.glob("*-jobs-*/log/*"))


def _samples(someone: Someone) -> int:
    [found] = rows(joint(someone), "SELECT count(*) AS n FROM samples WHERE scope = 'process'")
    return int(str(found["n"]))


def _until(is_so: Callable[[], bool]) -> None:
    from tests.record.test_into import wait_for

    wait_for(is_so, 60)
