"""The way of copies: a job works on files of its own, and its outputs stay in its folder too."""

from __future__ import annotations

from collections.abc import Sequence

from longpole.model.staging import Item, Moved
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.copying import copy_checked
from longpole.run.staging.errands import Errand, Put, bring_each, send_each
from longpole.run.staging.renaming import deliver_copy


class CopyWay:
    """Copies, by shared blocks where the file system can; see ``model.ports.Way``."""

    name = "copy"

    def __init__(self, checksums: Checksums = Checksums.ON) -> None:
        """Say whether copies are checked."""
        self._checksums = checksums

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Copy items into the folder of a job, and again while they have not the checksum they must have."""
        return bring_each(items, folder, self._checksums, self.copy)

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Copy items of a job's folder to where the run keeps them."""
        return send_each(items, folder, lambda errand: deliver_copy(errand, self._checksums))

    def copy(self, errand: Errand) -> Put:
        """Copy one item."""
        copied, again = copy_checked(errand.source, errand.target, errand.item, self._checksums)
        return Put(copied.size_bytes, copied.checksum, copied.files, copied.size_bytes, again)
