"""Processes that outlived their driver: found by the variable that every job has, and ended.

A process that clears its variables is ended with its group, if another of the group has kept them. Those
of other users cannot be read, and are none of ours.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Collection

from longpole.run.orders import JOB_VARIABLE

_LONGEST_S = 10.0


def survivors(mark_of: str) -> list[int]:
    """Return the processes of jobs that are alive, but for ourselves: of a run, of an attempt, or a task."""
    mark = f"{JOB_VARIABLE}={mark_of}".encode()
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            variables = _environ(name)
            if any(each == mark or each.startswith(mark + b":") for each in variables.split(b"\0")):
                found.append(int(name))
    return found


def end_survivors(mark_of: str, spared: Collection[int] = ()) -> list[int]:
    """Kill all processes of jobs of a run, of an attempt, or of a task, and wait.

    Args:
        mark_of: Whose.
        spared: Process groups that others are in as well: of them those alone are killed that are meant.

    Returns:
        Those that cannot be ended.
    """
    limit = time.monotonic() + _LONGEST_S
    while (living := survivors(mark_of)) and time.monotonic() < limit:
        for pid in living:
            _kill(pid, spared)
        time.sleep(0.005)
    return living


def _kill(pid: int, spared: Collection[int]) -> None:
    try:
        group = os.getpgid(pid)
        if group not in (os.getpgid(0), 0, *spared):
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
