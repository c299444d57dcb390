"""Why files cannot be moved, as sentences; and which names no file of a job may have."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from longpole.model.staging import Item, StagingError
from longpole.units import Bytes, show_bytes

# So often a file that arrives with a wrong checksum is moved again.
AGAIN = 3
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_SHOWN = 5


def unreadable(name: str, path: str, number: int) -> StagingError:
    """Return the error of a file that cannot be read where the run keeps it."""
    if number == errno.ENOENT:
        return StagingError(f"'{name}' is not where it should be: there is no {path}.")
    return StagingError(f"Cannot read '{name}' at {path}: {os.strerror(number)}.")


def unwritable(error: OSError, what: str, folder: str, needed: Bytes | None = None) -> StagingError:
    """Return the error of what cannot be written into a folder; says how much room there was."""
    if error.errno not in NO_ROOM:
        said = error.strerror or str(error)
        return StagingError(f"Cannot write {what} into {folder}: {said}.")
    return no_room(what, folder, needed, free_bytes(folder))


def no_room(what: str, folder: str, needed: Bytes | None, free: Bytes | None) -> StagingError:
    """Return the error of a full disk."""
    wanted = "" if needed is None else f" {show_bytes(needed)} needed,"
    left = "" if free is None else f" {show_bytes(free)} free."
    facts = (wanted + left).rstrip(",") or " no room left."
    text = f"No room for {what} in {folder}:{facts} Make room there, or choose another folder."
    return StagingError(text, full=True)


def free_bytes(folder: str) -> Bytes | None:
    """Return how much an ordinary user can still write into a folder, or the nearest above that is there."""
    while folder and not os.path.isdir(folder):
        folder = os.path.dirname(folder.rstrip("/"))
    try:
        found = os.statvfs(folder or "/")
    except OSError:
        return None
    return found.f_bavail * found.f_frsize


def wrong_checksum(name: str, source: str, expected: str, found: str, times: int) -> StagingError:
    """Return the error of a file that stays wrong however often it is moved."""
    return StagingError(
        f"'{name}' from {source} has the checksum {found or 'none'}, and not {expected or 'none'}: "
        f"it was moved {times} times. The file has changed, or a disk or the network damages it."
    )


def not_made(names: Sequence[str], folder: str) -> StagingError:
    """Return the error of outputs that are not in a job's folder."""
    some = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return StagingError(f"Not found in {folder}: {some}{more}. The job was to make what is missing.")


def check_names(items: Sequence[Item]) -> None:
    """Refuse names that would leave the folder of a job.

    Raises:
        StagingError: A name is absolute, empty, or has a part that is empty, ``.`` or ``..``.
    """
    for item in items:
        name = item.name
        # The quick look settles nearly all of tens of thousands of names.
        if (name[:1] in "/." or "/." in name or "//" in name) and not _stays(name):
            raise StagingError(
                f"'{name}' is no name for a file of a job: it must lie within the job's folder."
            )


def check_paths(items: Sequence[Item]) -> None:
    """Refuse items that have no absolute path.

    Raises:
        StagingError: One has none.
    """
    for item in items:
        if item.path[:1] != "/":
            raise StagingError(f"'{item.name}' needs an absolute path, and has '{item.path}'.")


def _stays(name: str) -> bool:
    parts = name.removesuffix("/").split("/")
    return all(part not in ("", ".", "..") for part in parts)
