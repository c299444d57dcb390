"""Kills at any moment: what was finished is in the run, and the command is never harmed by our end."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.recording import Someone

MARKING = """
import itertools, sys, time
sys.path.insert(0, sys.argv[1])
import longpole
for number in itertools.count():
    with longpole.phase("mark", number=number):
        pass
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
    time.sleep(0.0005)
"""


def kill_once(someone: Someone, seed: int) -> None:
    """Kill a marking process at a random moment; every mark it had printed must be in the run."""
    script = someone.runs.parent / "marking.py"
    script.write_text(MARKING)
    process = someone.start(someone.python, str(script), str(someone.source))
    assert process.stdout is not None
    printed = [process.stdout.readline()]
    time.sleep(random.Random(seed).uniform(0.0, 0.4))
    os.kill(_child(process.pid, "python"), signal.SIGKILL)
    printed += process.communicate(timeout=30)[0].splitlines()

    last = int(printed[-1] if printed[-1].strip().isdigit() else printed[-2])
    assert process.returncode == -signal.SIGKILL
    marks = someone.latest().query(
        "SELECT count(*) AS n, max(id) FROM phases WHERE name = 'mark' AND status = 'ok'"
    )
    assert int(marks["n"][0] or 0) >= last + 1


@pytest.mark.parametrize("seed", range(20))
def test_phases_finished_before_a_kill_are_in_the_run(user: Someone, seed: int) -> None:
    kill_once(user, seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_phases_finished_before_one_of_many_kills_are_in_the_run(user: Someone, seed: int) -> None:
    kill_once(user, seed)


def test_phase_that_was_open_at_a_kill_is_unfinished(user: Someone) -> None:
    script = (
        "import longpole, os, signal\n"
        "with longpole.phase('outer'), longpole.phase('inner'): os.kill(os.getpid(), signal.SIGKILL)"
    )

    user.record(user.python, "-c", script)

    rows = list(
        user.latest().query("SELECT name, status FROM phases WHERE kind = 'phase' ORDER BY name").records()
    )
    assert rows == [{"name": "inner", "status": "unfinished"}, {"name": "outer", "status": "unfinished"}]


def test_kill_of_the_agent_does_not_touch_the_command(anyone: Someone) -> None:
    script = "echo begin; sleep 2.5; echo end; exit 6"
    process = anyone.start("sh", "-c", script)
    time.sleep(1.8)
    os.kill(_agent(process.pid), signal.SIGKILL)
    out, err = process.communicate(timeout=30)

    assert (out, process.returncode) == ("begin\nend\n", 6)
    assert err.count("\n") == 1
    assert "the agent was killed by signal 9" in err
    run = anyone.latest()
    assert run.manifest.exit_code == 6
    assert int(run.query("SELECT count(*) AS n FROM samples")["n"][0] or 0) > 0


def test_phases_survive_a_kill_of_the_agent(user: Someone) -> None:
    script = "import longpole, time\nfor n in range(30):\n with longpole.phase('mark'): time.sleep(0.05)"
    process = user.start(user.python, "-c", script)
    time.sleep(0.8)
    os.kill(_agent(process.pid), signal.SIGKILL)
    process.communicate(timeout=30)

    marks = user.latest().query("SELECT count(*) AS n FROM phases WHERE name = 'mark'")
    assert marks["n"][0] == 30


def test_kill_of_the_launcher_is_a_kill_of_the_command(anyone: Someone) -> None:
    process = anyone.start("sleep", "60")
    time.sleep(0.7)
    child = _child(process.pid, "sleep")
    launcher = _parent(child)
    os.kill(launcher, signal.SIGKILL)
    process.communicate(timeout=20)

    _wait_gone(child)
    _wait_until(lambda: "broken" in (anyone.folder() / "run.json").read_text())
    rings = f"longpole-{anyone.latest().manifest.id}-*"
    _wait_until(lambda: not list(Path("/dev/shm").glob(rings)))


def _agent(launcher: int) -> int:
    """Return the agent below a launcher: the child that is a session leader."""
    found = [pid for pid in _descendants(launcher) if os.getsid(pid) == pid]
    assert len(found) == 1
    return found[0]


def _child(launcher: int, name: str) -> int:
    agents = [pid for pid in _descendants(launcher) if os.getsid(pid) == pid]
    found = [pid for pid in _descendants(launcher) if pid not in agents and name in _comm(pid)]
    assert found
    return found[-1]


def _descendants(pid: int) -> list[int]:
    out = subprocess.run(
        ["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False
    ).stdout
    children = [int(line) for line in out.split()]
    return children + [below for child in children for below in _descendants(child)]


def _comm(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text()


def _parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def _wait_gone(pid: int) -> None:
    _wait_until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text())


def _wait_until(true: object) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if true():  # type: ignore[operator]
            return
        time.sleep(0.05)
    raise AssertionError("it did not come true")
