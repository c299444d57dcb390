"""Totals of a whole process tree, exact and without privilege, from what reaping adds to the reaper.

Method: when a process is reaped, the kernel adds its bytes, and those of all it had reaped itself, to its
reaper. The launcher, a subreaper, gets the command and every orphan. It has one thread and does nothing
between two readings of its own /proc/self/io but reap one process, so their difference, less the bytes of
the first reading, is what that process used: whoever it ran as, static or not. (Its own /proc entry would
say the same, but newer kernels let only root open that of a zombie.) CPU time is what wait4 says. Lost are
children of a parent that ignores SIGCHLD, and what was still running in a pid namespace when its first
process ended; the exit records of the agent have those too, where the system permits them.
"""

from __future__ import annotations

import os
from time import monotonic_ns

from longpole.log.slots import EXIT_BYTES, EXIT_BYTES_LAYOUT, EXIT_TIMES, EXIT_TIMES_LAYOUT
from longpole.record.proc import parse_io, read_io, read_small, read_stat, start_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.client.ring import Ring


class Reaper:
    """Reaps this process's children, writing what each has used into a ring."""

    def __init__(self, ring: Ring | None, agent: int = 0) -> None:
        """Write into ``ring``; the agent is a child too, but no part of the command."""
        self._ring = ring
        self._own_io = _open_own_io() if ring else -1
        self.agent = agent
        self.agent_status: int | None = None
        self.agent_cpu_s = 0.0

    def follow(self, agent: int) -> None:
        """Take another agent for the one that has ended."""
        self.wait_for_agent()
        self.agent, self.agent_status = agent, None

    def reap(self) -> list[tuple[int, int]]:
        """Reap every zombie there is; return the pid and wait status of each of the command's."""
        ended: list[tuple[int, int]] = []
        while True:
            try:
                zombie = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return ended
            if zombie is None:
                return ended
            if zombie.si_pid == self.agent:
                self.wait_for_agent()
            else:
                ended.append((zombie.si_pid, self._reap_one(zombie.si_pid)))

    def wait_for_agent(self) -> None:
        """Reap the agent, keeping what it has cost."""
        if self.agent and self.agent_status is None:
            _, self.agent_status, usage = os.wait4(self.agent, 0)
            self.agent_cpu_s = usage.ru_utime + usage.ru_stime

    def note_living(self, pid: int) -> None:
        """Write what a child that we will not outlive has used so far."""
        stat = read_stat(pid)
        if self._ring is not None and stat is not None:
            times = (
                stat.cpu_user_us + stat.children_user_us,
                stat.cpu_system_us + stat.children_system_us,
                -1,
            )
            self._write(pid, start_ns(stat.start_ticks), read_io(pid), times, stat.command)

    def _reap_one(self, pid: int) -> int:
        if self._ring is None:
            return os.waitpid(pid, 0)[1]
        stat = read_stat(pid)
        before = self._read_own_io()
        _, status, usage = os.wait4(pid, 0)
        after = self._read_own_io()
        began = start_ns(stat.start_ticks) if stat else monotonic_ns()
        times = (round(usage.ru_utime * 1e6), round(usage.ru_stime * 1e6), status)
        self._write(
            pid,
            began,
            grown(before, after) if before and after else None,
            times,
            stat.command if stat else "",
        )
        return status

    def _read_own_io(self) -> bytes:
        return os.pread(self._own_io, 4096, 0) if self._own_io >= 0 else b""

    def _write(
        self, pid: int, began: int, io: tuple[int, ...] | None, times: tuple[int, int, int], command: str
    ) -> None:
        ring = self._ring
        if ring is None:
            return
        now = monotonic_ns()
        name = ring.text(command) if command else 0
        ring.slot(EXIT_TIMES_LAYOUT, EXIT_TIMES, io is not None, 0, pid, began, now, *times, name, 0)
        if io is not None:
            ring.slot(EXIT_BYTES_LAYOUT, EXIT_BYTES, 0, 0, pid, began, now, *io)


def _open_own_io() -> int:
    """Open our own bytes; an interpreter with capabilities of its own may not even do that."""
    try:
        return os.open("/proc/self/io", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


def grown(before: bytes, after: bytes) -> tuple[int, ...]:
    r"""Return what two readings of our own bytes differ by, the first reading itself left out.

    Examples:
        >>> first = b"rchar: 10\nwchar: 5\nsyscr: 1\nsyscw: 1\nread_bytes: 0\nwrite_bytes: 0\n"
        >>> grown(first, first.replace(b"rchar: 10", b"rchar: %d" % (10 + len(first) + 64)))
        (64, 0, 0, 0)
    """
    own = (len(before), 0, 0, 0)
    differences = zip(parse_io(after), parse_io(before), own, strict=True)
    return tuple(max(0, new - old - ours) for new, old, ours in differences)


def children_of(pid: int) -> list[int]:
    """Return the children of a process with one thread."""
    return [int(child) for child in read_small(f"/proc/{pid}/task/{pid}/children").split()]
