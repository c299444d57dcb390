"""What jobs write to their standard output and error: a file for each that writes something, none for others.

A job gets an open file without a name of its own. Only if something is in it at the end it gets its name; an
empty one goes to the next job, so that ten thousand silent jobs make no file at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable


class Outputs:
    """The files that jobs of a run write into."""

    def __init__(self, folder: str) -> None:
        """Use a folder of the run; it is made if need be."""
        self._folder = folder
        self._free: list[tuple[int, str]] = []
        self._made = 0
        os.makedirs(folder, mode=0o700, exist_ok=True)

    def take(self) -> tuple[int, str]:
        """Return an open file, and the name it has for now.

        Raises:
            OSError: There is no room.
        """
        if self._free:
            return self._free.pop()
        self._made += 1
        path = os.path.join(self._folder, f".{os.getpid()}-{self._made}")
        how = os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        return os.open(path, how, 0o600), path

    def give_back(self, output: tuple[int, str], name: Callable[[], str]) -> str:
        """Take a file back; if something was written, it stays under a name: return its path, else none.

        Where there is no room for a name it keeps the one that it has.
        """
        descriptor, path = output
        if not os.fstat(descriptor).st_size:
            self._free.append(output)
            return ""
        os.close(descriptor)
        return self._named(path, name())

    def rescue(self, pid: int, name: str) -> str:
        """Give what a process printed that has died its name; return its path, empty if it is nothing."""
        final = ""
        for path in self._hidden(f".{pid}-"):
            if os.path.getsize(path):
                final = self._named(path, name)
        return final

    def close(self) -> None:
        """Remove what nobody has written to, here or in processes that have ended."""
        for descriptor, _ in self._free:
            os.close(descriptor)
        self._free = []
        for path in self._hidden("."):
            if not os.path.getsize(path):
                os.unlink(path)

    def _named(self, path: str, name: str) -> str:
        final = os.path.join(self._folder, name)
        try:
            os.rename(path, final)
        except OSError:
            return path
        return final

    def _hidden(self, begin: str) -> list[str]:
        """Return the paths of files that have no names of their own yet."""
        with os.scandir(self._folder) as found:
            return [each.path for each in found if each.name.startswith(begin)]


def remove_spare(folder: str) -> None:
    """Remove what a driver that was killed left, unless a job has written to it.

    Only before anything runs: workers of a living driver have such files open.
    """
    if not os.path.isdir(folder):
        return
    for entry in os.scandir(folder):
        if entry.name.startswith(".") and not entry.stat().st_size:
            os.unlink(entry.path)
