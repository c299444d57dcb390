"""Log files on a disk: appending without ever failing the caller, and reading what is intact."""

from __future__ import annotations

import fcntl
import os
import stat

from longpole.errors import ForeignLogError, NewerLogError, UnreadableLogError
from longpole.log.frames import (
    FILE_HEADER,
    LOG_MAGIC,
    LOG_VERSION,
    Frame,
    Tally,
    file_header,
    file_version,
    note_frames,
    piece_frame,
    scan,
    slot_frames,
    split_logs,
)
from longpole.log.slots import SLOT_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LOG_FOLDER = "log"
# What the name of a file has behind its node's where the driver of a workflow writes it.
DRIVER = "-driver-"
# What could not be written is kept and tried again, up to this much.
BACKLOG_BYTES = 8 << 20
# A large file of which so small a part is on the disk is one of holes, even where file systems compress.
_LARGE_BYTES = 64 << 20
_MOST_COMPRESSED = 256


class LogWriter:
    """One append-only log file. A full or vanished disk is remembered in ``trouble``, never raised."""

    def __init__(
        self, run_path: str, created_ns: int, place: str = "", backlog_bytes: int = BACKLOG_BYTES
    ) -> None:
        """Create a file of this node in a run's log folder; this alone may raise ``OSError``.

        Args:
            run_path: The run's folder.
            created_ns: The present moment, on UTC.
            place: What tells apart those who may write on one node at the same time. A file of the same place
                that is there already is continued by a further log; without one, the file is a new one.
            backlog_bytes: How much may wait to be written; what is beyond is lost.
        """
        node = os.uname().nodename
        name = f"{node[:48].replace('/', '-')}-{place or os.urandom(4).hex()}"
        self.path = os.path.join(run_path, LOG_FOLDER, name)
        self.records = 0
        self.lost = 0
        self.written_bytes = 0
        self.trouble = ""
        self._waiting = [(0, file_header(node, created_ns))]
        self._waiting_bytes = FILE_HEADER.size
        self._most_waiting = backlog_bytes
        self._descriptor = _open_own(self.path) if place else -1
        if self._descriptor < 0:
            self.path += f"-{os.urandom(4).hex()}" if place else ""
            how = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC
            self._descriptor = os.open(self.path, how, 0o600)

    def slots(self, source: int, slots: bytes | bytearray | memoryview) -> None:
        """Take whole slots of one source."""
        count = len(slots) // SLOT_BYTES
        if count:
            self._take(count, slot_frames(source, slots, self.records))

    def notes(self, lines: list[bytes]) -> None:
        """Take notes, each one line of JSON without its newline."""
        if lines:
            self._take(len(lines), note_frames(lines, self.records))

    def piece(self, piece: bytes) -> None:
        """Take a piece of a table."""
        self._take(1, piece_frame(piece, self.records))

    def flush(self) -> None:
        """Write what is waiting; on failure keep it for the next time."""
        while self._waiting:
            count, data = self._waiting[0]
            try:
                done = os.write(self._descriptor, data)
            except OSError as error:
                self.trouble = error.strerror or str(error)
                return
            self.written_bytes += done
            self._waiting_bytes -= done
            if done == len(data):
                self._waiting.pop(0)
            else:
                self._waiting[0] = (count, data[done:])

    def close(self) -> None:
        """Write a last time and close; what still could not be written is counted as lost."""
        self.flush()
        self.lost += sum(count for count, _ in self._waiting)
        try:
            os.close(self._descriptor)
        except OSError as error:
            self.trouble = error.strerror or str(error)

    def _take(self, count: int, data: bytes) -> None:
        self.records += count
        if self._waiting_bytes + len(data) > self._most_waiting:
            self.lost += count
            return
        self._waiting.append((count, data))
        self._waiting_bytes += len(data)


def _open_own(path: str) -> int:
    """Open a file for as long as nobody else writes it; return -1 where somebody does."""
    how = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, how, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return -1
    except OSError:
        pass  # a file system without locks; the one on the node's agents keeps others out as well
    return descriptor


def read_logs(path: str) -> Iterator[tuple[Iterator[Frame], Tally]]:
    """Yield the intact frames of each log in a file, with how much of it is readable once they were taken.

    Raises:
        ForeignLogError: The file is not a log of ours.
        NewerLogError: A later version of Longpole wrote it.
        UnreadableLogError: The file cannot be read.
    """
    data = read_plain_file(path)
    for log in split_logs(data):
        tally = Tally()
        _check_header(path, log, tally)
        yield scan(log, tally), tally


def read_plain_file(path: str) -> bytes:
    """Return a file's bytes, following no link and waiting on no pipe: a run may come from a stranger."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise UnreadableLogError(path, error.strerror or str(error)) from error
    try:
        _check_plain(path, os.fstat(descriptor))
        return _read_all(descriptor)
    except (OSError, MemoryError) as error:
        raise UnreadableLogError(
            path, getattr(error, "strerror", None) or "there is no memory for it"
        ) from error
    finally:
        os.close(descriptor)


def _check_plain(path: str, status: os.stat_result) -> None:
    """Refuse what is no file, and a file of holes: reading terabytes of zeros would end in no memory."""
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableLogError(path, "it is not a plain file")
    on_disk = status.st_blocks * 512
    if status.st_size > _LARGE_BYTES and on_disk < status.st_size // _MOST_COMPRESSED:
        raise UnreadableLogError(path, f"it claims {status.st_size:,} bytes but holds at most {on_disk:,}")


def _read_all(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read()


def _check_header(path: str, data: bytes | memoryview, tally: Tally) -> None:
    version = file_version(data)
    if version is not None and version > LOG_VERSION:
        raise NewerLogError(path, version, LOG_VERSION)
    if version is None:
        _check_damaged_header(path, data)
        tally.skipped_bytes += min(len(data), FILE_HEADER.size)


def _check_damaged_header(path: str, data: bytes | memoryview) -> None:
    """Tell a log whose header is cut or damaged from a file that never was a log."""
    cut = len(data) < FILE_HEADER.size and bytes(data[: len(LOG_MAGIC)]) == LOG_MAGIC[: len(data)]
    if not cut and next(scan(data, Tally()), None) is None:
        raise ForeignLogError(path)
