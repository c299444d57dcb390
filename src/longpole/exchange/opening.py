"""Files of other systems, opened without trust: plain files only, unpacked up to a limit.

Packed files are known by their first bytes (gzip), not by their names. What comes on standard input is copied
to a temporary file first, so that every importer can read twice.
"""

from __future__ import annotations

import gzip
import os
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import BinaryIO, cast

from longpole.errors import UsageError
from longpole.exchange.packed import refuse_packed
from longpole.exchange.unreadable import UnreadableFileError

HEAD_BYTES = 64 << 10
# Beyond this a file does not fit into memory next to what is made of it.
_MOST_BYTES = 16 << 30
_GZIP = b"\x1f\x8b"
_STDIN = "-"


@dataclass(frozen=True, slots=True)
class OpenedFile:
    """A file to be imported; see ``model.ports.ForeignFile``."""

    name: str
    path: str
    head: bytes

    def read(self) -> bytes:
        """Return all of it, unpacked.

        Raises:
            UnreadableFileError: It is damaged, cut off or too large.
        """
        content = _unpacked(self.name, self.path, _MOST_BYTES + 1)
        if len(content) > _MOST_BYTES:
            raise UnreadableFileError(f"{self.name} is larger than {_MOST_BYTES >> 30} GiB.")
        return content


@contextmanager
def opened(names: Sequence[str]) -> Iterator[list[OpenedFile]]:
    """Yield files by name; '-' is standard input, kept until the end.

    Raises:
        UsageError: One is not there, or is no plain file.
        UnreadableFileError: One is empty, damaged, or packed in a way that is not unpacked here.
    """
    with ExitStack() as stack:
        yield [_opened(name, stack) for name in names]


def _opened(name: str, stack: ExitStack) -> OpenedFile:
    if name != _STDIN:
        return _with_head(name, os.path.expanduser(name))
    kept = tempfile.NamedTemporaryFile(prefix="longpole-")  # noqa: SIM115  the stack closes it
    stack.enter_context(kept)
    shutil.copyfileobj(sys.stdin.buffer, kept)
    kept.flush()
    return _with_head("standard input", kept.name)


def _with_head(name: str, path: str) -> OpenedFile:
    head = _unpacked(name, path, HEAD_BYTES)
    if not head.strip():
        raise UnreadableFileError(f"{name} is empty: there is nothing in it to import.")
    refuse_packed(name, head)
    return OpenedFile(name, path, head)


def _unpacked(name: str, path: str, most_bytes: int) -> bytes:
    try:
        with _plain(name, path) as file:
            packed = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            return (
                cast(BinaryIO, gzip.GzipFile(fileobj=file)).read(most_bytes)
                if packed
                else file.read(most_bytes)
            )
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableFileError(f"{name} is damaged or cut off: it cannot be unpacked.") from error
    except OSError as error:
        raise UsageError(f"Cannot read {name}: {error.strerror}.") from error


def _plain(name: str, path: str) -> BinaryIO:
    # A pipe or a device must not keep us waiting.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise UsageError(f"Cannot read {name}: it is no plain file.")
    return open(descriptor, "rb")
