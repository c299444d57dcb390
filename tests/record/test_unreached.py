"""Pythons that hooks cannot be loaded into are counted and named, and no others are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.parts import need
from tests.recording import Someone

STARTING = """
import subprocess, sys
for arguments in {starts!r}:
    subprocess.run([sys.executable, *arguments], check=True)
"""
FORKING = """
import multiprocessing, os, time
workers = [multiprocessing.get_context("fork").Process(target=time.sleep, args=(s,)) for s in (0, 0.4)]
for worker in workers: worker.start()
for worker in workers: worker.join()
if os.fork() == 0:
    if os.fork() == 0: time.sleep(0.4)
    os._exit(0)
os.wait()
time.sleep(0.6)
"""
WAIT = "import time; time.sleep(0.5)"


def unreached(someone: Someone) -> list[tuple[str, int]]:
    """Return the commands that were not reached, without the interpreter's own path."""
    notes = someone.latest().recording
    assert notes.unreached_total == sum(one.count for one in notes.unreached)
    return [(one.command.partition(" ")[2], one.count) for one in notes.unreached]


@pytest.mark.parametrize("option", ["-I", "-E", "-S"])
def test_a_python_that_is_told_not_to_load_them_is_named(anyone: Someone, option: str) -> None:
    starts = [[option, "-c", WAIT], [option, "-c", WAIT], ["-c", WAIT]]

    anyone.record(anyone.python, "-c", STARTING.format(starts=starts))

    assert unreached(anyone) == [(f"{option} -c {WAIT}", 2)]


def test_the_command_itself_may_be_one(anyone: Someone) -> None:
    anyone.record(anyone.python, "-I", "-c", WAIT)

    assert unreached(anyone) == [(f"-I -c {WAIT}", 1)]


def test_forks_of_a_python_that_was_reached_were_reached_too(anyone: Someone) -> None:
    anyone.record(anyone.python, "-c", FORKING)

    assert unreached(anyone) == []


def test_forks_of_a_python_that_was_not_reached_were_not(user: Someone) -> None:
    need("taskstats")
    user.record(user.python, "-I", "-c", FORKING)

    assert user.latest().recording.unreached_total == 5


def test_a_python_that_becomes_another_is_seen_as_what_it_became(anyone: Someone) -> None:
    script = (
        f"import os, sys, time; time.sleep(0.4); os.execv(sys.executable, [sys.executable, '-c', {WAIT!r}])"
    )

    anyone.record("sh", "-c", f'sleep 0.3; exec "{anyone.python}" -c "{script}"')

    assert unreached(anyone) == []
    commands = anyone.latest().query("SELECT command FROM processes WHERE name LIKE 'python%'")
    assert str(commands["command"][0]).endswith(f"-c {WAIT}")


def test_short_pythons_are_told_apart_where_their_ends_are_seen(user: Someone) -> None:
    need("taskstats")
    starts = [["-c", "pass"]] * 5 + [["-I", "-c", "pass"]] * 3

    user.record(user.python, "-c", STARTING.format(starts=starts))

    assert user.latest().recording.unreached_total == 3


def test_a_python_in_a_pid_namespace_of_its_own_was_reached(user: Someone) -> None:
    need("root")
    script = f"{user.python} -c pass; {user.python} -c '{WAIT}'; {user.python} -I -c '{WAIT}'"

    user.record("unshare", "--pid", "--fork", "sh", "-c", script)

    assert unreached(user) == [(f"-I -c {WAIT}", 1)]


def test_a_program_that_records_itself_was_reached(user: Someone, tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(
        "import longpole, os, time\n"
        f"with longpole.record('inside', runs={str(user.runs)!r}):\n"
        "    if os.fork() == 0:\n"
        "        time.sleep(0.4); os._exit(0)\n"
        "    os.wait()\n"
    )

    subprocess.run([user.python, str(script)], env=user.environment(), check=True, timeout=60)

    assert unreached(user) == []


def test_a_nested_recorder_is_no_python_of_the_command(anyone: Someone) -> None:
    inner = f'"{anyone.python}" -I -c "import sys; sys.path.insert(0, sys.argv.pop(1)); import runpy; '
    inner += "sys.argv[0] = 'longpole'; runpy.run_module('longpole', run_name='__main__')\" "
    inner += f'"{anyone.source}" record -- sleep 0.3'

    anyone.record("sh", "-c", inner)

    assert unreached(anyone) == []
