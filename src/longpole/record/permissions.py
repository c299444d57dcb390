"""What this machine permits: every source a recording can use, what it adds, and how to get it.

Each is tried as a recording would use it; a probe that fails in whatever way is an answer, never an error.
"""

from __future__ import annotations

from collections.abc import Callable

from longpole.model.permission import Permission
from longpole.record import probes

_CAPABILITY = (
    "As root, for one recording: setpriv --reuid=$USER --regid=$USER --init-groups"
    " --inh-caps=+{0} --ambient-caps=+{0} longpole record ..."
)
_NEWER_KERNEL = "A kernel built with {0}; nothing an ordinary user can change."

# Each source: its name, the probe that tries it, what it adds to a run, and how to get it.
_SOURCES = (
    (
        "runs folder",
        "runs_folder",
        "a place to keep runs",
        "Set LONGPOLE_RUNS to a folder of yours, or give --runs.",
    ),
    (
        "memory for phases",
        "phase_memory",
        "phases of your programs, 4 MB of /dev/shm for each process that marks some",
        "Free /dev/shm; in a container give it more, e.g. docker run --shm-size=1g.",
    ),
    (
        "bytes of processes",
        "process_bytes",
        "bytes by system calls and to storage",
        _NEWER_KERNEL.format("CONFIG_TASK_IO_ACCOUNTING"),
    ),
    (
        "finding processes",
        "children",
        "the processes a command starts, found without searching the whole machine",
        _NEWER_KERNEL.format("CONFIG_PROC_CHILDREN"),
    ),
    (
        "proportional memory",
        "proportional_memory",
        "memory in which a page shared by many processes counts once (PSS), instead of once for each",
        _NEWER_KERNEL.format("CONFIG_PROC_PAGE_MONITOR (Linux 4.14 or later)"),
    ),
    (
        "exit records",
        "exit_records",
        "every process, however short, with its exact CPU time, bytes and peak memory (taskstats)",
        _CAPABILITY.format("net_admin") + "; in a container, the host's pid and user namespace too.",
    ),
    (
        "opened files",
        "opened_files",
        "record --files: which files each process opened (fanotify)",
        _CAPABILITY.format("sys_admin"),
    ),
    (
        "GPUs",
        "gpus",
        "how busy each NVIDIA GPU is, its memory and power (NVML)",
        "On a machine with a GPU: install the NVIDIA driver, and let the container see the device.",
    ),
    (
        "pressure",
        "pressure",
        "how long tasks of the host waited for a core, memory or I/O (PSI)",
        "Boot the kernel with psi=1.",
    ),
    (
        "control groups",
        "control_group",
        "peak memory of a whole tree as the kernel keeps it; no recording depends on it",
        "With version 2 and systemd: systemd-run --user --scope -p Delegate=yes longpole record ...",
    ),
    (
        "hardware counters",
        "hardware_counters",
        "instructions and cache misses; no recording depends on them yet",
        "Above 2: sudo sysctl kernel.perf_event_paranoid=2. Virtual machines often have none.",
    ),
)


def permissions(runs: str = "") -> tuple[Permission, ...]:
    """Return what this user may see on this machine; ``runs`` is a folder of runs, if not the usual one."""
    return tuple(_ask(name, _probe(probe, runs), adds, remedy) for name, probe, adds, remedy in _SOURCES)


def _probe(name: str, runs: str) -> Callable[[], tuple[bool, str]]:
    if name == "runs_folder":
        return lambda: probes.runs_folder(runs)
    probe: Callable[[], tuple[bool, str]] = getattr(probes, name)
    return probe


def _ask(name: str, probe: Callable[[], tuple[bool, str]], adds: str, remedy: str) -> Permission:
    try:
        permitted, found = probe()
    except Exception as error:  # noqa: BLE001  whatever a strange kernel does is an answer
        permitted, found = False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    return Permission(name, permitted, found, adds, "" if permitted else remedy)
