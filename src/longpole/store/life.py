"""Whether a run that says it is running really is.

On the host that runs it, its launcher must still live: a pid and the start that belongs to it. Elsewhere
its log must have grown within the last minute; agents write every second.
"""

from __future__ import annotations

import os
import time

from longpole.log.files import LOG_FOLDER
from longpole.model.manifest import Launcher, Manifest, State

_QUIET_S = 60.0


def state_of(folder: str | os.PathLike[str], manifest: Manifest) -> State:
    """Return where a run stands now."""
    if manifest.state is not State.RUNNING:
        return manifest.state
    launcher = manifest.launcher
    here = launcher.host == os.uname().nodename and bool(launcher.boot) and launcher.boot == _boot()
    alive = _lives(launcher) if here else _grew_lately(folder)
    return State.RUNNING if alive else State.BROKEN


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


def _boot() -> str:
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""
