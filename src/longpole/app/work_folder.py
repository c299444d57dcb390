"""The folder for work of a workflow: one run at a time keeps its files there."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from longpole.errors import UsageError


@contextmanager
def take_work_folder(path: str) -> Iterator[None]:
    """Have a folder for work to oneself.

    Raises:
        UsageError: Another run has it, or it cannot be made.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        lock = os.open(os.path.join(path, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise UsageError(
            f"Cannot use {path} for work: {error.strerror}. Choose another with --work."
        ) from error
    try:
        _lock(lock, path)
        yield
    finally:
        os.close(lock)


def _lock(lock: int, path: str) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UsageError(
            f"Another run works in {path}. Wait for it ('longpole status'); "
            "a new run may have another folder, with --work."
        ) from None
    except OSError:
        pass  # a file system without locks
