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


def permissions(runs: str = "") -> tuple[Permission, ...]:
    """Return what this user may see on this machine; ``runs`` is a folder of runs, if not the usual one."""
    return (
        _ask(
            "runs folder",
            lambda: probes.runs_folder(runs),
            "a place to keep runs",
            "Set LONGPOLE_RUNS to a folder of yours, or give --runs.",
        ),
        _ask(
            "memory for phases",
            probes.phase_memory,
            "phases of your programs, 1 MB of /dev/shm for each process that marks some",
            "Free /dev/shm; in a container give it more, e.g. docker run --shm-size=1g.",
        ),
        _ask(
            "bytes of processes",
            probes.process_bytes,
            "bytes by system calls and to storage",
            _NEWER_KERNEL.format("CONFIG_TASK_IO_ACCOUNTING"),
        ),
        _ask(
            "finding processes",
            probes.children,
            "the processes a command starts, found without searching the whole machine",
            _NEWER_KERNEL.format("CONFIG_PROC_CHILDREN"),
        ),
        _ask(
            "proportional memory",
            probes.proportional_memory,
            "memory in which a page shared by many processes counts once (PSS), instead of once for each",
            _NEWER_KERNEL.format("CONFIG_PROC_PAGE_MONITOR (Linux 4.14 or later)"),
        ),
        _ask(
            "exit records",
            probes.exit_records,
            "every process, however short, with its exact CPU time, bytes and peak memory (taskstats)",
            _CAPABILITY.format("net_admin") + "; in a container, the host's pid and user namespace too.",
        ),
        _ask(
            "opened files",
            probes.opened_files,
            "record --files: which files each process opened (fanotify)",
            _CAPABILITY.format("sys_admin"),
        ),
        _ask(
            "GPUs",
            probes.gpus,
            "how busy each NVIDIA GPU is, its memory and power (NVML)",
            "On a machine with a GPU: install the NVIDIA driver, and let the container see the device.",
        ),
        _ask(
            "pressure",
            probes.pressure,
            "how long tasks of the host waited for a core, memory or I/O (PSI)",
            "Boot the kernel with psi=1.",
        ),
        _ask(
            "control groups",
            probes.control_group,
            "peak memory of a whole tree as the kernel keeps it; no recording depends on it",
            "With version 2 and systemd: systemd-run --user --scope -p Delegate=yes longpole record ...",
        ),
        _ask(
            "hardware counters",
            probes.hardware_counters,
            "instructions and cache misses; no recording depends on them yet",
            "Above 2: sudo sysctl kernel.perf_event_paranoid=2. Virtual machines often have none.",
        ),
    )


def _ask(name: str, probe: Callable[[], tuple[bool, str]], adds: str, remedy: str) -> Permission:
    try:
        permitted, found = probe()
    except Exception as error:  # noqa: BLE001  whatever a strange kernel does is an answer
        permitted, found = False, getattr(error, "strerror", None) or str(error) or type(error).__name__
    return Permission(name, permitted, found, adds, "" if permitted else remedy)
