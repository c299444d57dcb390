"""Whether a run that says it is running really is.

On the host that runs it, its launcher must still live: a pid and the start that belongs to it. Elsewhere
its log must have grown within the last minute; agents write every second.

A run that several commands make together goes on while an agent of it writes on any node: that log does not
end with its agent's last word, and has grown lately. It is never broken: whether one of its commands was
killed is told of that command.

The driver of a workflow holds a lock on the log that it writes, as long as it lives: a run of which that is
free, and no agent writes, is over, and broken if the last driver gave no last word.
"""

from __future__ import annotations

import fcntl
import os
import time

from longpole.log.files import DRIVER, LOG_FOLDER
from longpole.log.frames import LOG_MAGIC
from longpole.model.manifest import Launcher, Manifest, State

_QUIET_S = 60.0
# An agent that serves somebody writes every few seconds; its last word is the last note of its log.
_SILENT_S = 12.0
_TAIL_BYTES = 4096
_LAST_WORD = b'"about":"ended"'


def state_of(folder: str | os.PathLike[str], manifest: Manifest) -> State:
    """Return where a run stands now."""
    if manifest.state is not State.RUNNING:
        return manifest.state
    if manifest.joint:
        return _state_of_joint(folder)
    launcher = manifest.launcher
    here = launcher.host == os.uname().nodename and bool(launcher.boot) and launcher.boot == _boot()
    alive = _lives(launcher) if here else _grew_lately(folder)
    return State.RUNNING if alive else State.BROKEN


def is_driven(folder: str | os.PathLike[str]) -> bool | None:
    """Return whether a driver of a workflow lives, by the locks they hold; None where there are no locks."""
    logs = os.path.join(folder, LOG_FOLDER)
    try:
        held = [_is_held(os.path.join(logs, name)) for name in os.listdir(logs) if DRIVER in name]
    except OSError:
        return None
    return None if None in held else any(held)


def _lives(launcher: Launcher) -> bool:
    try:
        with open(f"/proc/{launcher.pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0] != b"Z" and int(fields[19]) == launcher.start_ticks
    except (OSError, ValueError, IndexError):
        return False


def _grew_lately(folder: str | os.PathLike[str]) -> bool:
    newest = 0.0
    try:
        with os.scandir(os.path.join(folder, LOG_FOLDER)) as entries:
            newest = max((entry.stat(follow_symlinks=False).st_mtime for entry in entries), default=0.0)
    except OSError:
        return False
    return time.time() - newest < _QUIET_S


def _state_of_joint(folder: str | os.PathLike[str]) -> State:
    try:
        with os.scandir(os.path.join(folder, LOG_FOLDER)) as entries:
            changed = {entry.path: entry.stat(follow_symlinks=False).st_mtime for entry in entries}
    except OSError:
        return State.FINISHED
    young = time.time() - _SILENT_S
    if any(_is_written(path, young=when > young) for path, when in changed.items()):
        return State.RUNNING
    drivers = [path for path in changed if DRIVER in os.path.basename(path)]
    last = max(drivers, key=lambda path: changed[path], default="")
    return State.BROKEN if last and not _has_ended(last) else State.FINISHED


def _is_written(path: str, *, young: bool) -> bool:
    """Return whether somebody writes a log: who holds its lock, or else, if it is young, has not ended it."""
    held = _is_held(path) if DRIVER in os.path.basename(path) else None
    return young and not _has_ended(path) if held is None else held


def _is_held(path: str) -> bool | None:
    """Return whether a driver holds the lock of its log; None where there are no locks."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return None
    else:
        return False
    finally:
        os.close(descriptor)


def _has_ended(path: str) -> bool:
    """Return whether the last word of an agent is at the end of a log."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return True
    try:
        size = os.fstat(descriptor).st_size
        tail = os.pread(descriptor, _TAIL_BYTES, max(0, size - _TAIL_BYTES))
        return _LAST_WORD in tail.rpartition(LOG_MAGIC)[2]  # of the last log in this file
    except OSError:
        return True
    finally:
        os.close(descriptor)


def _boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""
