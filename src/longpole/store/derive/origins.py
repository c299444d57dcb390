"""Where phases hang that have no parent in their own ring.

What a process marked is part of the phase it was forked in, where that is known, else of the process. A
nested ``record`` stands in for its command by one phase: its command's processes are part of that.
"""

from __future__ import annotations

import numpy as np

from longpole.store.derive.arrays import Whole
from longpole.store.derive.loops import cut_loops
from longpole.store.derive.marked import Marked
from longpole.store.derive.processes import Known, Processes
from longpole.store.derive.rings import Rings
from longpole.store.derive.texts import keys_of

RUN_ID = 1


class Origins:
    """The phase that holds each ring, and each process; ids as in the table of phases."""

    def __init__(self, rings: Rings, processes: Processes, marked: Marked) -> None:
        """Find them for all rings; processes have their ids."""
        self._marked = marked
        self.first_marked = RUN_ID + len(processes.all) + 1
        known = [processes.of(ring.log, ring.number) for ring in rings.all]
        self.owners = [_owner(one) for one in known]
        self._launchers = {
            id(one): index
            for index, one in enumerate(known)
            if one is not None and rings.all[index].of_joined_launcher
        }
        self.tops: Whole = np.array(self._tops(self._forks(rings)), np.int64)

    def of_process(self, known: Known) -> int:
        """Return the phase that holds a process."""
        index = self._launchers.get(id(known.launched_by)) if known.launched_by else None
        row = self._marked.first_of(index) if index is not None else None
        if row is not None:
            return self.first_marked + row
        return RUN_ID + known.parent.id if known.parent else RUN_ID

    def _tops(self, forks: list[int]) -> list[int]:
        of_owner = [RUN_ID + owner.id if owner else RUN_ID for owner in self.owners]
        return [
            self.first_marked + row if row >= 0 else top for row, top in zip(forks, of_owner, strict=True)
        ]

    def _forks(self, rings: Rings) -> list[int]:
        """Return the row of the marked phase in which each ring's process was forked; -1 if not known."""
        forks = [self._fork(rings, index) for index in range(len(rings.all))]
        ring_of = self._marked.columns["ring"]
        for index in cut_loops([int(ring_of[row]) if row >= 0 else -1 for row in forks]):
            forks[index] = -1
        return forks

    def _fork(self, rings: Rings, index: int) -> int:
        ring = rings.all[index]
        parent = rings.parent_of(ring)
        if parent is None or ring.of_joined_launcher or ring.parent_phase >= 1 << 32:
            return -1
        return int(self._marked.rows_of(keys_of(np.array([parent]), np.array([ring.parent_phase])))[0])


def _owner(known: Known | None) -> Known | None:
    """Return whose phases a process's are: a nested launcher's belong to the process that started it."""
    while known is not None and known.joined:
        known = known.parent
    return known
