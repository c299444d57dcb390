"""Copies of files on this machine: shared blocks where the file system can, else within the kernel.

A reflink (``FICLONE``) takes no time and no room. Where checksums are made, a plain copy passes through
this process, and is read once for both; where not, ``copy_file_range`` leaves it in the kernel.
"""

from __future__ import annotations

import errno
import fcntl
import os
from typing import NamedTuple

from longpole.model.staging import Item
from longpole.run.staging.checksums import Checksums, of_file, of_tree, running_for, shown
from longpole.run.staging.landing import remove, write_all
from longpole.run.staging.refusals import AGAIN, wrong_checksum
from longpole.run.staging.trees import parts_of
from longpole.units import Bytes

_FICLONE = 0x40049409
_BLOCK = 1 << 20
_RANGE = 1 << 30
_PERMISSIONS = 0o777
# What file systems answer that cannot do it, for these two files or at all.
_CANNOT = (
    errno.EOPNOTSUPP,
    errno.ENOTTY,
    errno.EXDEV,
    errno.EINVAL,
    errno.ENOSYS,
    errno.EBADF,
    errno.EPERM,
    errno.ETXTBSY,
)


class Copied(NamedTuple):
    """What a copy came to: bytes, checksum, and how many files it has."""

    size_bytes: Bytes
    checksum: str
    files: int = 1


def copy_file(source: str, target: str, checksums: Checksums) -> Copied:
    """Copy a file, with its permissions, to a path that is not there yet.

    Raises:
        OSError: One cannot be opened, read or written; ``filename`` says which could not be opened.
    """
    with open(source, "rb", buffering=0) as reader:
        mode = os.fstat(reader.fileno()).st_mode & _PERMISSIONS
        # Readable by its owner while it is written, whatever it will be: a checksum may have to read it.
        writer = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            copied = _copy(reader.fileno(), writer, target, checksums)
            os.fchmod(writer, mode)
        finally:
            os.close(writer)
    return copied


def copy_tree(source: str, target: str, checksums: Checksums) -> Copied:
    """Copy a directory to a path that is not there yet; directories get ordinary permissions.

    Raises:
        OSError: Something cannot be read or written.
    """
    os.mkdir(target)
    total, files = 0, 0
    sums = []
    for part in parts_of(source):
        if part.is_folder:
            os.mkdir(f"{target}/{part.name}")
            sums.append((part.name, ""))
            continue
        copied = copy_file(part.path, f"{target}/{part.name}", checksums)
        sums.append((part.name, copied.checksum))
        total, files = total + copied.size_bytes, files + 1
    return Copied(total, of_tree(sums, checksums), files)


def copy_checked(source: str, target: str, item: Item, checksums: Checksums) -> tuple[Copied, int]:
    """Copy a file or directory, and again while it has not the checksum it must have; return how often.

    Raises:
        StagingError: It stays wrong.
        OSError: Something cannot be read or written.
    """
    copy = copy_tree if item.name.endswith("/") else copy_file
    for again in range(1 + AGAIN):
        copied = copy(source, target, checksums)
        if not copied.checksum or item.checksum in ("", copied.checksum):
            return copied, again
        remove(target)
    raise wrong_checksum(item.name, source, item.checksum, copied.checksum, 1 + AGAIN)


def _copy(reader: int, writer: int, target: str, checksums: Checksums) -> Copied:
    if _reflinked(reader, writer):
        return Copied(os.fstat(writer).st_size, of_file(target, checksums))
    if checksums is Checksums.OFF and _copied_in_kernel(reader, writer):
        return Copied(os.fstat(writer).st_size, "")
    return _read_and_write(reader, writer, checksums)


def _reflinked(reader: int, writer: int) -> bool:
    try:
        fcntl.ioctl(writer, _FICLONE, reader)
    except OSError as error:
        if error.errno not in _CANNOT:
            raise
        return False
    return True


def _copied_in_kernel(reader: int, writer: int) -> bool:
    """Copy all that is left; False if nothing could be copied this way."""
    copied = 0
    try:
        while size := os.copy_file_range(reader, writer, _RANGE):
            copied += size
    except OSError as error:
        if copied or error.errno not in _CANNOT:
            raise
        return False
    # Files of /proc have no size, and give nothing this way.
    return copied > 0


def _read_and_write(reader: int, writer: int, checksums: Checksums) -> Copied:
    running = running_for(checksums)
    # Zeroing a large buffer would cost more than copying a small file.
    buffer = memoryview(bytearray(min(_BLOCK, os.fstat(reader).st_size + 1)))
    total = 0
    while size := os.readv(reader, [buffer]):
        running.update(buffer[:size])
        write_all(writer, buffer[:size])
        total += size
    return Copied(total, shown(running.digest()))
