"""Memory limits by watching: the memory of a job's processes, summed up now and then.

Method: a job is its first process, all that descend from it, all of its process group and session, and
whoever was seen to belong to it before. Memory is what is resident and no file of a disk: RssAnon and
RssShmem. Processes share pages after a fork, which that counts for each of them; so a job over its limit is
looked at again by its share of each page (PSS) before it is named. Leaves out: what comes and goes between
two looks, and swap.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from longpole.record.proc import read_small
from longpole.units import Bytes, Nanoseconds

INTERVAL_NS = 500_000_000
_RESIDENT = (b"RssAnon:", b"RssShmem:")
_PROPORTIONAL = (b"Pss_Anon:", b"Pss_Shmem:")


@dataclass(frozen=True, slots=True)
class Process:
    """What of a process tells whose it is. Pids recur, but not with the same start."""

    pid: int
    parent: int
    group: int
    session: int
    start_ticks: int


@dataclass(slots=True)
class WatchedLimit:
    """The limit of one job, by watching."""

    size_bytes: Bytes
    first: int = 0
    known: frozenset[tuple[int, int]] = frozenset()
    over: bool = False
    closed: bool = False
    peak: Bytes | None = field(default=None)

    def wrap(self, arguments: Sequence[str]) -> list[str]:
        """Return the arguments: nothing has to be done before the job starts."""
        return list(arguments)

    def started(self, pid: int) -> None:
        """Take the first process of the job."""
        self.first = pid

    def ran_out(self) -> bool:
        """Return whether the job was over its limit at a look."""
        return self.over

    def peak_bytes(self) -> Bytes | None:
        """Return the most memory that the job had at a look; None if nobody has looked."""
        return self.peak

    def close(self) -> None:
        """Look at the job no more."""
        self.closed = True


class Watch:
    """The limits of all jobs of a driver, by watching."""

    how = "watched"

    def __init__(self, interval_ns: Nanoseconds = INTERVAL_NS) -> None:
        """Look at most once in an interval."""
        self._interval_ns = interval_ns
        self._due_ns = 0
        self._limits: dict[str, WatchedLimit] = {}

    def create(self, key: str, size_bytes: Bytes) -> WatchedLimit:
        """Return a limit for a job; it is held from when its first process is known."""
        self._limits[key] = WatchedLimit(size_bytes)
        return self._limits[key]

    def look(self, now_ns: Nanoseconds) -> list[str]:
        """Return the keys of jobs that are over their limit, if it is time to look."""
        if now_ns < self._due_ns:
            return []
        self._due_ns = now_ns + self._interval_ns
        self._limits = {key: limit for key, limit in self._limits.items() if not limit.closed}
        watched = {key: limit for key, limit in self._limits.items() if limit.first}
        processes = read_processes() if watched else []
        return [key for key, limit in watched.items() if _is_over(limit, processes)]

    def close(self) -> None:
        """Look at nothing any more."""
        self._limits.clear()


def job_of(first: int, known: frozenset[tuple[int, int]], processes: Sequence[Process]) -> list[Process]:
    """Return the processes of a job, given its first one and those that were known before."""
    found = {
        process.pid
        for process in processes
        if first in (process.pid, process.group, process.session)
        or (process.pid, process.start_ticks) in known
    }
    children: dict[int, list[int]] = {}
    for process in processes:
        children.setdefault(process.parent, []).append(process.pid)
    waiting = list(found)
    while waiting:
        new = [child for child in children.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += new
    return [process for process in processes if process.pid in found]


def read_processes() -> list[Process]:
    """Return all processes of this machine that we can see."""
    lines = (read_small(f"/proc/{name}/stat") for name in os.listdir("/proc") if name.isdigit())
    return [_parse(line) for line in lines if line]


def _parse(line: bytes) -> Process:
    """Parse a line of /proc/PID/stat; a name of a command may hold any byte, so it ends at the last ``)``."""
    fields = line[line.rindex(b")") + 2 :].split(b" ", 20)
    parent, group, session = map(int, fields[1:4])
    return Process(int(line.split(b" ", 1)[0]), parent, group, session, int(fields[19]))


def _is_over(limit: WatchedLimit, processes: Sequence[Process]) -> bool:
    job = job_of(limit.first, limit.known, processes)
    limit.known = frozenset((process.pid, process.start_ticks) for process in job)
    used = _sum(job, _resident)
    if used > limit.size_bytes:
        used = min(used, _sum(job, _proportional))
    limit.peak = max(limit.peak or 0, used)
    limit.over = limit.over or used > limit.size_bytes
    return used > limit.size_bytes


def _sum(job: Iterable[Process], memory: Callable[[int], Bytes]) -> Bytes:
    return sum(memory(process.pid) for process in job)


def _resident(pid: int) -> Bytes:
    return _lines_sum(read_small(f"/proc/{pid}/status"), _RESIDENT)


def _proportional(pid: int) -> Bytes:
    """Return the share of its pages; what is resident where the kernel does not tell."""
    text = read_small(f"/proc/{pid}/smaps_rollup")
    return _lines_sum(text, _PROPORTIONAL) if b"Pss_Anon:" in text else _resident(pid)


def _lines_sum(text: bytes, names: Sequence[bytes]) -> Bytes:
    lines = (line.split() for line in text.splitlines() if line.startswith(tuple(names)))
    return sum(int(line[1]) * 1024 for line in lines)
