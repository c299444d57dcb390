"""Probes: each tries one source of a recording for real, lets it go, and tells what it met.

A probe returns whether the source can be used and what was found; it may raise for any reason at all, which
means that it cannot.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import tempfile

from longpole.record.gpus import gpu_driver_present
from longpole.record.proc import read_io, read_small
from longpole.record.rundir import find_runs_folder
from longpole.units import show_bytes

Answer = tuple[bool, str]

_RING_BYTES = 4 << 20
_MEMORY = "/dev/shm"
_CGROUPS = "/sys/fs/cgroup"
_PERF_EVENT_OPEN = {"x86_64": 298, "aarch64": 241, "ppc64le": 319, "s390x": 331, "riscv64": 241}
# perf_event_attr: type hardware, its size, config instructions, and the flags for user code alone
_INSTRUCTIONS = struct.pack("<IIQQQQQ", 0, 64, 1, 0, 0, 0, 0b1100001).ljust(64, b"\0")


def runs_folder(runs: str) -> Answer:
    """Tell where runs go, and whether they can."""
    folder = place = find_runs_folder(runs)
    while not os.path.isdir(place):
        place = os.path.dirname(place)
    return True, f"{folder}, {show_bytes(_free(place))} free"


def phase_memory() -> Answer:
    """Tell how many processes' rings fit into node-local memory."""
    free = _free(_MEMORY)
    return free >= _RING_BYTES, f"{_MEMORY} has {show_bytes(free)} free"


def process_bytes() -> Answer:
    """Tell whether the kernel counts the bytes of a process."""
    return read_io("self") is not None, "/proc/PID/io"


def children() -> Answer:
    """Tell whether the kernel lists the children of a process."""
    return os.path.exists(f"/proc/self/task/{os.getpid()}/children"), "/proc/PID/task/*/children"


def proportional_memory() -> Answer:
    """Tell whether proportional memory can be read at once."""
    return b"Pss:" in read_small("/proc/self/smaps_rollup"), "/proc/PID/smaps_rollup"


def exit_records() -> Answer:
    """Ask the kernel for exit records."""
    from longpole.record.taskstats import open_exit_records

    open_exit_records().close()
    return True, "taskstats answers"


def opened_files() -> Answer:
    """Ask the kernel for opens on all file systems."""
    from longpole.record.samplers.files import watch_opens

    os.close(watch_opens())
    return True, "fanotify answers"


def gpus() -> Answer:
    """Start the sampler of GPUs, and name what it finds."""
    if not gpu_driver_present():
        return False, "no NVIDIA driver"
    from longpole.record.samplers.gpu import GpuSampler

    heard = _Names()
    # only what it says of its resources is wanted, not a journal
    GpuSampler(heard, None)  # type: ignore[arg-type]
    return bool(heard.names), ", ".join(heard.names) or "a driver, but no GPU"


def pressure() -> Answer:
    """Tell whether the kernel accounts for pressure."""
    return bool(read_small("/proc/pressure/cpu")), "/proc/pressure"


def control_group() -> Answer:
    """Tell which version of control groups rules, and whether this process may make one of its own."""
    lines = read_small("/proc/self/cgroup").decode().split()
    own = next((line[3:] for line in lines if line.startswith("0::")), None)
    if own is None or not os.path.exists(f"{_CGROUPS}/cgroup.controllers"):
        return False, "version 1" if lines else "none"
    folder = f"{_CGROUPS}{own}"
    writable = os.access(folder, os.W_OK) and os.access(f"{folder}/cgroup.subtree_control", os.W_OK)
    return writable, "version 2, delegated" if writable else "version 2, not delegated to this user"


def hardware_counters() -> Answer:
    """Open a counter of this process's own instructions."""
    level = read_small("/proc/sys/kernel/perf_event_paranoid").decode().strip() or "unknown"
    library = ctypes.CDLL(None, use_errno=True)
    number = _PERF_EVENT_OPEN[os.uname().machine]
    attributes = ctypes.create_string_buffer(_INSTRUCTIONS, 64)
    descriptor = library.syscall(number, attributes, 0, -1, -1, 0)
    if descriptor < 0:
        absent = ctypes.get_errno() in (errno.ENOENT, errno.ENODEV, errno.EOPNOTSUPP, errno.ENOSYS)
        reason = "this machine offers none" if absent else os.strerror(ctypes.get_errno())
        return False, f"{reason} (perf_event_paranoid is {level})"
    os.close(descriptor)
    return True, f"perf_event_paranoid is {level}"


def _free(folder: str) -> int:
    """Return how many bytes this user can put into a folder, having made something in it."""
    os.rmdir(tempfile.mkdtemp(prefix=".longpole-", dir=folder))
    room = os.statvfs(folder)
    return room.f_bavail * room.f_frsize


class _Names:
    """Stands in for a journal: keeps the names of the resources it is told of."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def note(self, about: str, **facts: object) -> None:
        name = str(facts.get("name", ""))
        if about == "resource" and name not in self.names:
            self.names.append(name)
