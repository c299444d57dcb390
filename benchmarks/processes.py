"""Processes as the benchmarks need them: how to start the recorder, and what it and others have used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def longpole(*arguments: str) -> list[str]:
    """Return the command line of the recorder that belongs to this Python."""
    script = Path(sys.executable).with_name("longpole")
    return [str(script), *arguments] if script.exists() else [sys.executable, "-m", "longpole", *arguments]


def module(name: str, *arguments: str) -> list[str]:
    """Return the command line that runs one of our modules, from ``ROOT``."""
    return [sys.executable, "-m", f"benchmarks.{name}", *arguments]


def answer(command: list[str], environment: dict[str, str] | None = None) -> str:
    """Run a command from ``ROOT`` and return what it wrote.

    Raises:
        subprocess.CalledProcessError: It failed; what it said on standard error is in ``stderr``.
    """
    found = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace", check=True
    )
    return found.stdout


def agent_of(launcher: int) -> int:
    """Return the launcher's child that leads a session of its own."""
    return next(child for child in children(launcher) if os.getsid(child) == child)


def on_cpu_s(pid: int) -> float:
    """Return the CPU time of a process, all its present threads, in the scheduler's own nanoseconds."""
    texts = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(int(text.split()[0]) for text in texts) / 1e9


def recorder_cpu_s(launcher: int) -> float:
    """Return the CPU time that launcher and agent have used so far."""
    return on_cpu_s(launcher) + on_cpu_s(agent_of(launcher))


def children(pid: int) -> list[int]:
    """Return the children of a process, whichever thread started them; none if it is gone."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, path.read_text().split())
        except OSError:
            continue  # the thread has ended
    return found


def tree(pid: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [pid]
    for parent in found:
        found += children(parent)
    return found
