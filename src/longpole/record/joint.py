"""A run that several commands make together: found by its name, and made by whoever comes first.

Beside the runs each user has a folder of names; a name there is a link to the folder of its run. A link is
made whole or not at all, on shared file systems too, so that of a thousand who come at once one makes the
run. Only a run of our own that lies beside that folder is followed, whatever a link says.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
import zlib

from longpole.record.rundir import create_run_folder, plain_name, working_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Any

_LOCK = ".lock"


def names_folder(runs_folder: str) -> str:
    """Return where the names of this user's runs are."""
    return os.path.join(runs_folder, f".into-{os.getuid()}")


def join_run(runs_folder: str, name: str, *, new: bool = False) -> str:
    """Return the folder of the run of this name, made now if there is none, or if a new one is asked for.

    Raises:
        OSError: There is no room or no permission.
    """
    link = os.path.join(names_folder(runs_folder), link_name(name))
    path = "" if new else _followed(link)
    if path:
        return path
    os.makedirs(os.path.dirname(link), 0o700, exist_ok=True)
    made = create_joint_run(runs_folder, name)
    try:
        return _name(link, made, new=new)
    except BaseException:
        _remove(made)
        raise


def _name(link: str, made: str, *, new: bool) -> str:
    """Let a name stand for a run that was made, unless it stands for another; return which it is."""
    target = os.path.join("..", os.path.basename(made))
    if not new:
        try:
            os.symlink(target, link)
        except FileExistsError:
            pass  # somebody was first, or the run that was there has been removed
        else:
            return made
    with _Turn(os.path.dirname(link)):
        path = "" if new else _followed(link)
        if not path:
            _replace(link, target)
            return made
    _remove(made)
    return path


def link_name(name: str) -> str:
    """Return a name as that of a link; names that differ have links that differ.

    Examples:
        >>> link_name("nightly"), link_name("a/b") == link_name("a-b")
        ('nightly', False)
    """
    plain = plain_name(name)
    return plain if plain == name else f"{plain}-{zlib.crc32(name.encode('utf-8', 'surrogateescape')):08x}"


def last_activity_s(run_path: str) -> float:
    """Return how many seconds ago something was last written into a run; 0 where that is not known."""
    try:
        with os.scandir(os.path.join(run_path, "log")) as entries:
            newest = max((entry.stat().st_mtime for entry in entries), default=0.0)
    except OSError:
        return 0.0
    return max(0.0, time.time() - newest) if newest else 0.0


class _Turn:
    """Lets those who replace names of a folder take turns, as far as its file system has locks."""

    def __init__(self, folder: str) -> None:
        self._descriptor = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def __enter__(self) -> None:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        except OSError:
            pass  # no locks there: two who come at the very same moment may then make two runs

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._descriptor)


def _followed(link: str) -> str:
    """Return the run a name stands for, or nothing.

    Raises:
        OSError: It is there, and cannot be written.
    """
    runs_folder = os.path.dirname(os.path.dirname(link))
    try:
        path = os.path.join(runs_folder, os.path.basename(os.readlink(link)))
        status = os.lstat(path)
    except OSError:
        return ""
    if status.st_uid != os.getuid():
        raise PermissionError(errno.EPERM, f"its link leads to somebody else's run {path}")
    log = os.path.join(path, "log")
    if os.path.isdir(log) and not os.access(log, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, f"{log} cannot be written")
    return path if os.path.isdir(log) else ""


def create_joint_run(runs_folder: str, name: str, **facts: Any) -> str:
    """Make a run's folder with its manifest, so that it is whole before others can find it.

    Args:
        runs_folder: Where runs live.
        name: What the run is called.
        facts: What else its manifest says.

    Raises:
        OSError: There is no room or no permission.
    """
    from longpole.record.manifest import joint_facts, save

    path = create_run_folder(runs_folder, name)
    try:
        save(path, {**joint_facts(path.rpartition("-")[2], name, working_folder()), **facts})
    except OSError:
        _remove(path)
        raise
    return path


def _replace(link: str, target: str) -> None:
    fresh = f"{link}.{os.urandom(4).hex()}"
    os.symlink(target, fresh)
    os.replace(fresh, link)


def _remove(path: str) -> None:
    from shutil import rmtree

    rmtree(path, ignore_errors=True)
