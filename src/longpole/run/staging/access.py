"""Who may ask the server of files, and for which: a token, roots, and paths that were registered.

Under a root all may be read and written; a registered file, or all in a registered directory, may be read.
A path is taken as it is written: one with ``..`` in it is refused. Links count by where they lead, unless
the link itself was registered. A link that is changed between the look and the use could lead elsewhere: who
can do that has the rights of the server already.
"""

from __future__ import annotations

import errno
import hmac
import os
from collections.abc import Iterable, Sequence

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK  # the last, so that a named pipe is not waited for


class Access:
    """What a server may serve; ``PermissionError`` with ``errno.EPERM`` for what it may not."""

    def __init__(self, token: str, roots: Sequence[str]) -> None:
        """Take the token that requests must bring, and folders to be read and written."""
        self._bearer = f"Bearer {token}"
        self._roots = _Folders(roots)
        self._readable = _Folders(roots)
        self._files: set[str] = set()

    def register(self, paths: Iterable[str]) -> None:
        """Let more be read: files, and directories (which end in a slash)."""
        for path in paths:
            if path.endswith("/"):
                self._readable.add(path)
            else:
                self._files.add(path)

    def knows(self, authorization: str) -> bool:
        """Return whether a request brings the token."""
        return hmac.compare_digest(authorization.encode(), self._bearer.encode())

    def open(self, path: str) -> int:
        """Open a file to be read; return its descriptor.

        Raises:
            OSError: It may not be served, or cannot be opened.
        """
        if path in self._files:
            return os.open(path, _READ)
        self._readable.check(path)
        try:
            return os.open(path, _READ | os.O_NOFOLLOW)
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
        real = os.path.realpath(path)
        if real not in self._files:
            self._readable.check(real)
        return os.open(real, _READ | os.O_NOFOLLOW)

    def check_folder(self, path: str) -> None:
        """Refuse a directory that may not be read, given without a slash at its end.

        Raises:
            PermissionError: It may not.
        """
        self._readable.check(f"{path}/all")

    def check_write(self, path: str) -> None:
        """Refuse a path that may not be written.

        Raises:
            PermissionError: It may not.
        """
        self._roots.check(path)


class _Folders:
    """Folders, and whether a path lies within one of them, by its name and by where links lead."""

    def __init__(self, folders: Iterable[str]) -> None:
        self._named: tuple[str, ...] = ()
        self._real: tuple[str, ...] = ()
        self._within: dict[str, bool] = {}
        for folder in folders:
            self.add(folder)

    def add(self, folder: str) -> None:
        self._named += (_slashed(os.path.normpath(folder)),)
        self._real += (_slashed(os.path.realpath(folder)),)
        self._within.clear()

    def check(self, path: str) -> None:
        parent, _, name = path.rpartition("/")
        within = self._within.get(parent)
        if within is None:
            within = self._within[parent] = self._looked_up(parent or "/")
        if not within or name in ("", ".", ".."):
            raise PermissionError(errno.EPERM, "it may not be served", path)

    def _looked_up(self, parent: str) -> bool:
        if not parent.startswith("/") or os.path.normpath(parent) != parent:
            return False
        real = _slashed(os.path.realpath(parent))
        return _slashed(parent).startswith(self._named + self._real) and real.startswith(self._real)


def _slashed(folder: str) -> str:
    return folder.rstrip("/") + "/"
