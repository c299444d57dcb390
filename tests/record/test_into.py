"""Many commands that make one run, by ``record --into``: on one node, at once and one after another."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run
from tests.parts import need
from tests.recording import NOBODY, Someone, total

INTO = ("--into", "together")


def joint(someone: Someone, name: str = "together") -> StoredRun:
    """Open the run of this name."""
    return open_run(find_run(name, someone.runs))


def rows(run: StoredRun, sql: str) -> list[dict[str, object]]:
    return [dict(row) for row in run.query(sql).records()]


def agents_of(run: StoredRun) -> int:
    """Return how many agents have written a log."""
    logs = [file.read_bytes() for file in (run.path / "log").iterdir()]
    return len({agent for log in logs for agent in re.findall(rb'"about":"began".*?"agent":(\d+)', log)})


def named(someone: Someone, name: str = "together") -> bool:
    """Return whether a run of this name has been made."""
    return any(path.exists() for path in someone.runs.glob(f".into-*/{name}"))


def node_folder(run: StoredRun, user: int) -> Path:
    [folder] = Path("/dev/shm").glob(f"longpole-{user}-{run.manifest.id}-*")
    return folder


def wait_for(is_so, limit_s: float = 20.0) -> None:
    deadline = time.monotonic() + limit_s
    while not is_so():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.02)


def test_commands_one_after_another_are_tasks_of_one_run(anyone: Someone) -> None:
    codes = [anyone.record("sh", "-c", f"exit {code}", options=INTO).returncode for code in (0, 3, 0)]

    run = joint(anyone)
    found = rows(run, "SELECT task, attempt, status FROM phases WHERE kind = 'job' ORDER BY task")
    assert codes == [0, 3, 0]
    assert [row["status"] for row in found] == ["ok", "failed", "ok"]
    assert [(row["task"], row["attempt"]) for row in found] == [(1, 1), (2, 1), (3, 1)]
    assert (run.recording.commands, run.recording.commands_failed) == (3, 1)
    assert len(list((run.path / "log").iterdir())) == 1


def test_the_processes_of_each_command_lie_under_it(anyone: Someone) -> None:
    for name in ("first", "second"):
        anyone.record("sh", "-c", "sleep 0.4; true", options=(*INTO, "--name", name))

    found = rows(
        joint(anyone),
        "SELECT tasks.name AS task, above.kind AS above FROM phases JOIN tasks ON task = tasks.id"
        " JOIN phases above ON above.id = phases.parent WHERE phases.kind = 'process' AND phases.name = 'sh'",
    )
    assert sorted((row["task"], row["above"]) for row in found) == [("first", "exec"), ("second", "exec")]


def test_totals_are_the_sum_over_all_commands(anyone: Someone) -> None:
    before = anyone.record("head", "-c", "1000000", "/dev/zero", options=("--into", "one"))
    alone = total(joint(anyone, "one"), "read_bytes")
    for _ in range(3):
        anyone.record("head", "-c", "1000000", "/dev/zero", options=INTO)

    assert before.returncode == 0
    assert total(joint(anyone), "read_bytes") == pytest.approx(3 * alone, rel=0.01)


def test_many_at_once_have_one_agent_and_lose_nothing(user: Someone) -> None:
    many = 60
    started = [user.start("true", options=INTO) for _ in range(many)]
    said = [process.communicate()[1] for process in started]

    run = joint(user)
    files = [path for path in run.path.rglob("*") if path.is_file() and "tables" not in path.parts]
    [counts] = rows(run, "SELECT count(*) AS n, count(DISTINCT id) AS ids FROM tasks")
    [processes] = rows(run, "SELECT count(*) AS n, count(DISTINCT pid) AS pids FROM processes")
    assert [process.returncode for process in started] == [0] * many
    assert set(said) == {""}
    assert counts == {"n": many, "ids": many}
    assert processes == {"n": many, "pids": many}
    assert agents_of(run) == 1
    assert len(files) == 2  # the manifest and one log


@pytest.mark.soak
def test_a_thousand_at_once_have_one_agent_and_lose_nothing(user: Someone) -> None:
    started = [user.start("true", options=INTO) for _ in range(1000)]
    for process in started:
        process.communicate()

    run = joint(user)
    [counts] = rows(run, "SELECT count(*) AS n, count(DISTINCT id) AS ids FROM tasks")
    assert counts == {"n": 1000, "ids": 1000}
    assert run.recording.commands == 1000
    assert run.recording.commands_cut == 0
    assert agents_of(run) == 1


def test_a_run_that_nobody_records_any_more_is_finished(user: Someone) -> None:
    user.record("true", options=INTO)

    assert joint(user).state == "finished"


def test_a_run_that_somebody_still_records_is_running(user: Someone) -> None:
    longer = user.start("sleep", "3", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    user.record("true", options=INTO)
    state = joint(user).state
    longer.communicate()

    assert state == "running"
    assert joint(user).state == "finished"


def test_when_the_agent_is_killed_another_takes_over_and_no_end_is_lost(user: Someone) -> None:
    longer = user.start("sleep", "7", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    [agent] = agents_below(longer.pid)
    os.kill(agent, signal.SIGKILL)
    user.record("true", options=INTO)
    longer.communicate()

    run = joint(user)
    assert longer.returncode == 0
    assert run.recording.commands == 2
    assert run.recording.commands_cut == 0
    assert len(list((run.path / "log").iterdir())) == 1


def agents_below(launcher: int) -> list[int]:
    """Return the children of a launcher that are copies of it: its agent, its command having begun."""
    children = Path(f"/proc/{launcher}/task/{launcher}/children")
    own = Path(f"/proc/{launcher}/cmdline").read_bytes()
    wait_for(lambda: len(children.read_text().split()) > 1)
    return [
        pid
        for pid in map(int, children.read_text().split())
        if Path(f"/proc/{pid}/cmdline").read_bytes() == own
    ]


def test_a_command_that_is_killed_with_its_launcher_is_told_as_broken_off(user: Someone) -> None:
    longer = user.start("sleep", "30", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    wait_for(lambda: rows(joint(user), "SELECT id FROM processes WHERE name = 'sleep'"))
    longer.kill()
    longer.communicate()
    user.record("true", options=INTO)
    wait_for(lambda: joint(user).recording.commands_cut == 1 and joint(user).state == "finished")

    found = rows(joint(user), "SELECT status FROM phases WHERE kind = 'job' ORDER BY start_ns")
    assert [row["status"] for row in found] == ["unfinished", "ok"]


def test_memory_is_given_back_when_nobody_has_come_for_a_while(user: Someone) -> None:
    user.record("true", options=INTO)
    folder = node_folder(joint(user), os.getuid())

    wait_for(lambda: not folder.exists())


def test_a_run_that_was_removed_is_made_anew(user: Someone) -> None:
    user.record("true", options=INTO)
    first = joint(user).manifest.id
    subprocess.run(user.command("rm", first), env=user.environment(), check=True, capture_output=True)
    user.record("true", options=INTO)

    assert joint(user).manifest.id != first


def test_new_begins_another_run_of_the_name(user: Someone) -> None:
    user.record("true", options=INTO)
    first = joint(user).manifest.id
    user.record("true", options=(*INTO, "--new"))
    user.record("true", options=INTO)

    assert joint(user).manifest.id != first
    assert joint(user).recording.commands == 2


def test_users_who_share_a_folder_and_a_name_have_a_run_each(user: Someone, nobody: Someone) -> None:
    user.runs.chmod(0o1777)
    user.record("true", options=INTO)

    done = subprocess.run(
        nobody.command("record", *INTO, "--", "echo", "done"),
        env=nobody.environment({"LONGPOLE_RUNS": str(user.runs)}),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
    owners = sorted(path.stat().st_uid for path in user.runs.glob("2*"))
    assert owners == [os.getuid(), NOBODY]


def test_a_link_that_leads_to_somebody_elses_run_is_not_followed(user: Someone, tmp_path: Path) -> None:
    user.record("true", options=INTO)
    link = user.runs / f".into-{os.getuid()}" / "together"
    link.unlink()
    (tmp_path / "elsewhere" / "log").mkdir(parents=True)
    link.symlink_to(tmp_path / "elsewhere")

    done = user.record("true", options=INTO)

    assert (done.returncode, done.stderr) == (0, "")
    assert list((tmp_path / "elsewhere" / "log").iterdir()) == []


def test_names_that_differ_make_runs_that_differ(user: Someone) -> None:
    for name in ("a/b", "a-b", "a b", "z" * 100 + "1", "z" * 100 + "2"):
        user.record("true", options=("--into", name))

    assert len(list(user.runs.glob("2*"))) == 5
    assert joint(user, "a/b").manifest.name == "a/b"


@pytest.mark.parametrize("letter", ["\u65e5", "\x01", "x"])
def test_a_command_of_any_length_is_kept(user: Someone, letter: str) -> None:
    user.record("sh", "-c", "exit 3", letter * 5000, options=INTO)

    assert (joint(user).recording.commands, joint(user).recording.commands_failed) == (1, 1)


def test_two_agents_that_cannot_see_each_other_write_two_files(user: Someone) -> None:
    """Whoever removes what lies in memory: the agent that is there writes on, and another one begins."""
    longer = user.start("sleep", "3", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    shutil.rmtree(node_folder(joint(user), os.getuid()))
    user.record("sleep", "1", options=INTO)
    longer.communicate()

    assert len(list((joint(user).path / "log").iterdir())) == 2
    assert joint(user).recording.commands == 2


def test_options_that_come_too_late_are_named(user: Someone) -> None:
    longer = user.start("sleep", "2", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    done = user.record("true", options=(*INTO, "--rate", "50"))
    longer.communicate()

    assert "--rate had no effect" in done.stderr


def test_processes_that_are_left_behind_are_told(user: Someone) -> None:
    user.record("sh", "-c", "sleep 3 > /dev/null 2>&1 &", options=(*INTO, "--linger", "0"))

    assert joint(user).recording.left_behind == 1


def test_a_recording_into_another_run_below_a_recorded_command_says_where_it_went(user: Someone) -> None:
    inner = " ".join(user.command("record", "--into", "other", "--", "true"))

    done = user.record("sh", "-c", inner, options=INTO)

    assert "not into 'other'" in done.stderr
    assert not named(user, "other")


def test_slurm_is_asked_once_for_a_job_of_many_commands(user: Someone, tmp_path: Path) -> None:
    fake = tmp_path / "scontrol"
    fake.write_text(f"#!/bin/sh\necho asked >> {tmp_path}/asked\n")
    fake.chmod(0o755)
    env = {"SLURM_JOB_ID": "77", "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    for _ in range(4):
        user.record("true", options=INTO, env=env)

    assert (tmp_path / "asked").read_text() == "asked\n"


def test_memory_of_a_killed_agent_is_given_back_by_the_next_of_any_run(user: Someone) -> None:
    longer = user.start("sleep", "1", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    [agent] = agents_below(longer.pid)
    longer.communicate()
    os.kill(agent, signal.SIGKILL)
    folder = node_folder(joint(user), os.getuid())
    user.record("true", options=("--into", "another"))

    wait_for(lambda: not folder.exists())


def test_a_folder_that_cannot_be_written_is_named_and_the_command_runs(nobody: Someone) -> None:
    done = nobody.record("echo", "done", options=INTO, env={"LONGPOLE_RUNS": "/proc/runs"})

    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "nothing was recorded: cannot write a run into /proc/runs" in done.stderr


def test_joining_a_run_of_long_ago_is_said(user: Someone) -> None:
    user.record("true", options=INTO)
    for file in (joint(user).path / "log").iterdir():
        os.utime(file, (1, 1))

    assert "--new begins another of that name" in user.record("true", options=INTO).stderr


def test_a_record_inside_one_that_joined_is_a_phase_of_it(user: Someone) -> None:
    inner = " ".join(user.command("record", "--into", "together", "--", "true"))
    user.record("sh", "-c", inner, options=INTO)

    run = joint(user)
    assert run.recording.commands == 1
    assert [row["name"] for row in rows(run, "SELECT name FROM phases WHERE kind = 'command'")] == ["true"]


def test_what_a_batch_system_starts_joins_by_itself(user: Someone) -> None:
    """A step of a job has the environment of the script that was recorded, but another parent."""
    run_path = "sleep 2"
    outer = user.start("sh", "-c", f"env > {user.runs.parent}/env; {run_path}", options=INTO)
    file = user.runs.parent / "env"
    wait_for(lambda: file.exists() and "LONGPOLE_LAUNCHER" in file.read_text())
    ours = dict(line.split("=", 1) for line in file.read_text().splitlines() if line.startswith("LONGPOLE_"))
    user.record("true", options=INTO, env=ours)
    outer.communicate()

    assert joint(user).recording.commands == 2


def test_facts_of_slurm_and_ranks_are_taken_from_the_environment(user: Someone) -> None:
    facts = {"SLURM_JOB_ID": "77", "SLURM_ARRAY_JOB_ID": "70", "SLURM_ARRAY_TASK_ID": "7"}
    facts |= {"SLURM_JOB_NAME": "fit", "SLURM_PROCID": "1", "SLURM_NTASKS": "2", "SLURM_STEP_ID": "0"}
    for attempt in ("0", "1"):
        again = {"SLURM_RESTART_COUNT": attempt, "SLURMD_NODENAME": "n3"}
        user.record("true", options=INTO, env={**facts, **again})

    run = joint(user)
    [task] = rows(run, "SELECT name, type FROM tasks")
    jobs = rows(run, "SELECT attempt, attributes FROM phases WHERE kind = 'job' ORDER BY attempt")
    assert task == {"name": "fit[7]", "type": "fit"}
    assert [row["attempt"] for row in jobs] == [1, 2]
    assert '"array_index": 7' in str(jobs[0]["attributes"])
    ranks = rows(run, "SELECT rank, world FROM processes")
    assert ranks == [{"rank": 1, "world": 2}] * 2


def test_a_scheduler_that_does_not_answer_is_told_with_a_way_on(user: Someone, tmp_path: Path) -> None:
    fake = tmp_path / "scontrol"
    fake.write_text("#!/bin/sh\nsleep 100\n")
    fake.chmod(0o755)
    env = {"SLURM_JOB_ID": "77", "PATH": f"{tmp_path}:{os.environ['PATH']}"}

    done = user.record("true", options=INTO, env=env)

    assert (done.returncode, done.stderr) == (0, "")
    [gap] = joint(user).recording.gaps
    assert gap == (
        "How long job 77 waited is not known: scontrol did not answer."
        " 'longpole import --slurm 77' asks the accounting."
    )


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    need("root")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k,mode=777", "tmpfs", tmp_path], check=True)
    yield tmp_path
    subprocess.run(["umount", "--lazy", tmp_path], check=True)


def test_a_disk_that_fills_up_is_said_by_every_command_and_harms_none(
    user: Someone, small_disk: Path
) -> None:
    options = (*INTO, "--runs", str(small_disk))
    first = user.record("true", options=options)
    with pytest.raises(OSError, match="No space"):
        (small_disk / "ballast").write_bytes(bytes(1 << 20))
    second = user.record(
        "sh", "-c", "for i in 1 2 3 4 5 6 7 8; do sleep 0.3; done; echo done", options=options
    )

    assert (first.returncode, first.stderr) == (0, "")
    assert (second.returncode, second.stdout) == (0, "done\n")
    assert second.stderr.count("\n") == 1
    assert "No space left" in second.stderr


def test_no_memory_for_rings_is_said_and_the_command_runs(user: Someone) -> None:
    need("root")
    script = (
        "mount -t tmpfs -o size=16k,mode=1777 tmpfs /dev/shm;"
        " head -c 1M /dev/zero 2>/dev/null > /dev/shm/ballast;"
        ' exec "$@"'
    )
    done = subprocess.run(
        [
            "unshare",
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
            *user.command("record", *INTO, "--", "echo", "done"),
        ],
        capture_output=True,
        text=True,
        env=user.environment(),
        check=False,
    )

    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr.startswith("longpole: nothing was recorded: no room in /dev/shm")


def test_a_run_that_is_removed_meanwhile_is_said_and_the_command_runs_on(user: Someone) -> None:
    process = user.start("sh", "-c", "sleep 1.5; echo done", options=INTO)
    wait_for(lambda: named(user) and list(joint(user).path.glob("log/*")))
    shutil.rmtree(joint(user).path)
    out, err = process.communicate(timeout=30)

    assert (process.returncode, out) == (0, "done\n")
    assert "was removed while recording" in err


@pytest.mark.parametrize("name", ["..", "a/b", "-x", "name with spaces", "z" * 200, "été"])
def test_any_name_makes_a_run_in_the_folder_of_runs(user: Someone, name: str) -> None:
    done = user.record("true", options=("--into", name))

    assert (done.returncode, done.stderr) == (0, "")
    assert joint(user, name).manifest.name == name
    assert [path.parent for path in user.runs.glob("2*")] == [user.runs]


def test_an_agent_that_waits_for_the_next_command_takes_those_of_a_loop(user: Someone) -> None:
    loop = f"for i in 1 2 3 4 5 6; do {' '.join(user.command('record', *INTO, '--', 'true'))}; done"
    subprocess.run(["sh", "-c", loop], env=user.environment(), check=True)

    run = joint(user)
    assert run.recording.commands == 6
    assert agents_of(run) == 1


def test_a_command_joins_a_run_by_its_folder(user: Someone) -> None:
    user.record("true", options=INTO)
    user.record("true", options=("--join", str(joint(user).path)))

    assert joint(user).recording.commands == 2


def test_a_run_whose_folder_is_not_here_is_named_and_the_command_runs(user: Someone) -> None:
    done = user.record("echo", "done", options=("--join", "/absent/run"))

    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr == "longpole: nothing was recorded: cannot write into the run /absent/run\n"
