"""Checksums of what is moved: xxh3 of 128 bits, which costs less than the copy beside it.

They find damage, not malice. A directory's is that of the names and checksums of all that lies in it. Where
checksums are off, nothing is read for their sake, and all of them are empty.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Protocol

import xxhash

DIGEST_BYTES = 16
NO_DIGEST = bytes(DIGEST_BYTES)
_BLOCK = 1 << 20

Digest = Callable[[bytes | bytearray | memoryview], bytes]


class Checksums(StrEnum):
    """Whether checksums are made of what is moved."""

    ON = "on"
    OFF = "off"


class Running(Protocol):
    """A checksum of what comes in pieces."""

    def update(self, piece: memoryview, /) -> None:
        """Add a piece."""

    def digest(self) -> bytes:
        """Return the checksum of all pieces so far."""


class _NoSum:
    """Stands for a checksum that nobody wants."""

    def update(self, piece: memoryview, /) -> None:
        pass

    def digest(self) -> bytes:
        return NO_DIGEST


def digest_for(checksums: Checksums) -> Digest:
    """Return what makes the checksum of a whole."""
    return xxhash.xxh3_128_digest if checksums is Checksums.ON else lambda _: NO_DIGEST


def running_for(checksums: Checksums) -> Running:
    """Return a checksum of nothing yet."""
    return xxhash.xxh3_128() if checksums is Checksums.ON else _NoSum()


def shown(digest: bytes) -> str:
    """Return a checksum as it is written down; empty where none was made.

    Examples:
        >>> shown(digest_for(Checksums.ON)(b"tile"))
        'e095edd98a7794d415d311750519249c'
        >>> shown(digest_for(Checksums.OFF)(b"tile"))
        ''
    """
    return "" if digest == NO_DIGEST else digest.hex()


def of_file(path: str, checksums: Checksums) -> str:
    """Return the checksum of a file; may block for as long as it takes to read it.

    Raises:
        OSError: It cannot be read.
    """
    if checksums is Checksums.OFF:
        return ""
    running = running_for(checksums)
    with open(path, "rb", buffering=0) as file:
        buffer = memoryview(bytearray(min(_BLOCK, os.fstat(file.fileno()).st_size + 1)))
        while size := file.readinto(buffer):
            running.update(buffer[:size])
    return shown(running.digest())


def of_tree(parts: Iterable[tuple[str, str]], checksums: Checksums) -> str:
    """Return the checksum of a directory out of the names and checksums of its parts, in any order.

    A directory within, which matters where it is empty, has a name that ends in a slash and no checksum.
    """
    running = running_for(checksums)
    for name, checksum in sorted(parts):
        running.update(memoryview(f"{name}\0{checksum}\0".encode(errors="surrogateescape")))
    return shown(running.digest())
