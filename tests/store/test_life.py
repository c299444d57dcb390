"""Whether a run that says it is running really is."""

from __future__ import annotations

import os
import subprocess
import time

import pytest

from longpole.model.manifest import Launcher, Manifest, State
from longpole.store.life import state_of
from tests.builders import HandmadeRun


def ticks_of(pid: int) -> int:
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[19])


def boot() -> str:
    with open("/proc/sys/kernel/random/boot_id") as file:
        return file.read().strip()


def running(**launcher) -> Manifest:
    here = {
        "host": os.uname().nodename,
        "boot": boot(),
        "pid": os.getpid(),
        "start_ticks": ticks_of(os.getpid()),
    }
    return Manifest(1, "ab", "x", State.RUNNING, launcher=Launcher(**{**here, **launcher}))


def test_a_run_whose_launcher_lives_is_running(tmp_path):
    assert state_of(tmp_path, running()) is State.RUNNING


def test_a_run_that_says_it_has_finished_has(tmp_path):
    assert state_of(tmp_path, Manifest(1, "ab", "x", State.FINISHED)) is State.FINISHED


@pytest.mark.parametrize("wrong", [{"start_ticks": 1}, {"pid": 0}, {"pid": 1 << 40}, {"pid": -1}])
def test_a_launcher_that_is_gone_leaves_a_broken_run(tmp_path, wrong):
    assert state_of(tmp_path, running(**wrong)) is State.BROKEN


def test_a_launcher_that_is_a_zombie_is_gone(tmp_path):
    with subprocess.Popen(["true"]) as child:
        ticks = ticks_of(child.pid)
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)

        assert state_of(tmp_path, running(pid=child.pid, start_ticks=ticks)) is State.BROKEN


@pytest.mark.parametrize("elsewhere", [{"host": "elsewhere"}, {"boot": "another"}, {"boot": ""}])
def test_a_run_of_another_host_lives_while_its_log_grows(tmp_path, elsewhere):
    (tmp_path / "log").mkdir()
    log = tmp_path / "log" / "node-1"
    log.touch()
    manifest = running(**elsewhere)

    assert state_of(tmp_path, manifest) is State.RUNNING

    old = time.time() - 120
    os.utime(log, (old, old))
    assert state_of(tmp_path, manifest) is State.BROKEN


def test_a_run_of_another_host_without_a_log_is_broken(tmp_path):
    assert state_of(tmp_path, running(host="elsewhere")) is State.BROKEN


JOINT = Manifest(1, "ab", "x", State.RUNNING, joint=True)


def test_a_workflow_runs_while_its_driver_holds_its_log_however_long_it_is_silent(tmp_path):
    made = HandmadeRun(tmp_path)
    driver = made.driver()
    driver.flush()
    os.utime(made.logs()[0], (1, 1))

    assert state_of(made.path, JOINT) is State.RUNNING
    driver.end_well(1)
    driver.__exit__()
    assert state_of(made.path, JOINT) is State.FINISHED


def test_a_workflow_whose_driver_was_killed_is_broken_at_once(tmp_path):
    made = HandmadeRun(tmp_path)
    with made.driver():
        pass

    assert state_of(made.path, JOINT) is State.BROKEN


def test_a_workflow_that_was_gone_on_with_is_as_its_last_driver_left_it(tmp_path):
    made = HandmadeRun(tmp_path)
    with made.driver():
        pass
    with made.driver() as driver:
        driver.end_well(1)

    assert state_of(made.path, JOINT) is State.FINISHED
