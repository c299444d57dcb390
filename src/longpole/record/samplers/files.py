"""Which files the command opened, by fanotify: every open with its process, about 9 us each to the opener.

Watches whole file systems, so a mount or namespace of the command's own does not hide anything on them;
pseudo file systems (proc, sysfs and the like) are left out. Needs CAP_SYS_ADMIN. A file is counted once per
process, with whether it was closed after writing and how often it was opened: at least, since the kernel
merges equal events that follow each other.
"""

from __future__ import annotations

import ctypes
import os
import struct
from time import monotonic_ns

from longpole.record.discretion import mask_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Tree

_CLOSE_ON_EXEC, _NON_BLOCKING, _UNLIMITED_QUEUE = 0x1, 0x2, 0x10
_MARK_ADD, _MARK_FILE_SYSTEM = 0x1, 0x100
_OPEN, _CLOSE_WRITE, _OVERFLOW = 0x20, 0x8, 0x4000
_HERE = -100
_EVENT = struct.Struct("<IBBHQii")
_UNWATCHED = {
    *("proc", "sysfs", "devpts", "devtmpfs", "cgroup", "cgroup2", "pstore", "bpf", "tracefs", "debugfs"),
    *(
        "securityfs",
        "mqueue",
        "hugetlbfs",
        "configfs",
        "fusectl",
        "binfmt_misc",
        "autofs",
        "rpc_pipefs",
        "nsfs",
    ),
}
_MOST_WAITING = 100_000


class OpenedFiles:
    """Reads open events and notes those of the command."""

    name = "opened files"
    period_s = 0.1

    def __init__(self, journal: Journal, tree: Tree, descriptor: int) -> None:
        """Read from a descriptor that ``watch_opens`` has made."""
        self._journal = journal
        self._tree = tree
        self._descriptor = descriptor
        self._opened: dict[tuple[int, str], list[int]] = {}
        self._waiting: dict[int, list[tuple[str, int, int]]] = {}
        self.overflowed = False

    def sample(self, now_ns: int) -> None:
        """Take all events that have come."""
        while True:
            try:
                events = os.read(self._descriptor, 65536)
            except BlockingIOError:
                break
            at = 0
            while at + _EVENT.size <= len(events):
                length, _, _, _, mask, descriptor, pid = _EVENT.unpack_from(events, at)
                self._take(mask, descriptor, pid, now_ns)
                at += length
        self._settle()

    def finish(self) -> None:
        """Write down what was opened."""
        self.sample(monotonic_ns())
        for (number, path), (times, first_ns, written) in self._opened.items():
            size = _size(path) if written else -1
            self._journal.note(
                "opened",
                number=number,
                path=mask_text(path),
                times=times,
                first=first_ns,
                written=written,
                bytes=size,
            )

    def _take(self, mask: int, descriptor: int, pid: int, now_ns: int) -> None:
        if mask & _OVERFLOW or descriptor < 0:
            self.overflowed = True
            return
        try:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            return
        finally:
            os.close(descriptor)
        if pid not in self._tree.recorders:
            self._place(pid, path, mask, now_ns)

    def _place(self, pid: int, path: str, mask: int, now_ns: int) -> None:
        number = self._tree.known(pid)
        if number is None:
            if sum(map(len, self._waiting.values())) < _MOST_WAITING:
                self._waiting.setdefault(pid, []).append((path, mask, now_ns))
            return
        seen = self._opened.setdefault((number, path), [0, now_ns, 0])
        seen[0] += bool(mask & _OPEN)
        seen[2] |= bool(mask & _CLOSE_WRITE)

    def _settle(self) -> None:
        """Place events of processes that have been found since; processes known by now are looked up."""
        for pid in [pid for pid in self._waiting if self._tree.known(pid) is not None]:
            for path, mask, now_ns in self._waiting.pop(pid):
                self._place(pid, path, mask, now_ns)


def watch_opens() -> int:
    """Return a descriptor that tells of every open on the file systems mounted now.

    Raises:
        OSError: Not permitted, or not in this kernel.
    """
    library = ctypes.CDLL(None, use_errno=True)
    flags = _CLOSE_ON_EXEC | _NON_BLOCKING | _UNLIMITED_QUEUE
    descriptor = library.fanotify_init(flags, os.O_RDONLY | os.O_CLOEXEC | os.O_LARGEFILE)
    if descriptor < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    mask = ctypes.c_uint64(_OPEN | _CLOSE_WRITE)
    marked = [
        library.fanotify_mark(descriptor, _MARK_ADD | _MARK_FILE_SYSTEM, mask, _HERE, os.fsencode(path)) == 0
        for path in _file_systems()
    ]
    if not any(marked):
        os.close(descriptor)
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return int(descriptor)


def _file_systems() -> list[str]:
    """Return one mount point of each file system that holds files of users."""
    with open("/proc/self/mounts") as file:
        mounts = [line.split() for line in file]
    return [fields[1].replace("\\040", " ") for fields in mounts if fields[2] not in _UNWATCHED]


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return -1
