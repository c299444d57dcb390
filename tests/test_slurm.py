"""The Slurm that tests are given: it runs jobs, remembers them, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.parts import need
from tests.recording import NOBODY
from tests.slurm import Slurm

_BROUGHT_UP = """
import time
from tests.slurm import slurm_on_this_host
with slurm_on_this_host() as slurm:
    slurm.submit("setsid sleep 1000 & sleep 1000")
    print(slurm.conf, flush=True)
    time.sleep(1000)
"""


def test_script_gets_its_arguments_and_an_ordinary_user(slurm: Slurm) -> None:
    job = slurm.submit('id -u > who; printf "%s\\n" "$@" > given', "a", "b c")

    assert slurm.wait(job) == {job: "COMPLETED"}
    assert (slurm.home / "who").read_text() == f"{NOBODY}\n"
    assert (slurm.home / "given").read_text() == "a\nb c\n"


def test_job_can_be_sent_back_to_the_queue(slurm: Slurm) -> None:
    job = slurm.submit('echo x >> starts; [ "$(wc -l < starts)" = 2 ] || sleep 60')
    slurm.until(job, "RUNNING")

    slurm.requeue(job)

    assert slurm.wait(job) == {job: "COMPLETED"}
    assert (slurm.home / "starts").read_text() == "x\nx\n"


def test_job_that_the_controller_has_forgotten_is_accounted(slurm: Slurm) -> None:
    job = slurm.submit("true")
    slurm.wait(job)

    slurm.until_forgotten(job)

    assert slurm.states(job) == {job: "COMPLETED"}


def test_nothing_stays_behind_when_the_tests_are_killed() -> None:
    need("slurm")
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", _BROUGHT_UP]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=here) as tests:
        assert tests.stdout is not None
        conf = tests.stdout.readline().strip()
        assert len(_with(conf)) >= 7
        tests.send_signal(signal.SIGKILL)

    deadline = time.monotonic() + 60
    while (_with(conf) or Path(conf).parent.exists()) and time.monotonic() < deadline:
        time.sleep(0.1)  # the folder goes last, after all that wrote to it
    assert _with(conf) == []
    assert not Path(conf).parent.exists()


def _with(conf: str) -> list[int]:
    """Return the processes that have this in their environment."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if conf.encode() in (folder / "environ").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue  # it has ended
    return found
