"""Processes that outlived their driver are found by their variable and ended; others are left alone."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator

import pytest

from longpole.run.orders import JOB_VARIABLE
from longpole.run.survivors import end_survivors, survivors

# Others may test on this machine as well.
RUN, OTHER = secrets.token_hex(4), secrets.token_hex(4)


class Started:
    """Processes that a test starts, and ends."""

    def __init__(self) -> None:
        self.all: list[subprocess.Popen[str]] = []

    def __call__(self, command: str, run: str = RUN, **more) -> subprocess.Popen[str]:
        environment = {**os.environ, JOB_VARIABLE: f"{run}:7:1"}
        process = subprocess.Popen(
            ["sh", "-c", command], env=environment, stdout=subprocess.PIPE, text=True, process_group=0, **more
        )
        self.all.append(process)
        return process


@pytest.fixture
def start() -> Iterator[Started]:
    started = Started()
    yield started
    for process in started.all:
        process.kill()
        process.communicate()


def test_processes_of_a_run_are_found_and_those_of_others_are_not(start: Started):
    ours, others = start("exec sleep 60"), start("exec sleep 60", OTHER)

    assert survivors(RUN) == [ours.pid]
    assert end_survivors(RUN) == []
    assert ours.wait(10) == -9
    assert others.poll() is None
    assert survivors(RUN[:4]) == []  # a prefix is no name


def test_what_a_job_has_started_ends_with_it_even_in_a_session_of_its_own(start: Started):
    job = start("setsid sleep 60 & echo $!; exec sleep 60")
    assert job.stdout is not None
    child = int(job.stdout.readline())

    end_survivors(RUN)

    job.wait(10)
    assert survivors(RUN) == []
    assert not os.path.exists(f"/proc/{child}") or b"sleep" not in _command(child)


def test_who_has_cleared_its_variables_ends_with_its_group(start: Started):
    job = start(
        f"env -i {sys.executable} -c 'import time; print(1, flush=True); time.sleep(60)' & exec sleep 60"
    )
    assert job.stdout is not None
    job.stdout.readline()

    end_survivors(RUN)

    job.wait(10)
    assert job.stdout.read() == ""  # nobody holds it open any more


def test_nobody_is_no_survivor():
    assert end_survivors(secrets.token_hex(4)) == []


def _command(pid: int) -> bytes:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read()
    except OSError:
        return b""
