"""The way of hard links: inputs are second names of the same files, which a container sees too.

Across file systems, and where the kernel forbids a link to another's file, they are copied, and checked
then. What a job writes into such an input in place, it writes into the file of the run: bind it read-only.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence

from longpole.model.staging import Item, Moved
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.copying import copy_checked
from longpole.run.staging.errands import Errand, Put, bring_each, send_each
from longpole.run.staging.landing import remove
from longpole.run.staging.renaming import move
from longpole.run.staging.trees import parts_of
from longpole.units import Bytes

_CANNOT = (errno.EXDEV, errno.EPERM, errno.EMLINK, errno.EOPNOTSUPP, errno.EACCES)


class HardlinkWay:
    """Hard links and renames; see ``model.ports.Way``."""

    name = "hardlink"

    def __init__(self, checksums: Checksums = Checksums.ON) -> None:
        """Say whether what is copied or sent gets checksums."""
        self._checksums = checksums

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Give items second names in the folder of a job."""
        return bring_each(items, folder, self._checksums, self._link)

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Rename items of a job's folder; across file systems they are copied, and removed then."""
        return send_each(items, folder, lambda errand: move(errand, self._checksums))

    def _link(self, errand: Errand) -> Put:
        try:
            size, files = _link_tree(errand) if errand.is_folder else _link_file(errand)
        except OSError as error:
            if error.errno not in _CANNOT:
                raise
            remove(errand.target)
            copied, again = copy_checked(errand.source, errand.target, errand.item, self._checksums)
            return Put(copied.size_bytes, copied.checksum, copied.files, copied.size_bytes, again)
        return Put(size, "", files, moved_bytes=0)


def _link_file(errand: Errand) -> tuple[Bytes, int]:
    os.link(os.path.realpath(errand.source), errand.target)
    return errand.size_bytes or 0, 1


def _link_tree(errand: Errand) -> tuple[Bytes, int]:
    os.mkdir(errand.target)
    size = files = 0
    for part in parts_of(errand.source):
        if part.is_folder:
            os.mkdir(f"{errand.target}/{part.name}")
            continue
        os.link(os.path.realpath(part.path), f"{errand.target}/{part.name}")
        size, files = size + part.size_bytes, files + 1
    return size, files
