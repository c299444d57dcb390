"""Processes of jobs: starting one as cheaply as the system permits, and reaping it with what it has used.

Method: ``posix_spawn`` copies no memory. Each process leads a group of its own, so that a terminal's signals
stay away from it and all that it leaves behind can be ended with it. When it is reaped, the kernel adds its
bytes, and those of all it had reaped itself, to ours: with one thread, and nothing done between two readings
of our own counts, their difference is what it used. CPU time and peak memory are what ``wait4`` says.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from time import monotonic_ns
from typing import NamedTuple

from longpole.record.proc import read_small

# Python ignores some of these from its start on, and we take others: a job finds them as they usually are.
_USUAL = (
    *(signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD),
    *(signal.SIGQUIT, signal.SIGWINCH),
)


class Reaped(NamedTuple):
    """A process that has ended.

    Attributes:
        pid: Which.
        status: Its wait status.
        end_ns: When that was seen.
        used: User and system CPU time in us, bytes read and written by calls, the same of storage, and, if
            it can be told, peak memory in KiB.
    """

    pid: int
    status: int
    end_ns: int
    used: tuple[int, ...]


class Processes:
    """Starts and reaps processes; one object, in a process with one thread."""

    def __init__(self) -> None:
        """Open what is read at every end."""
        self._null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
        self._own_io = _open_own_io()
        self._own_peak_kib = _own_peak_kib()

    def start(self, arguments: list[str], environment: Mapping[str, str], folder: str, output: int) -> int:
        """Start a program in a folder, with its output going to a descriptor; return its pid.

        Raises:
            OSError: It cannot be executed, or the folder is not there.
        """
        os.chdir(folder)
        streams = [
            (os.POSIX_SPAWN_DUP2, self._null, 0),
            (os.POSIX_SPAWN_DUP2, output, 1),
            (os.POSIX_SPAWN_DUP2, output, 2),
        ]
        return os.posix_spawn(
            arguments[0],
            arguments,
            environment,
            file_actions=streams,
            setpgroup=0,
            setsigmask=(),
            setsigdef=_USUAL,
        )

    def reap(self) -> list[Reaped]:
        """Return all processes that have ended since the last time, with all they left behind ended too."""
        ended: list[Reaped] = []
        while True:
            try:
                zombie = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return ended
            if zombie is None:
                return ended
            ended.append(self._reap_one(zombie.si_pid))

    def wait(self, pid: int) -> Reaped:
        """Wait for one process, and end all it left behind; nobody else may reap it meanwhile."""
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        return self._reap_one(pid)

    def close(self) -> None:
        """Let go of what was opened."""
        os.close(self._null)
        if self._own_io >= 0:
            os.close(self._own_io)

    def _reap_one(self, pid: int) -> Reaped:
        end_ns = monotonic_ns()
        end_group(pid, signal.SIGKILL)  # while its pid is still taken, no stranger can be meant
        before = self._read_own_io()
        _, status, usage = os.wait4(pid, 0)
        after = self._read_own_io()
        used = _grown(before.split(), after.split(), len(before)) if before and after else (0, 0, 0, 0)
        cpu = int(usage.ru_utime * 1e6), int(usage.ru_stime * 1e6)
        return Reaped(pid, status, end_ns, (*cpu, *used, *self._peak(usage.ru_maxrss)))

    def _peak(self, told_kib: int) -> tuple[int, ...]:
        """Return the peak memory of a process, if it can be known.

        Until it executes its program, a process has our memory, and the kernel counts that as its own.
        """
        if told_kib > self._own_peak_kib:
            self._own_peak_kib = max(self._own_peak_kib, _own_peak_kib())
        return (told_kib,) if told_kib > self._own_peak_kib else ()

    def _read_own_io(self) -> bytes:
        return os.pread(self._own_io, 4096, 0) if self._own_io >= 0 else b""


def _grown(before: list[bytes], after: list[bytes], reading: int) -> tuple[int, int, int, int]:
    """Return by how much our own bytes have grown, the first reading left out; see ``record.reaper``."""
    return (
        max(0, int(after[1]) - int(before[1]) - reading),
        max(0, int(after[3]) - int(before[3])),
        max(0, int(after[9]) - int(before[9])),
        max(0, int(after[11]) - int(before[11])),
    )


def end_group(pid: int, number: int) -> None:
    """Send a signal to all processes of a job; one without a group of its own gets it alone."""
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        pass  # it leads no group, or everything in it has ended


def _own_peak_kib() -> int:
    """Return the most memory we have had since this program was executed."""
    for line in read_small("/proc/self/status").split(b"\n"):
        if line.startswith(b"VmHWM:"):
            return int(line.split()[1])
    return 0


def _open_own_io() -> int:
    try:
        return os.open("/proc/self/io", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
