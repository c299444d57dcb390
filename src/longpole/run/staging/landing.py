"""Where files arrive: under hidden names first, and under their own when they are complete.

A job's inputs arrive in one hidden folder within the job's, so that a directory of ten thousand files takes
its place by one rename. What a killed process leaves has a name that begins with ``.longpole-``.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

HIDDEN = ".longpole-"
_IN_THE_WAY = (errno.ENOTEMPTY, errno.EEXIST, errno.EISDIR, errno.ENOTDIR)


class Landing:
    """A hidden folder in which files get their names, and the folders that they need.

    Attributes:
        folder: The hidden folder.
    """

    def __init__(self, folder: str) -> None:
        """Take a folder that is there, and empty."""
        self.folder = folder
        self._made = {""}

    def path(self, name: str) -> str:
        """Return where a file is to be written; the folder it lies in is there then."""
        parent = name.rpartition("/")[0]
        if parent not in self._made:
            self.make(parent)
        return f"{self.folder}/{name}"

    def make(self, name: str) -> None:
        """Make a directory, if it is not there yet."""
        name = name.rstrip("/")
        os.makedirs(f"{self.folder}/{name}", exist_ok=True)
        self._made.add(name)


@contextmanager
def landing(folder: str, put: Callable[[str, str], None] | None = None) -> Iterator[Landing]:
    """Let files arrive for a folder: all take their places at the end, or none if there is an error.

    Args:
        folder: The folder.
        put: What gives them their places, if not ``settle``.

    Raises:
        OSError: The folder cannot be written.
    """
    os.makedirs(folder, exist_ok=True)
    hidden = hidden_in(folder)
    os.mkdir(hidden)
    try:
        yield Landing(hidden)
        (put or settle)(hidden, folder)
    finally:
        shutil.rmtree(hidden, ignore_errors=True)


def hidden_in(folder: str) -> str:
    """Return a hidden path in a folder that nobody else uses."""
    return os.path.join(folder, HIDDEN + secrets.token_hex(6))


def hidden_beside(path: str) -> str:
    """Return a hidden path beside another, whose folder is made if need be.

    Raises:
        OSError: The folder cannot be made.
    """
    parent = os.path.dirname(path.rstrip("/"))
    os.makedirs(parent, exist_ok=True)
    return hidden_in(parent)


def replace(source: str, target: str) -> None:
    """Rename a file or directory, in the place of whatever has the name already.

    Raises:
        OSError: It cannot be renamed; ``errno.EXDEV`` where the two are on different file systems.
    """
    target = target.rstrip("/")
    try:
        os.replace(source, target)
    except OSError as error:
        if error.errno not in _IN_THE_WAY:
            raise
        aside = hidden_beside(target)
        os.rename(target, aside)
        os.replace(source, target)
        remove(aside)


def remove(path: str) -> None:
    """Remove a file, a link, or a directory with all that is in it; nothing if it is not there."""
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path, ignore_errors=True)
        return
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass


def settle(hidden: str, folder: str, whole: Collection[str] = (), above: str = "") -> None:
    """Give everything its place; a directory that is there already takes in what is new.

    Args:
        hidden: Where everything is.
        folder: Where it goes.
        whole: Directories, by their whole names, that take the places of others instead.
        above: What names of this call begin with.

    Raises:
        OSError: Something cannot be renamed.
    """
    with os.scandir(hidden) as found:
        entries = list(found)
    for entry in entries:
        target, name = f"{folder}/{entry.name}", f"{above}{entry.name}/"
        if entry.is_dir(follow_symlinks=False) and is_directory(target) and name not in whole:
            settle(entry.path, target, whole, name)
        else:
            replace(entry.path, target)


def is_directory(path: str) -> bool:
    """Return whether a directory is there, and not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def write_all(descriptor: int, data: memoryview | bytes) -> None:
    """Write all of it.

    Raises:
        OSError: It cannot be written.
    """
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
