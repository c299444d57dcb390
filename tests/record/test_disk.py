"""The bound on disk use: beyond it phases are kept as sums, and no count is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

from tests.recording import Someone

MARKS = 200_000
MARKING = f"""
import time
import longpole
for number in range({MARKS}):
    with longpole.phase("mark"): pass
    if number % 4000 == 0: time.sleep(0.02)
    if number == {MARKS // 2}: print("half", flush=True)
"""


def marks(someone: Someone) -> tuple[int, int]:
    """Return how many marks the run has, and how many of them are in histograms."""
    rows = list(someone.latest().query("SELECT count, attributes FROM phases WHERE name = 'mark'").records())
    bins = [json.loads(str(row["attributes"]))["bins"] for row in rows if row["attributes"]]
    counted = sum(count for some in bins for _, count in some)
    assert counted == sum(int(row["count"] or 0) for row in rows if row["attributes"])
    return sum(int(row["count"] or 0) for row in rows), counted


def test_phases_beyond_the_bound_are_counted_exactly(user: Someone) -> None:
    done = user.record(user.python, "-c", MARKING, options=["--disk", "1MB"])

    assert (done.returncode, done.stderr) == (0, "")
    count, counted = marks(user)
    assert count == MARKS
    assert counted > MARKS // 2
    assert user.latest().recording.summed_up == counted
    assert sum(path.stat().st_size for path in (user.folder() / "log").iterdir()) < 3_000_000


def test_counts_survive_a_kill_of_the_agent(user: Someone) -> None:
    process = user.start(user.python, "-c", MARKING, options=["--disk", "1MB"])
    assert process.stdout is not None
    process.stdout.readline()
    os.kill(agent_below(process.pid), signal.SIGKILL)
    process.communicate(timeout=60)

    count, counted = marks(user)
    lost = user.latest().recording.lost_in_rings  # nobody makes room in the ring any more
    assert count + lost == MARKS
    assert counted > 0


def agent_below(launcher: int) -> int:
    """Return the agent: the child that leads a session."""
    out = subprocess.run(["ps", "--ppid", str(launcher), "-o", "pid="], capture_output=True, check=False)
    return next(int(pid) for pid in out.stdout.split() if os.getsid(int(pid)) == int(pid))


def test_nothing_is_left_beside_the_rings(user: Someone) -> None:
    user.record(user.python, "-c", MARKING.replace(str(MARKS), "100"))

    assert not list(Path("/dev/shm").glob(f"longpole-{user.latest().manifest.id}-*"))
