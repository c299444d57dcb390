"""What a recorded run answers to a trace: which process that is of, and whether it is there already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longpole.log.files import LOG_FOLDER
from longpole.model.manifest import State
from longpole.store.derive.content import read_content
from longpole.store.derive.exits import Exits
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import Known
from longpole.store.derive.processes import Processes
from longpole.store.derive.rings import Rings
from longpole.store.derive.told import ToldRows
from longpole.store.derive.within import Traced, namesakes, same_as


class Recorded:
    """The processes of a run that has ended, as its log tells of them."""

    def __init__(self, path: Path, started: str) -> None:
        """Read the log of a run; ``started`` is its manifest's."""
        content = read_content(path / LOG_FOLDER, State.FINISHED)
        rings = Rings(content.logs)
        self._hosts = Hosts(content.logs, started)
        self._processes = Processes(content.logs, self._hosts, rings)
        self._processes.take_ends(Exits(content.logs, rings, self._hosts.offsets).ends)
        self._processes.settle(None)
        self._there = {traced.key for traced in ToldRows(content.told).traced}

    def __len__(self) -> int:
        """Return how many processes there are."""
        return len(self._processes.all)

    def take(self, traced: Sequence[Traced]) -> bool:
        """Return whether these traces of processes are all there already, given those taken before."""
        keys = {one.key for one in traced}
        known = keys <= self._there
        self._there |= keys
        return known

    def namesakes(self, traced: Traced) -> list[Known]:
        """Return the processes of the same pid, whenever they lived."""
        return namesakes(traced, self._processes, self._hosts)

    def same_as(self, traced: Traced) -> list[Known]:
        """Return the process that was traced: none, one, or one for each host where it may be."""
        return same_as(traced, self._processes, self._hosts)
