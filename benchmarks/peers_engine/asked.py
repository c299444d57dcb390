"""What a peer is asked for on its command line, and how it answers."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import NamedTuple

STEPS = Path(__file__).resolve().parent.parent / "engine_workflow"
# The functions that our own workflow calls, for this process and for the workers of an engine.
sys.path.insert(0, str(STEPS))
os.environ["PYTHONPATH"] = str(STEPS)


class Asked(NamedTuple):
    """One measurement."""

    shape: str
    tasks: int
    cores: int
    folder: str


def asked() -> Asked:
    """Return what the command line says; the current folder is then the one named there."""
    shape, tasks, cores, folder = sys.argv[1:]
    os.chdir(folder)
    return Asked(shape, int(tasks), int(cores), folder)


def answer(seconds: float) -> None:
    """Say how long it took."""
    print(json.dumps({"seconds": seconds}), flush=True)


def timed(work: Callable[[], None]) -> float:
    """Return how many seconds some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def program(name: str) -> str:
    """Return the path of a program."""
    found = which(name)
    if found is None:
        raise SystemExit(f"There is no program '{name}' here.")
    return found
