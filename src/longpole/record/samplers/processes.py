"""Processes of the command, some ten times a second: CPU time, memory and bytes of each.

Method: /proc files with kept descriptors. /proc/PID/io also counts children that were reaped, which would
show their bytes twice; a process with one thread is therefore read by that thread's own file, and one with
several by the whole, less the last reading of every child that has ended since. New processes are looked
for only when the kernel has given out a new pid since the last time, and at most so often that the search
stays within its share of one core.
A reading without any change is not written; the next one then covers the longer interval. Proportional
memory (PSS) is dear to read: each process gets its turn when the budget allows, a new one first, and its
resident size moves the value between two readings.
"""

from __future__ import annotations

import os
from time import monotonic_ns, thread_time_ns

from longpole.log.slots import PROCESS_SAMPLE, PROCESS_SAMPLE_LAYOUT
from longpole.record.proc import ENDED, TICK_NS, Stat, parse_io, read_small, start_ns

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Member, Tree

# Shares of one core that a search for processes, and readings of PSS, may take.
_SEARCH_SHARE = 0.001
_MEMORY_SHARE = 0.00025
# The first searches run on cold caches and would be held against the ones that matter.
_FREE_SEARCHES = 10
_LONGEST_PAUSE_NS = 2_000_000_000
_MOST_OPEN = 400
_U32 = 0xFFFFFFFF


class _Reading:
    """The last reading of one process, and the descriptors it is read by."""

    __slots__ = (
        *("at_ns", "bytes", "counters", "io", "member", "pss_kib", "pss_resident_kib", "resident_kib"),
        *("own", "pss_at_ns", "stat", "whole"),
    )

    def __init__(self, member: Member, now_ns: int) -> None:
        self.member = member
        self.at_ns = now_ns
        self.counters: tuple[int, ...] = (0, 0, 0, 0, 0, 0)
        self.bytes: tuple[int, ...] = (0, 0, 0, 0)
        self.own: tuple[int, ...] = (0, 0, 0, 0)
        self.resident_kib = 0
        self.pss_kib = 0
        self.pss_at_ns = 0
        self.pss_resident_kib = 0
        self.stat = _open(f"/proc/{member.pid}/stat")
        self.whole = member.threads > 1
        self.io = _open(self.io_path)

    @property
    def io_path(self) -> str:
        pid = self.member.pid
        return f"/proc/{pid}/io" if self.whole else f"/proc/{pid}/task/{pid}/io"

    def leave_out_the_past(self) -> None:
        """Count what the process uses from now on."""
        try:
            stat = Stat(_pread(self.stat, f"/proc/{self.member.pid}/stat"))
            self.counters = (stat.cpu_user_us, stat.cpu_system_us, 0, 0, 0, 0)
            self.bytes = parse_io(_pread(self.io, self.io_path))
        except (OSError, ValueError, IndexError):
            pass  # it is gone, or its bytes are not for us: the next reading tells

    def read_whole(self) -> None:
        """Change from the one thread's file to that of the whole process, at its present state."""
        if self.io >= 0:
            os.close(self.io)
        self.whole = True
        self.io = _open(self.io_path)
        self.bytes = parse_io(_pread(self.io, self.io_path))

    def close(self) -> None:
        for descriptor in (self.stat, self.io):
            if descriptor >= 0:
                os.close(descriptor)


class ProcessSampler:
    """Samples every living process of the command."""

    name = "processes"

    def __init__(self, journal: Journal, tree: Tree, rate_hz: float, since_ns: int = 0) -> None:
        """Sample ``rate_hz`` times a second.

        What a process used before ``since_ns`` is left out; it is read at once, not when its turn comes.
        """
        self.period_s = 1 / rate_hz
        self._journal = journal
        self._tree = tree
        self._readings: dict[int, _Reading] = {}
        self._last_pid = _open("/proc/loadavg")
        self._newest = b""
        self._search_after = 0
        self._searches = 0
        self._memory_after = 0
        self.unreadable: set[int] = set()
        self._since_ns = since_ns
        if since_ns:
            self._search(monotonic_ns())

    def sample(self, now_ns: int) -> None:
        """Read every process once, children before their parents, who may have just reaped them."""
        self._search(now_ns)
        for pid in reversed(list(self._readings)):
            self._read(self._readings[pid], now_ns)
        self._read_memory(now_ns)

    def finish(self) -> None:
        """Write a last reading of each process that is still there."""
        self._search_after = 0
        self.period_s = 0.0  # however short ago the one before was
        self.sample(monotonic_ns())

    def _search(self, now_ns: int) -> None:
        newest = os.pread(self._last_pid, 128, 0).rsplit(b" ", 1)[-1] if self._last_pid >= 0 else b"?"
        if now_ns < self._search_after or (newest == self._newest and newest != b"?"):
            return
        self._newest = newest
        began = thread_time_ns()
        self._tree.find()
        for pid, member in self._tree.members.items():
            if pid not in self._readings:
                self._readings[pid] = self._first_reading(member, now_ns)
        self._searches += 1
        if self._searches > _FREE_SEARCHES:
            pause = int((thread_time_ns() - began) / _SEARCH_SHARE)
            self._search_after = now_ns + min(pause, _LONGEST_PAUSE_NS)

    def _first_reading(self, member: Member, now_ns: int) -> _Reading:
        reading = _Reading(member, now_ns)
        if start_ns(member.start_ticks) + TICK_NS <= self._since_ns:
            reading.leave_out_the_past()
        return reading

    def _read(self, reading: _Reading, now_ns: int) -> None:
        try:
            stat = Stat(_pread(reading.stat, f"/proc/{reading.member.pid}/stat"))
            if stat.start_ticks != reading.member.start_ticks:
                raise ProcessLookupError
        except (OSError, ValueError):
            self._forget(reading, now_ns)
            return
        if reading.member.became(stat):
            self._tree.note(reading.member, stat)
        reading.member.threads = stat.threads
        counters = (stat.cpu_user_us, stat.cpu_system_us, *self._read_bytes(reading, stat))
        if self._worth_writing(reading, counters, stat.resident_kib, now_ns):
            self._write(reading, counters, stat, now_ns)

    def _read_bytes(self, reading: _Reading, stat: Stat) -> tuple[int, ...]:
        """Return the process's own bytes since it was first seen."""
        before = reading.bytes
        try:
            if stat.threads > 1 and not reading.whole:
                reading.read_whole()
                return reading.own
            reading.bytes = parse_io(_pread(reading.io, reading.io_path))
        except (OSError, ValueError, IndexError):
            if stat.state not in ENDED:  # nobody but root may open the bytes of one that has ended
                self._tell_unreadable(reading.member)
            return reading.own
        grown = zip(reading.own, reading.bytes, before, strict=True)
        reading.own = tuple(known + max(0, new - old) for known, new, old in grown)
        return reading.own

    def _tell_unreadable(self, member: Member) -> None:
        if member.number not in self.unreadable:
            self.unreadable.add(member.number)
            self._journal.note("unreadable", number=member.number)

    def _worth_writing(
        self, reading: _Reading, counters: tuple[int, ...], resident_kib: int, now_ns: int
    ) -> bool:
        changed = counters != reading.counters or resident_kib != reading.resident_kib
        return changed and now_ns - reading.at_ns >= self.period_s * 0.5e9 * self._journal.stretch

    def _write(self, reading: _Reading, counters: tuple[int, ...], stat: Stat, now_ns: int) -> None:
        deltas = [min(max(new - old, 0), _U32) for new, old in zip(counters, reading.counters, strict=True)]
        estimate = (
            max(0, reading.pss_kib + stat.resident_kib - reading.pss_resident_kib) if reading.pss_kib else 0
        )
        memory = (min(stat.resident_kib, _U32), min(estimate, _U32))
        first = (PROCESS_SAMPLE, stat.state[0], min(stat.threads, 65535), reading.member.number)
        fields = (*first, reading.at_ns, now_ns, *deltas[:2], *memory, *deltas[2:], 0)
        self._journal.slot(PROCESS_SAMPLE_LAYOUT.pack(*fields))
        reading.at_ns = now_ns
        reading.counters = counters
        reading.resident_kib = stat.resident_kib

    def _read_memory(self, now_ns: int) -> None:
        """Read PSS of the next process in turn, as often as its cost allows."""
        if now_ns < self._memory_after or not self._readings:
            return
        began = thread_time_ns()
        reading = min(self._readings.values(), key=lambda one: one.pss_at_ns)
        reading.pss_at_ns = now_ns
        for line in read_small(f"/proc/{reading.member.pid}/smaps_rollup").split(b"\n"):
            if line.startswith(b"Pss:"):
                reading.pss_kib = int(line.split()[1])
                reading.pss_resident_kib = reading.resident_kib
        self._memory_after = now_ns + int((thread_time_ns() - began) / _MEMORY_SHARE)

    def _forget(self, reading: _Reading, now_ns: int) -> None:
        self._take_from_parent(reading)
        reading.close()
        del self._readings[reading.member.pid]
        self._tree.drop(reading.member.pid, now_ns)

    def _take_from_parent(self, ended: _Reading) -> None:
        """Let the parent's next reading leave out what it has just got from this child."""
        parent = self._readings.get(ended.member.parent)
        if parent is not None and parent.whole:
            parent.bytes = tuple(map(sum, zip(parent.bytes, ended.bytes, strict=True)))


def _open(path: str) -> int:
    """Keep a descriptor, unless there are many already: those are then opened anew each time."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1
    if descriptor > _MOST_OPEN:
        os.close(descriptor)
        return -1
    return descriptor


def _pread(descriptor: int, path: str) -> bytes:
    return os.pread(descriptor, 4096, 0) if descriptor >= 0 else read_small(path)
