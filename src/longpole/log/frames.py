"""Frames: how slots and notes lie in a log file, and how to find the intact ones again.

A log is a 64-byte file header and then frames. A frame is a 32-byte header (sync mark, kind, version,
source, length, number of its first record, how many records, checksum) and its payload: whole slots, notes
as lines of JSON, or one piece of a table, which is one record. The record numbers run through the file, so
a reader that had to skip damaged bytes knows how many records are missing. A frame holds at most
``FRAME_RECORDS`` records: that is how much one flipped bit can cost.

A file may hold several logs one after another, each with its own header: agents that follow each other on a
node append to one file, so that the number of files does not grow with what is recorded.
"""

from __future__ import annotations

import struct
import zlib

from longpole.log.slots import SLOT_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LOG_MAGIC = b"LONGPOLE"
LOG_VERSION = 1
# magic, version, spare, spare, created, node, checksum of all but itself
FILE_HEADER = struct.Struct("<8sHHIQ36sI")

SYNC = b"\xf7LPf"
SLOTS = 1
NOTES = 2
PIECE = 3
FRAME_VERSION = 1
FRAME_RECORDS = 64
# sync, kind, version, source, length, first record, records, checksum of all but itself
FRAME_HEADER = struct.Struct("<4sHHIIQII")
_UNSUMMED = struct.Struct("<4sHHIIQI")


class Frame:
    """One intact frame: its kind, who wrote it, and its payload."""

    __slots__ = ("count", "first", "kind", "payload", "source", "version")

    def __init__(self, head: tuple[bytes, int, int, int, int, int, int, int], payload: memoryview) -> None:
        """Take the unpacked header and the bytes that follow it."""
        _, self.kind, self.version, self.source, _, self.first, self.count, _ = head
        self.payload = payload


class Tally:
    """How much of a log could be read; filled while ``scan`` goes over it."""

    __slots__ = ("expected", "readable", "skipped_bytes")

    def __init__(self) -> None:
        """Start with nothing seen."""
        self.readable = 0
        self.expected = 0
        self.skipped_bytes = 0

    def take(self, frame: Frame) -> None:
        """Count one intact frame."""
        self.readable += frame.count
        self.expected = max(self.expected, frame.first + frame.count)


def file_header(node: str, created_ns: int) -> bytes:
    """Return the first bytes of a new log file; the node's name is a label only."""
    label = node.encode("utf-8", "replace")[:36]
    unsummed = FILE_HEADER.pack(LOG_MAGIC, LOG_VERSION, 0, 0, created_ns, label, 0)[:-4]
    return unsummed + zlib.crc32(unsummed).to_bytes(4, "little")


def file_version(log: bytes | memoryview) -> int | None:
    """Return the version a log's file header states, or nothing if the header is not intact."""
    if len(log) < FILE_HEADER.size or bytes(log[: len(LOG_MAGIC)]) != LOG_MAGIC:
        return None
    fields = FILE_HEADER.unpack_from(log)
    intact = zlib.crc32(log[: FILE_HEADER.size - 4]) == fields[-1]
    return int(fields[1]) if intact else None


def split_logs(data: bytes) -> list[bytes | memoryview]:
    """Return the logs of a file, one after another; what comes before the first header is a log too."""
    starts = [0]
    at = data.find(LOG_MAGIC, 1)
    while at > 0:
        if file_version(data[at : at + FILE_HEADER.size]) is not None:
            starts.append(at)
        at = data.find(LOG_MAGIC, at + 1)
    if len(starts) == 1:
        return [data]
    view = memoryview(data)
    return [view[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)]


def slot_frames(source: int, slots: bytes | bytearray | memoryview, first: int) -> bytes:
    """Return the frames that hold these slots, their records numbered from ``first``."""
    view = memoryview(slots)
    step = FRAME_RECORDS * SLOT_BYTES
    frames = []
    for at in range(0, len(view), step):
        payload = view[at : at + step]
        frames.append(_frame(SLOTS, source, payload, first + at // SLOT_BYTES, len(payload) // SLOT_BYTES))
    return b"".join(frames)


def note_frames(lines: list[bytes], first: int) -> bytes:
    """Return the frames that hold these notes, one line of JSON each."""
    frames = []
    for at in range(0, len(lines), FRAME_RECORDS):
        some = lines[at : at + FRAME_RECORDS]
        frames.append(_frame(NOTES, 0, memoryview(b"\n".join(some)), first + at, len(some)))
    return b"".join(frames)


def piece_frame(piece: bytes, first: int) -> bytes:
    """Return the frame that holds a piece of a table."""
    return _frame(PIECE, 0, memoryview(piece), first, 1)


def scan(log: bytes | memoryview, tally: Tally) -> Iterator[Frame]:
    """Yield every intact frame of a log, wherever damage lies, counting into ``tally``."""
    view = memoryview(log)
    raw = log if isinstance(log, bytes) else bytes(log)
    at = FILE_HEADER.size
    while at < len(view):
        frame = _frame_at(view, at)
        if frame is None:
            after = raw.find(SYNC, at + 1)
            after = len(view) if after < 0 else after
            tally.skipped_bytes += after - at
            _expect_cut_frame(view, at, tally)
            at = after
            continue
        tally.take(frame)
        at += FRAME_HEADER.size + len(frame.payload)
        yield frame


def _frame(kind: int, source: int, payload: memoryview, first: int, count: int) -> bytes:
    head = _UNSUMMED.pack(SYNC, kind, FRAME_VERSION, source, len(payload), first, count)
    return b"".join((head, _checksum(head, payload), payload))


def _checksum(head: bytes | memoryview, payload: memoryview) -> bytes:
    return zlib.crc32(payload, zlib.crc32(head)).to_bytes(4, "little")


def _frame_at(view: memoryview, at: int) -> Frame | None:
    """Return the intact frame that begins here, or nothing."""
    start = at + FRAME_HEADER.size
    if start > len(view):
        return None
    head = FRAME_HEADER.unpack_from(view, at)
    end = start + head[4]
    if head[0] != SYNC or end > len(view):
        return None
    payload = view[start:end]
    if zlib.crc32(payload, zlib.crc32(view[at : at + _UNSUMMED.size])) != head[7]:
        return None
    return Frame(head, payload)


def _expect_cut_frame(view: memoryview, at: int, tally: Tally) -> None:
    """Count the records of a frame whose end is missing, as far as its header can be believed."""
    if at + FRAME_HEADER.size > len(view):
        return
    sync, _, _, _, length, first, count, _ = FRAME_HEADER.unpack_from(view, at)
    plausible = sync == SYNC and first == tally.expected and 0 < count <= FRAME_RECORDS
    if plausible and at + FRAME_HEADER.size + length > len(view):
        tally.expected += count
