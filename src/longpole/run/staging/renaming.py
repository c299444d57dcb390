"""Outputs on this machine: renamed where that can be done, else copied under a hidden name and renamed."""

from __future__ import annotations

import errno
import os

from longpole.run.staging.checksums import Checksums, of_file, of_tree
from longpole.run.staging.copying import copy_file, copy_tree
from longpole.run.staging.errands import Errand, Put
from longpole.run.staging.landing import hidden_beside, remove, replace
from longpole.run.staging.trees import parts_of


def move(errand: Errand, checksums: Checksums) -> Put:
    """Move an output to where the run keeps it; links, and directories that have some, are copied instead.

    Raises:
        OSError: It cannot be read or written.
    """
    put = _looked_at(errand, checksums)
    if put is None:
        return deliver_copy(errand, checksums)
    os.makedirs(os.path.dirname(errand.target), exist_ok=True)
    try:
        replace(errand.source, errand.target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        put = deliver_copy(errand, checksums)
        remove(errand.source)
    return put


def deliver_copy(errand: Errand, checksums: Checksums) -> Put:
    """Copy an output to where the run keeps it; it stays in the job's folder as well.

    Raises:
        OSError: It cannot be read or written.
    """
    hidden = hidden_beside(errand.target)
    try:
        copied = (copy_tree if errand.is_folder else copy_file)(errand.source, hidden, checksums)
        replace(hidden, errand.target)
    except OSError:
        remove(hidden)
        raise
    return Put(copied.size_bytes, copied.checksum, copied.files, copied.size_bytes)


def _looked_at(errand: Errand, checksums: Checksums) -> Put | None:
    """Return size and checksum of what may be renamed as it is; None if there are links in it."""
    if os.path.islink(errand.source):
        return None
    if not errand.is_folder:
        size = errand.size_bytes or 0
        return Put(size, of_file(errand.source, checksums), 1, size)
    parts = list(parts_of(errand.source))
    if any(part.is_link for part in parts):
        return None
    files = [part for part in parts if not part.is_folder]
    sums = [(part.name, "" if part.is_folder else of_file(part.path, checksums)) for part in parts]
    size = sum(part.size_bytes for part in files)
    return Put(size, of_tree(sums, checksums), len(files), size)
