"""Processes that outlived their driver: found by the variable that every job has, and ended.

A process that clears its variables is ended with its group, if another of the group has kept them. Those
of other users cannot be read, and are none of ours.
"""

from __future__ import annotations

import os
import signal
import time

from longpole.run.orders import JOB_VARIABLE

_LONGEST_S = 10.0


def survivors(run_id: str) -> list[int]:
    """Return the processes of jobs of a run that are alive, but for ourselves."""
    mark = f"{JOB_VARIABLE}={run_id}:".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            variables = _environ(name)
            if variables.startswith(mark) or b"\0" + mark in variables:
                found.append(int(name))
    return found


def end_survivors(run_id: str) -> int:
    """Kill all processes of jobs of a run, and wait until they are gone; return how many there were."""
    ended: set[int] = set()
    limit = time.monotonic() + _LONGEST_S
    while (living := survivors(run_id)) and time.monotonic() < limit:
        for pid in living:
            _kill(pid)
        ended.update(living)
        time.sleep(0.005)
    return len(ended)


def _kill(pid: int) -> None:
    try:
        group = os.getpgid(pid)
        if group not in (os.getpgid(0), 0):
            os.killpg(group, signal.SIGKILL)
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass  # it has just ended


def _environ(pid: str) -> bytes:
    """Return the variables of a process; a zombie has none."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return file.read()
    except OSError:
        return b""
