"""Exit records of the kernel (taskstats): every process of the command, however short.

Method: the kernel sends one record per ending thread; those of one process are summed when its last thread
ends. It reports every process of the host; ours are those whose parent is ours, which may become known
only later, so records wait a while. Needs CAP_NET_ADMIN in the first user and pid namespaces. Bytes of
system calls come rounded down to 1 KiB per thread. User and system time come by ticks; how long threads ran,
and how long they waited for a core, by the scheduler's clock. A record tells how long a process lived, not
when it ended: that is known to the time it takes to fetch it.
"""

from __future__ import annotations

import struct
from time import monotonic_ns, thread_time_ns

from longpole.record.discretion import mask_text
from longpole.record.taskstats import task_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Tree

_FORKED = 0x01
_LAST_THREAD = 0x20
_WAIT_NS = 10_000_000_000
_FORGET_NS = 30_000_000_000
_SETTLE_NS = 1_000_000_000
# On a host where others start many processes, their records cost us too: fetch them less often then.
_SHARE = 0.002
_LONGEST_PAUSE_NS = 200_000_000

_PID = struct.Struct("<I")
_WHOLE = struct.Struct("<Q")
_IDENTITY = struct.Struct("<32s16xIII")
_TIMES = struct.Struct("<QQQ")
_WAITED, _RAN = 24, 72
_BYTES = struct.Struct("<QQ16xQQ")


class Ended:
    """What one process has used, over all its threads."""

    __slots__ = (
        "command",
        "counters",
        "elapsed_us",
        "forked",
        "parent",
        "peak_kib",
        "pid",
        "ran_ns",
        "seen_ns",
        "status",
        "waited_ns",
    )

    def __init__(self, pid: int, seen_ns: int) -> None:
        """Start with nothing."""
        self.pid = pid
        self.seen_ns = seen_ns
        self.parent = 0
        self.command = ""
        self.status = 0
        self.elapsed_us = 0
        self.peak_kib = 0
        self.ran_ns = 0
        self.waited_ns = 0
        self.forked = False
        self.counters = [0, 0, 0, 0, 0, 0]

    def add(self, record: memoryview) -> bool:
        """Add one thread's record; return whether it was the last of its process."""
        name, thread, self.parent, _ = _IDENTITY.unpack_from(record, 80)
        if thread == self.pid:  # other threads never execute a program
            self.forked = bool(record[8] & _FORKED)
        _, user, system = _TIMES.unpack_from(record, 144)
        for at, value in enumerate((user, system, *_BYTES.unpack_from(record, 216))):
            self.counters[at] += value
        self.ran_ns += _WHOLE.unpack_from(record, _RAN)[0]
        self.waited_ns += _WHOLE.unpack_from(record, _WAITED)[0]
        self.peak_kib = max(self.peak_kib, _WHOLE.unpack_from(record, 200)[0])
        if not record[8] & _LAST_THREAD:
            return False
        self.command = name.partition(b"\0")[0].decode("utf-8", "replace")
        self.status = struct.unpack_from("<I", record, 4)[0]
        self.elapsed_us = _WHOLE.unpack_from(record, 376)[0]
        return True


class _Held:
    """Records of a process that is not known to be ours, as they came: most are of other people."""

    __slots__ = ("parent", "records", "seen_ns")

    def __init__(self, parent: int, seen_ns: int) -> None:
        self.parent = parent
        self.seen_ns = seen_ns
        self.records: list[memoryview] = []


class ExitRecords:
    """Reads exit records and notes those of the command."""

    name = "exit records"
    period_s = 1.0

    def __init__(self, journal: Journal, tree: Tree, stream: _socket.socket) -> None:
        """Read from a socket that ``open_exit_records`` has registered."""
        self._journal = journal
        self._tree = tree
        self._stream = stream
        self._threads: dict[int, Ended] = {}
        self._held: dict[int, _Held] = {}
        self._children: dict[int, list[int]] = {}
        self._settled_ns = 0
        self._admitted = 0
        self.wake_after_ns = 0
        self.overrun = False

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a process has ended."""
        return self._stream.fileno()

    def sample(self, now_ns: int) -> None:
        """Take all records that have come; where many come, wait longer before the next time."""
        began = thread_time_ns()
        self._receive(now_ns)
        if self._tree.admitted != self._admitted or now_ns - self._settled_ns > _SETTLE_NS:
            self._settle(now_ns)
        pause = int((thread_time_ns() - began) / _SHARE)
        self.wake_after_ns = now_ns + min(pause, _LONGEST_PAUSE_NS)

    def finish(self) -> None:
        """Take what has come since."""
        self.sample(monotonic_ns())
        self._settle(monotonic_ns())

    def _receive(self, now_ns: int) -> None:
        while True:
            try:
                message = self._stream.recv(65536)
            except BlockingIOError:
                return
            except OSError:  # ENOBUFS: more ended at once than the buffer holds
                self.overrun = True
                continue
            for record in task_records(message):
                self._sort(record, now_ns)

    def _sort(self, record: memoryview, now_ns: int) -> None:
        """Take a record of ours; hold one that may turn out to be, at as little cost as can be."""
        pid, parent = _PID.unpack_from(record, 368)[0], _PID.unpack_from(record, 132)[0]
        if pid in self._tree.members or self._parent_number(parent) is not None:
            self._take(pid, record, now_ns)
            return
        held = self._held.get(pid)
        if held is None:
            held = self._held[pid] = _Held(parent, now_ns)
        held.records.append(record)
        if record[8] & _LAST_THREAD:
            held.parent, held.seen_ns = parent, now_ns
            self._children.setdefault(parent, []).append(pid)

    def _take(self, pid: int, record: memoryview, now_ns: int) -> None:
        ended = self._threads.get(pid)
        if ended is None:
            ended = self._threads[pid] = Ended(pid, now_ns)
            held = self._held.pop(pid, None)
            for earlier in held.records if held else ():
                ended.add(earlier)
        if ended.add(record):
            del self._threads[pid]
            ended.seen_ns = now_ns
            self._place(ended)

    def _place(self, ended: Ended) -> None:
        """Note a process of ours, and those that waited for it."""
        if ended.pid not in self._tree.recorders:
            number = self._tree.number_of_ended(ended.pid, ended.seen_ns)
            self._note(ended, number, self._parent_number(ended.parent) or 0)
            self._release_children(ended.pid)

    def _release_children(self, parent: int) -> None:
        for pid in self._children.pop(parent, ()):
            held = self._held.pop(pid, None)
            for record in held.records if held else ():
                self._take(pid, record, held.seen_ns)  # type: ignore[union-attr]

    def _parent_number(self, pid: int) -> int | None:
        return 0 if self._tree.is_launcher(pid) else self._tree.known(pid)

    def _settle(self, now_ns: int) -> None:
        """Take records whose parent has been found since, and let old ones of other people go."""
        self._settled_ns, self._admitted = now_ns, self._tree.admitted
        for parent in [pid for pid in self._children if self._parent_number(pid) is not None]:
            self._release_children(parent)
        old = now_ns - _WAIT_NS
        self._held = {pid: held for pid, held in self._held.items() if held.seen_ns > old}
        waiting = {
            parent: [pid for pid in pids if pid in self._held] for parent, pids in self._children.items()
        }
        self._children = {parent: pids for parent, pids in waiting.items() if pids}
        self._tree.forget_before(now_ns - _FORGET_NS)

    def _note(self, ended: Ended, number: int, parent: int) -> None:
        user, system, read, written, storage_read, storage_written = ended.counters
        forked = {"forked": True} if ended.forked else {}
        self._journal.note(
            "exit",
            number=number,
            pid=ended.pid,
            parent=parent,
            comm=mask_text(ended.command),
            start=ended.seen_ns - ended.elapsed_us * 1000,
            end=ended.seen_ns,
            status=ended.status,
            peak_kib=ended.peak_kib,
            used=[user, system, read, written, storage_read, storage_written],
            ran_ns=ended.ran_ns,
            waited_ns=ended.waited_ns,
            **forked,
        )
