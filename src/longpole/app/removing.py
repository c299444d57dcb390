"""Removing runs, and saying which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from longpole.store.removal import check_removable, remove_run, run_bytes
from longpole.store.selection import RunEntry


@dataclass(frozen=True, slots=True)
class Removed:
    """A run that was removed, or would be."""

    run: str
    name: str
    path: str
    bytes: int


def remove(entries: Sequence[RunEntry], folder: Path, *, even_running: bool = False) -> list[Removed]:
    """Remove runs, all or, if one must stay, none; return what they were.

    Raises:
        RunNotFoundError: One is not a run of this folder.
        UsageError: One is still going; or the system forbids it, and those before it are gone.
    """
    for entry in entries:
        check_removable(entry.path, folder, even_running=even_running)
    return [_of(entry, remove_run(entry.path, folder, even_running=even_running)) for entry in entries]


def removable(entries: Sequence[RunEntry]) -> list[Removed]:
    """Return what would be removed."""
    return [_of(entry, run_bytes(entry.path)) for entry in entries]


def _of(entry: RunEntry, size: int) -> Removed:
    return Removed(entry.manifest.id, entry.manifest.name, str(entry.path), size)
