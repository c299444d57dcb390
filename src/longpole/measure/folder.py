"""The folder that files are measured in: on which file system it is, and how much room it has."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from longpole.measure.probe import UnmeasurableError
from longpole.units import Bytes, show_bytes

# These keep files in memory.
_IN_MEMORY = ("tmpfs", "ramfs", "devtmpfs")
_SHARED = (
    "nfs",
    "nfs4",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "cifs",
    "smb3",
    "afs",
    "fuse.glusterfs",
    "panfs",
)


def file_system(folder: Path, mounts: Path = Path("/proc/self/mountinfo")) -> str:
    """Return of which kind the file system of a folder is, as mountinfo names it; empty if nobody knows."""
    resolved = folder.resolve()
    longest, kind = 0, ""
    for line in mounts.read_text().splitlines():
        left, _, right = line.partition(" - ")
        point = Path(left.split()[4].replace("\\040", " "))
        if resolved.is_relative_to(point) and len(point.parts) >= longest:  # the later covers the earlier
            longest, kind = len(point.parts), right.split()[0]
    return kind


def room(folder: Path, least: Bytes) -> Bytes:
    """Return how much may be written there for a while: a quarter of what is free.

    Raises:
        UnmeasurableError: It is in memory, has too little room, or must not be written to.
    """
    if not folder.is_dir():
        raise UnmeasurableError(f"There is no folder {folder}.")
    kind = file_system(folder)
    if kind in _IN_MEMORY:
        raise UnmeasurableError(f"{folder} is in memory ({kind}); give a --folder on a disk.")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UnmeasurableError(f"{folder} must not be written to; give another --folder.")
    free = shutil.disk_usage(folder).free // 4
    if free < least:
        raise UnmeasurableError(
            f"{folder} has too little room ({show_bytes(4 * free)} free); give another --folder."
        )
    return free


def remark_on(folder: Path) -> str:
    """Return what to know about the file system of a folder, a sentence; empty if nothing."""
    kind = file_system(folder)
    return f"{folder} is on {kind}, which other nodes may share." if kind in _SHARED else ""


def nameless_file(folder: Path, flags: int) -> int:
    """Open a new file that has lost its name already: it is gone when we are, whatever ends us."""
    name = tempfile.mktemp(prefix=".longpole-", dir=folder)  # opened exclusively
    try:
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL | flags, 0o600)
    finally:  # a file is made even where its flags are refused
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)
