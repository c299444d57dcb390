"""What changes when a file from outside does: a small one is read, a larger one looked at, of a folder all.

A folder counts with all that staging brings of it: links are followed. An image counts with its links as they
are: where they lead is told in the container. What cannot be looked at is never the same twice. To look at a
folder takes long: it is not done again for some time, unless the folder itself is another one by then. What
changes deep in it meanwhile is seen by the next run, which makes again whatever was made before the change.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Callable
from time import monotonic_ns
from typing import NamedTuple

from longpole.run.staging.checksums import Checksums, of_file
from longpole.run.staging.trees import Part, identity_of, parts_of
from longpole.units import Nanoseconds

# Files up to this size go by what is in them, larger ones by their size and time of change.
_SMALL_BYTES = 1 << 16
# For so many times as long as it took to look at a folder, it is not looked at again: 2 % of the time.
_PAUSE = 50
_RANDOM_BYTES = 16

_Look = Callable[[str], str]


class _Looked(NamedTuple):
    """A folder as it was looked at, and until when that holds."""

    folder: tuple[int, int, int]
    identity: str
    until_ns: Nanoseconds


class FileIdentities:
    """Identities of files and folders, as one driver asks for them again and again."""

    def __init__(self, now_ns: Callable[[], Nanoseconds] = monotonic_ns) -> None:
        """Take a clock."""
        self._now_ns = now_ns
        self._files: dict[tuple[str, int, int], str] = {}
        self._folders: dict[tuple[str, _Look], _Looked] = {}

    def of_input(self, path: str) -> str:
        """Return the identity of a file or folder from outside; empty if it is not there."""
        return self._of(path, identity_of_folder)

    def of_made(self, path: str) -> str:
        """Return the identity of what a task has made, and others may make again: a folder is looked at."""
        return identity_of_folder(path) if os.path.isdir(path) else self.of_input(path)

    def of_image(self, image: str) -> str:
        """Return the identity of an image: its name, if it is no file or folder here."""
        return self._of(image, _identity_of_root) or image

    def _of(self, path: str, look: _Look) -> str:
        try:
            facts = os.stat(path)
        except OSError:
            return ""
        return self._folder(path, facts, look) if stat.S_ISDIR(facts.st_mode) else self._file(path, facts)

    def _file(self, path: str, facts: os.stat_result) -> str:
        key = path, facts.st_size, facts.st_mtime_ns
        found = self._files.get(key)
        if found is None:
            found = self._files[key] = _identity_of_file(path, facts)
        return found

    def _folder(self, path: str, facts: os.stat_result, look: _Look) -> str:
        folder = facts.st_dev, facts.st_ino, facts.st_mtime_ns
        known = self._folders.get((path, look))
        began_ns = self._now_ns()
        if known is not None and known.folder == folder and began_ns < known.until_ns:
            return known.identity
        identity = look(path)
        ended_ns = self._now_ns()
        self._folders[path, look] = _Looked(folder, identity, ended_ns + _PAUSE * (ended_ns - began_ns))
        return identity


def identity_of_folder(path: str) -> str:
    """Return the identity of a folder by the names of all that is in it, and sizes and times of its files."""
    try:
        return identity_of(parts_of(path))
    except OSError:
        return _never_the_same()


def _identity_of_root(path: str) -> str:
    """Return the identity of a root file system, which may have links to nowhere, or up."""
    try:
        return identity_of(_all_below(path))
    except OSError:
        return _never_the_same()


def _all_below(folder: str) -> list[Part]:
    found, start = [], len(os.path.join(folder, ""))
    for root, folders, files in os.walk(folder):
        for path in (os.path.join(root, name) for name in (*folders, *files)):
            facts, name = os.lstat(path), path[start:]
            if stat.S_ISDIR(facts.st_mode):
                found.append(Part(f"{name}/", path, 0, is_link=False))
            else:
                is_link = stat.S_ISLNK(facts.st_mode)
                found.append(Part(name, path, facts.st_size, is_link, facts.st_mtime_ns))
    return sorted(found)


def _identity_of_file(path: str, facts: os.stat_result) -> str:
    try:
        if facts.st_size <= _SMALL_BYTES and stat.S_ISREG(facts.st_mode):
            return of_file(path, Checksums.ON)
    except OSError:
        return _never_the_same()
    return f"{facts.st_size}-{facts.st_mtime_ns}"


def _never_the_same() -> str:
    return secrets.token_hex(_RANDOM_BYTES)
