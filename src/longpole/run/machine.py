"""What this machine has for the jobs of a run."""

from __future__ import annotations

import glob
import os
import re
from dataclasses import dataclass

from longpole.run.request import Request
from longpole.units import Bytes


@dataclass(frozen=True, slots=True)
class Here:
    """Cores, memory, and the numbers of the GPUs."""

    cores: int
    memory_bytes: Bytes
    gpus: tuple[int, ...]


def this_machine(request: Request) -> Here:
    """Return what jobs may use: what was asked for, but at most all that this process may use."""
    cores = len(os.sched_getaffinity(0))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Here(
        min(request.cores or cores, cores),
        min(request.memory_bytes or memory, memory),
        _gpus(os.environ.get("CUDA_VISIBLE_DEVICES")),
    )


def _gpus(visible: str | None) -> tuple[int, ...]:
    if visible is not None:
        return tuple(int(number) for number in visible.split(",") if number.strip().isdigit())
    numbers = (re.fullmatch(r"/dev/nvidia(\d+)", path) for path in glob.glob("/dev/nvidia*"))
    return tuple(sorted(int(match[1]) for match in numbers if match))
