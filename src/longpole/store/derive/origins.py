"""Where phases hang that have no parent in their own ring.

What a process marked is part of the phase it was forked in, where that is known, else of the process. A
nested ``record`` stands in for its command by one phase: its command's processes are part of that. A process
that a program said it started is part of the phase in which it did so, or of the program's process. A nested
``record`` of a command for a told task lies in that task's execution, and so does a process that the driver
of a workflow of ours started for one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from longpole.store.derive.arrays import Whole
from longpole.store.derive.known import Known
from longpole.store.derive.loops import cut_loops
from longpole.store.derive.marked import Marked
from longpole.store.derive.processes import Processes
from longpole.store.derive.rings import Rings
from longpole.store.derive.spawns import find_spawns
from longpole.store.derive.texts import keys_of

RUN_ID = 1


class Origins:
    """The phase that holds each ring, and each process; ids as in the table of phases."""

    def __init__(
        self, rings: Rings, processes: Processes, marked: Marked, before: int, nested: Mapping[int, int]
    ) -> None:
        """Find them for all rings; processes have their ids, and come behind so many phases and the run.

        ``nested`` are phases that hold rings, whatever process wrote these.
        """
        self._marked = marked
        self._last_before = RUN_ID + before
        self.first_marked = self._last_before + len(processes.all) + 1
        known = [processes.of(ring.log, ring.number) for ring in rings.all]
        self.owners = [_owner(one) for one in known]
        self._launchers = {
            id(one): index
            for index, one in enumerate(known)
            if one is not None and rings.all[index].of_joined_launcher
        }
        forks = self._forks(rings)
        self.tops: Whole = np.array(self._tops(forks), np.int64)
        for index, phase in nested.items():
            self.tops[index] = phase
        self._spawns = find_spawns(rings, processes, marked, self.owners)
        if self._spawns:
            self._cut_circles(processes, forks)

    def of_process(self, known: Known) -> int:
        """Return the phase that holds a process."""
        if known.executes:
            return self._top(known)
        row = self._launch_of(known)
        if row >= 0:
            return self.first_marked + row
        spawn = self._spawns.get(known)
        if spawn is None:
            return self._row(known.parent) if known.parent else self._top(known)
        around = self._around(spawn)
        return self.first_marked + around if around >= 0 else self._row(self._starter(spawn))

    def _row(self, known: Known | None) -> int:
        return self._last_before + known.id if known else RUN_ID

    def _top(self, known: Known) -> int:
        """Return the phase of the command that a process without a parent ran for, or the run's."""
        return int(known.member.phase) if known.member is not None else RUN_ID

    def _launch_of(self, known: Known) -> int:
        """Return the row of the nested ``record`` that a process was started by, or -1."""
        index = self._launchers.get(id(known.launched_by)) if known.launched_by else None
        row = self._marked.first_of(index) if index is not None else None
        return -1 if row is None else row

    def _around(self, spawn: int) -> int:
        """Return the row of the phase in which a process was started, or -1."""
        ring, parent, number = (self._marked.columns[name][spawn] for name in ("ring", "parent", "id"))
        inside = 0 < parent < number
        return int(self._marked.rows_of(keys_of(np.array([ring]), np.array([parent])))[0]) if inside else -1

    def _starter(self, spawn: int) -> Known | None:
        return self.owners[int(self._marked.columns["ring"][spawn])]

    def _cut_circles(self, processes: Processes, forks: list[int]) -> None:
        """Forget spawns that would make something its own ancestor; only a forged log has them."""
        above = self._above(processes, forks)
        for member in _circles(above):
            if member < len(processes.all):
                self._spawns.pop(processes.all[member], None)
        if cut_loops(self._above(processes, forks)):
            self._spawns.clear()

    def _above(self, processes: Processes, forks: list[int]) -> list[int]:
        """Return what holds each process, by place, and then each ring: a place in the same list, or -1."""
        every, ring_of = processes.all, self._marked.columns["ring"]
        above = []
        for known in every:
            spawn = self._spawns.get(known)
            if known.executes:
                above.append(-1)
                continue
            row = self._launch_of(known)
            if row < 0 and spawn is not None:
                row = self._around(spawn)
            holder = self._starter(spawn) if spawn is not None else known.parent
            above.append(len(every) + int(ring_of[row]) if row >= 0 else _place(holder))
        for row, owner in zip(forks, self.owners, strict=True):
            above.append(len(every) + int(ring_of[row]) if row >= 0 else _place(owner))
        return above

    def _tops(self, forks: list[int]) -> list[int]:
        of_owner = [self._row(owner) for owner in self.owners]
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


def _place(known: Known | None) -> int:
    return known.id - 1 if known else -1


def _circles(above: list[int]) -> set[int]:
    """Return all members of circles."""
    members: set[int] = set()
    for cut in cut_loops(above):
        here = cut
        while here not in members:
            members.add(here)
            here = above[here]
    return members
