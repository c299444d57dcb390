"""Killing runs of workflows for tests: in the middle of a job, and what it says when it goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from tests.running import Bench

LONGEST_S = 800.0


def kill_when_there_is(bench: Bench, launcher: subprocess.Popen[bytes], scratch: Path, name: str) -> None:
    """Kill the driver and all that it has started, once a job has left a file of this name."""
    limit = time.monotonic() + LONGEST_S
    while not any(name in files for _, _, files in os.walk(scratch)):  # folders come and go meanwhile
        assert launcher.poll() is None, f"ended before it was killed: {(bench.folder / 'said').read_text()}"
        assert time.monotonic() < limit
        time.sleep(0.002)
    for pid in (launcher.pid, *bench.processes()):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it has just ended
    assert launcher.wait(LONGEST_S) != 0


def finish(bench: Bench, *told: str) -> None:
    """Call ``longpole``, which must go well."""
    assert bench.start(*told).wait(LONGEST_S) == 0, (bench.folder / "said").read_text()


def go_on(bench: Bench) -> str:
    """Go on with the run that was killed last, to its end; return what its jobs have printed."""
    finish(bench, "run", "--resume", bench.runs()[-1].name.rpartition("-")[2])
    return "".join(path.read_text() for path in (bench.runs()[-1] / "output").rglob("*") if path.is_file())
