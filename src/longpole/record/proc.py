"""What /proc says about a process: one reading each, parsed, with times on the monotonic clock."""

from __future__ import annotations

import os
import time

TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024

# Reading process starts needs the boot clock; everything else runs on the monotonic one.
BOOT_OFFSET_NS = time.monotonic_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)

# States of a process that has ended and waits to be reaped.
ENDED = (b"Z", b"X")


class Stat:
    """The fields we use of /proc/PID/stat."""

    __slots__ = (
        *("children_system_us", "children_user_us", "command", "cpu_system_us", "cpu_user_us"),
        *("image", "parent", "resident_kib", "start_ticks", "state", "threads"),
    )

    def __init__(self, line: bytes) -> None:
        """Parse a line; a command name may hold any byte, so it ends at the last parenthesis."""
        opening, closing = line.index(b"("), line.rindex(b")")
        fields = line[closing + 2 :].split(b" ", 26)
        self.command = line[opening + 1 : closing].decode("utf-8", "replace")
        self.state = fields[0]
        self.parent = int(fields[1])
        self.cpu_user_us = int(fields[11]) * TICK_NS // 1000
        self.cpu_system_us = int(fields[12]) * TICK_NS // 1000
        self.children_user_us = int(fields[13]) * TICK_NS // 1000
        self.children_system_us = int(fields[14]) * TICK_NS // 1000
        self.threads = int(fields[17])
        self.start_ticks = int(fields[19])
        self.resident_kib = int(fields[21]) * PAGE_KIB
        # Where the stack begins: another place for each program that is executed, the same in a fork of it.
        self.image = fields[25]

    @property
    def ended(self) -> bool:
        """Whether all of it has ended: the first thread of a process may go before the others."""
        return self.state in ENDED and self.threads <= 1


def start_ns(start_ticks: int) -> int:
    """Return when a process started, on the monotonic clock, to the length of a tick."""
    return start_ticks * TICK_NS + BOOT_OFFSET_NS


def read_stat(pid: int) -> Stat | None:
    """Return a process's status line, or nothing if it is gone."""
    line = read_small(f"/proc/{pid}/stat")
    return Stat(line) if line else None


def lives(pid: int, start_ticks: int) -> bool:
    """Return whether the process of this pid and start is there and has not ended: pids recur."""
    stat = read_stat(pid)
    return stat is not None and stat.start_ticks == start_ticks and not stat.ended


def inner_pid(pid: int) -> int:
    """Return the pid of a process as it sees it, perhaps in a namespace of its own; 0 if it is gone."""
    for line in read_small(f"/proc/{pid}/status").split(b"\n"):
        if line.startswith(b"NSpid:"):
            return int(line.split()[-1])
    return 0


def pipe_of(pid: int, descriptor: int) -> int | None:
    """Return the inode of the pipe that a descriptor of a process is; 0 for none, None if that is hidden."""
    try:
        target = os.readlink(f"/proc/{pid}/fd/{descriptor}")
    except OSError:
        return None
    return int(target[6:-1]) if target.startswith("pipe:[") else 0


def parse_io(text: bytes) -> tuple[int, int, int, int]:
    """Return bytes read, written, read from storage and written to storage.

    Writes that were cancelled because the file was deleted first are not subtracted: they were asked for.
    """
    lines = text.split(b"\n")
    return (int(lines[0][7:]), int(lines[1][7:]), int(lines[4][12:]), int(lines[5][13:]))


def read_io(pid: int | str) -> tuple[int, int, int, int] | None:
    """Return the bytes of a process, a zombie included, or nothing where we may not look."""
    text = read_small(f"/proc/{pid}/io")
    return parse_io(text) if text else None


def count_forks() -> int:
    """Return how many processes and threads the host has started since it booted."""
    for line in read_small("/proc/stat").split(b"\n"):
        if line.startswith(b"processes "):
            return int(line.split()[1])
    return 0


def read_small(path: str) -> bytes:
    """Return a small file of /proc at once, or nothing if it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 65536)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
