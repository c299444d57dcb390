"""Exit records of the kernel (taskstats): every process of the command, however short.

Method: the kernel sends one record per ending thread; those of one process are summed when its last thread
ends. It reports every process of the host; ours are those whose parent is ours, which may become known
only later, so records wait a while. Needs CAP_NET_ADMIN in the first user and pid namespaces. Bytes of
system calls come rounded down to 1 KiB per thread. A record tells how long a process
lived, not when it ended: that is known to the time it takes to fetch it, some 10 ms.
"""

from __future__ import annotations

import struct
from time import monotonic_ns

from longpole.record.discretion import mask_text
from longpole.record.taskstats import task_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket

    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Tree

_LAST_THREAD = 0x20
_WAIT_NS = 30_000_000_000
_SETTLE_NS = 1_000_000_000

_IDENTITY = struct.Struct("<32s16xIII")
_TIMES = struct.Struct("<QQQ")
_BYTES = struct.Struct("<QQ16xQQ")


class Ended:
    """What one process has used, over all its threads."""

    __slots__ = ("command", "counters", "elapsed_us", "parent", "peak_kib", "pid", "seen_ns", "status")

    def __init__(self, pid: int, seen_ns: int) -> None:
        """Start with nothing."""
        self.pid = pid
        self.seen_ns = seen_ns
        self.parent = 0
        self.command = ""
        self.status = 0
        self.elapsed_us = 0
        self.peak_kib = 0
        self.counters = [0, 0, 0, 0, 0, 0]

    def add(self, record: memoryview) -> bool:
        """Add one thread's record; return whether it was the last of its process."""
        name, _, self.parent, _ = _IDENTITY.unpack_from(record, 80)
        _, user, system = _TIMES.unpack_from(record, 144)
        for at, value in enumerate((user, system, *_BYTES.unpack_from(record, 216))):
            self.counters[at] += value
        self.peak_kib = max(self.peak_kib, *struct.unpack_from("<Q", record, 200))
        if not record[8] & _LAST_THREAD:
            return False
        self.command = name.partition(b"\0")[0].decode("utf-8", "replace")
        self.status = struct.unpack_from("<I", record, 4)[0]
        self.elapsed_us = struct.unpack_from("<Q", record, 376)[0]
        return True


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
        self._waiting: dict[int, list[Ended]] = {}
        self._settled_ns = 0
        self.overrun = False

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a process has ended."""
        return self._stream.fileno()

    def sample(self, now_ns: int) -> None:
        """Take all records that have come."""
        while True:
            try:
                message = self._stream.recv(65536)
            except BlockingIOError:
                break
            except OSError:  # ENOBUFS: more ended at once than the buffer holds
                self.overrun = True
                continue
            for record in task_records(message):
                self._take(record, now_ns)
        if self._waiting or now_ns - self._settled_ns > _SETTLE_NS:
            self._settle(now_ns)

    def finish(self) -> None:
        """Take what has come since."""
        self.sample(monotonic_ns())

    def _take(self, record: memoryview, now_ns: int) -> None:
        pid = struct.unpack_from("<I", record, 368)[0]
        ended = self._threads.get(pid)
        if ended is None:
            ended = self._threads[pid] = Ended(pid, now_ns)
        if ended.add(record):
            del self._threads[pid]
            ended.seen_ns = now_ns
            if pid not in (self._tree.agent, self._tree.launcher):
                self._place(ended)

    def _place(self, ended: Ended) -> None:
        """Note a process if it is known to be ours; else let it wait for its parent."""
        member = self._tree.members.get(ended.pid)
        parent = self._parent_number(ended.parent)
        if member is None and parent is None:
            self._waiting.setdefault(ended.parent, []).append(ended)
            return
        number = self._tree.number_of_ended(ended.pid, ended.seen_ns)
        self._note(ended, number, parent or 0)
        for child in self._waiting.pop(ended.pid, ()):
            self._place(child)

    def _parent_number(self, pid: int) -> int | None:
        return 0 if pid == self._tree.launcher else self._tree.known(pid)

    def _settle(self, now_ns: int) -> None:
        """Place records whose parent has been found since, and let old ones of other people go."""
        for pid in [pid for pid in self._waiting if self._parent_number(pid) is not None]:
            for ended in self._waiting.pop(pid):
                self._place(ended)
        self._settled_ns = now_ns
        old = now_ns - _WAIT_NS
        self._waiting = {pid: some for pid, some in self._waiting.items() if some[-1].seen_ns > old}
        self._tree.forget_before(old)
        if len(self._threads) > 4096:
            self._threads = {pid: some for pid, some in self._threads.items() if some.seen_ns > old}

    def _note(self, ended: Ended, number: int, parent: int) -> None:
        user, system, read, written, storage_read, storage_written = ended.counters
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
        )
