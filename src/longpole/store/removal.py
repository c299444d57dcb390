"""Removing runs: real folders that lie directly in the folder of runs, and nothing they point to."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from longpole.errors import RunNotFoundError, UsageError
from longpole.model.manifest import State
from longpole.store.selection import HIDDEN, entry_of, is_run


def check_removable(path: Path, folder: Path, *, even_running: bool = False) -> None:
    """Make sure that a run may be removed.

    Raises:
        RunNotFoundError: It is not a run of this folder.
        UsageError: It is still going.
    """
    if path.is_symlink() or not is_run(path) or path.parent.resolve() != folder.resolve():
        raise RunNotFoundError(str(path), str(folder))
    entry = entry_of(path)
    if entry.state is State.RUNNING and not even_running:
        raise UsageError(f"Run {entry.manifest.id} is still going. Wait for its end, or give --force.")


def remove_run(path: Path, folder: Path, *, even_running: bool = False) -> int:
    """Remove a run and all it holds; return how many bytes that were.

    It is renamed first, so that no reader sees half of it.

    Raises:
        RunNotFoundError: It is not a run of this folder.
        UsageError: It is still going, or may not be removed.
    """
    check_removable(path, folder, even_running=even_running)
    size = run_bytes(path)
    leaving = path.with_name(f"{HIDDEN}{path.name}.{os.urandom(4).hex()}")
    try:
        os.rename(path, leaving)
        shutil.rmtree(leaving)
    except OSError as error:
        raise UsageError(f"Cannot remove {path}: {error.strerror or error}.") from error
    return size


def run_bytes(path: Path) -> int:
    """Return how much a run's files hold; links are not followed, and what is gone counts as nothing."""
    total = 0
    for folder, _, names in os.walk(path, followlinks=False):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size
            except OSError:
                continue  # removed meanwhile
    return total
