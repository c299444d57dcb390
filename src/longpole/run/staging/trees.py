"""Directories as they are moved: every file in them, and every directory, since some are empty.

Links are followed, so that what arrives stands by itself; a link that leads back up is refused.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from typing import NamedTuple

from longpole.units import Bytes, Nanoseconds

_IDENTITY_BYTES = 16


class Part(NamedTuple):
    """Something in a directory: its name there (a directory's ends in a slash), its path, size and time."""

    name: str
    path: str
    size_bytes: Bytes
    is_link: bool
    changed_ns: Nanoseconds = 0

    @property
    def is_folder(self) -> bool:
        """Whether it is a directory."""
        return self.name.endswith("/")


def parts_of(folder: str) -> Iterator[Part]:
    """Yield all that is in a directory, at every depth, directories before what is in them, names in order.

    Raises:
        OSError: Something cannot be read, is neither file nor directory, or is a link to a directory above.
    """
    return _below(folder.rstrip("/") or "/", "", ())


def identity_of(parts: Iterable[Part]) -> str:
    """Return a text that is another when a directory is: by names of all in it, sizes and times of files.

    Raises:
        OSError: Something cannot be read.
    """
    running = blake2b(digest_size=_IDENTITY_BYTES)
    for part in parts:
        running.update(os.fsencode(f"{part.name}\0{part.size_bytes}\0{part.changed_ns}\0"))
    return running.hexdigest()


def size_of_tree(folder: str) -> Bytes:
    """Return the bytes of all files in a directory.

    Raises:
        OSError: Something cannot be read.
    """
    return sum(part.size_bytes for part in parts_of(folder))


def _below(folder: str, prefix: str, above: tuple[tuple[int, int], ...]) -> Iterator[Part]:
    here = os.stat(folder)
    place = here.st_dev, here.st_ino
    if place in above:
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), folder)
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        facts = entry.stat()
        if stat.S_ISDIR(facts.st_mode):
            yield Part(f"{prefix}{entry.name}/", entry.path, 0, entry.is_symlink())
            yield from _below(entry.path, f"{prefix}{entry.name}/", (*above, place))
        elif stat.S_ISREG(facts.st_mode):
            yield Part(prefix + entry.name, entry.path, facts.st_size, entry.is_symlink(), facts.st_mtime_ns)
        else:
            raise OSError(errno.EINVAL, "it is neither a file nor a directory", entry.path)
