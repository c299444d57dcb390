"""The folder of a run of a workflow: one launcher at a time has it, from before its driver until after it.

A launcher whose driver was killed still ends what that has left. Who goes on meanwhile waits for it: else the
jobs of the new driver would be ended with those of the old one.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from longpole.errors import UsageError
from longpole.store.life import is_driven

_PAUSE_S = 0.02
# How long a driver that was killed, and then its launcher, may take until they are gone.
_DYING_S, _ENDING_S = 1.0, 20.0


@contextmanager
def take_run_folder(path: str) -> Iterator[None]:
    """Have a run to oneself.

    Raises:
        UsageError: A driver lives, or a launcher that does not end.
    """
    folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        if not _waited(lambda: not _is_driven(path), _DYING_S) or not _waited(
            lambda: _locked(folder), _ENDING_S
        ):
            number = os.path.basename(path.rstrip("/")).rpartition("-")[2]
            raise UsageError(f"Run {number} is still running. 'longpole status' shows where it stands.")
        yield
    finally:
        os.close(folder)


def _is_driven(path: str) -> bool:
    """Return whether a driver lives; where there are no locks, whether anybody writes."""
    driven = is_driven(path)
    if driven is not None:
        return driven
    from longpole.model.manifest import State
    from longpole.store.run import open_run

    with open_run(path) as run:
        return run.state is State.RUNNING


def _locked(folder: int) -> bool:
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks
    return True


def _waited(done: Callable[[], bool], longest_s: float) -> bool:
    limit = time.monotonic() + longest_s
    while not done():
        if time.monotonic() >= limit:
            return False
        time.sleep(_PAUSE_S)
    return True
