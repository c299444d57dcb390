"""The way of links: inputs are links to where they lie, outputs are renamed. Nothing is copied.

It serves jobs that see the same file systems as the run. What a job writes into a link, it writes into the
file of the run; containers, which see their folder alone, take ``hardlink`` instead. Outputs are read once
for their checksum; inputs do not cross, and so are not checked.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from longpole.model.staging import Item, Moved
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.errands import Errand, Put, bring_each, send_each
from longpole.run.staging.renaming import move
from longpole.run.staging.trees import size_of_tree


class LinkWay:
    """Links and renames; see ``model.ports.Way``."""

    name = "link"

    def __init__(self, checksums: Checksums = Checksums.ON) -> None:
        """Say whether outputs get checksums."""
        self._checksums = checksums

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Link items into the folder of a job."""
        return bring_each(items, folder, self._checksums, _link)

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Rename items of a job's folder; across file systems they are copied, and removed then."""
        return send_each(items, folder, lambda errand: move(errand, self._checksums))


def _link(errand: Errand) -> Put:
    os.symlink(errand.source, errand.target)
    size = size_of_tree(errand.source) if errand.size_bytes is None else errand.size_bytes
    return Put(size, "", files=1, moved_bytes=0)
