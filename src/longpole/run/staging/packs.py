"""Packs: many small files in one stream of HTTP chunks, each chunk some whole files.

A file is a header (which item, kind, length of the name, permissions, size, checksum), its name and its
bytes; all numbers little-endian. Files are read into the block that is sent, and written out of the block
that was received: no byte is copied in between. A pack ends with an entry that says so; one that is cut off
is never taken for complete.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from enum import IntEnum

from longpole.run.staging.checksums import NO_DIGEST, Checksums, digest_for
from longpole.run.staging.movements import SMALL
from longpole.run.staging.wire import CHUNK_AFTER, CHUNK_BEFORE, Wire
from longpole.units import Bytes

_HEADER = struct.Struct("<IBHIQ16s")
_BLOCK = 1 << 20
_MOST_NAME = (1 << 16) - 1
# A block is sent when it holds this much; the entry that fills it may be as large as one can be.
_ROOM = _BLOCK + _HEADER.size + _MOST_NAME + SMALL + 1 + CHUNK_BEFORE + CHUNK_AFTER
_PERMISSIONS = 0o777


class Kind(IntEnum):
    """What an entry of a pack is."""

    FILE = 1
    FOLDER = 2
    LARGE = 3
    """A file that is to be fetched by itself; the pack has its name and size only."""
    REFUSED = 4
    """Something that cannot be read; the number of the error is where permissions are else."""
    END = 5


Entry = tuple[int, int, bytes, int, Bytes, bytes, memoryview]
"""Item, kind, name, permissions, size, checksum, body; the body is valid until the next is asked for."""


class PackWriter:
    """Writes a pack to a connection."""

    def __init__(self, wire: Wire, checksums: Checksums) -> None:
        """Begin with an empty block."""
        self._wire, self._digest = wire, digest_for(checksums)
        self._block = bytearray(_ROOM)
        self._view = memoryview(self._block)
        self._at = CHUNK_BEFORE

    def file(self, item: int, name: bytes, descriptor: int) -> tuple[Bytes, bytes] | None:
        """Add an open file; return its size and checksum, or None if it is too large, and only marked so.

        Raises:
            OSError: It cannot be read; nothing was added.
        """
        facts = os.fstat(descriptor)
        size = facts.st_size
        if size > SMALL:
            self.mark(item, Kind.LARGE, name, size=size)
            return None
        start = self._at + _HEADER.size + len(name)
        most = self._view[start : start + SMALL + 1]
        read = os.readv(descriptor, [most])
        if read != size:
            read = _read_rest(descriptor, most, read)
        if read > SMALL:
            self.mark(item, Kind.LARGE, name, size=read)
            return None
        digest = self._digest(self._view[start : start + read])
        self._header(item, Kind.FILE, name, (facts.st_mode & _PERMISSIONS, read, digest))
        self._advance(start + read)
        return read, digest

    def mark(self, item: int, kind: Kind, name: bytes = b"", *, mode: int = 0, size: Bytes = 0) -> None:
        """Add an entry without a body."""
        self._header(item, kind, name, (mode, size, NO_DIGEST))
        self._advance(self._at + _HEADER.size + len(name))

    def end(self) -> None:
        """End the pack; all of it is sent."""
        self.mark(0, Kind.END)
        self._flush()
        self._wire.end_chunks()

    def _header(self, item: int, kind: Kind, name: bytes, facts: tuple[int, Bytes, bytes]) -> None:
        mode, size, digest = facts
        _HEADER.pack_into(self._block, self._at, item, kind, len(name), mode, size, digest)
        if name:
            start = self._at + _HEADER.size
            self._view[start : start + len(name)] = name

    def _advance(self, at: int) -> None:
        self._at = at
        if at >= _BLOCK:
            self._flush()

    def _flush(self) -> None:
        if self._at > CHUNK_BEFORE:
            self._wire.send_chunk(self._block, self._at - CHUNK_BEFORE)
            self._at = CHUNK_BEFORE


def entries(wire: Wire) -> Iterator[Entry]:
    """Yield the entries of a pack as they arrive.

    Raises:
        ConnectionError: It was cut off, or is no pack.
        TimeoutError: Nothing arrives.
    """
    view = memoryview(bytearray(_ROOM))
    ended = False
    while size := wire.chunk(view):
        at = 0
        while at < size:
            if ended or at + _HEADER.size > size:
                raise ConnectionAbortedError("the pack is damaged")
            item, kind, length, mode, bytes_of, digest = _HEADER.unpack_from(view, at)
            start = at + _HEADER.size + length
            at = start + bytes_of if kind == Kind.FILE else start
            if at > size:
                raise ConnectionAbortedError("the pack is damaged")
            ended = kind == Kind.END
            if not ended:
                name = bytes(view[start - length : start]) if length else b""
                yield item, kind, name, mode, bytes_of, digest, view[start:at]
    if not ended:
        raise ConnectionAbortedError("the pack ended early")


def _read_rest(descriptor: int, most: memoryview, read: int) -> int:
    """Read on until the end, since a file may grow or shrink while it is read."""
    while read < len(most):
        more = os.readv(descriptor, [most[read:]])
        if not more:
            break
        read += more
    return read
