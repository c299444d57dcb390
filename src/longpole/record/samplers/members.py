"""Launchers of a joint run: found by their rings, as processes are, and told when theirs is in the log.

A launcher that has ended waits until its ring is taken away: then nothing of it can be lost any more. That
happens when all that was in it is on the disk and, for the last one there, when the log itself is closed.
"""

from __future__ import annotations

import json
import os

from longpole.log.slots import HELLO_TEXT, SLOT_BYTES, TEXT, TEXT_LAYOUT
from longpole.record.node import is_member
from longpole.record.rings import ForeignRingError, open_ring
from longpole.record.samplers.phases import CollectedRing, PhaseCollector, unlink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Tree

    Facts = dict[str, Any]


class MemberCollector(PhaseCollector):
    """Drains the rings of a joint run, those of its launchers among them."""

    def __init__(self, journal: Journal, tree: Tree, folder: str, welcome: Callable[[Facts], None]) -> None:
        """Look for rings in ``folder``; ``welcome`` is called with what each launcher says of itself."""
        super().__init__(journal, tree, folder)
        self._welcome = welcome
        self._closing = False
        self._members: set[str] = set()
        self._strangers: set[str] = set()
        # Rings of launchers whose content is in the log, to be taken away when it is on the disk.
        self.written: list[str] = []

    @property
    def members(self) -> int:
        """How many launchers are there."""
        return len(self._members)

    def commit(self) -> None:
        """Give room back; launchers that were waiting may go, unless the log ends with the last of them."""
        super().commit()
        if self._members:
            self.release()

    def release(self) -> None:
        """Let launchers go whose records are on the disk."""
        for path in self.written:
            unlink(path)
        self.written.clear()

    def finish(self) -> None:
        """Drain a last time; who comes now is for the next log."""
        self._closing = True
        super().finish()

    def _open(self, name: str) -> None:
        if not is_member(name):
            super()._open(name)
        elif not self._closing and name not in self._strangers:
            self._open_member(name)

    def _open_member(self, name: str) -> None:
        path = os.path.join(self._folder, name)
        if path in self.written:
            return
        try:
            reader = open_ring(path)
        except (OSError, ForeignRingError):
            self._strangers.add(name)
            return
        ring = self._rings[name] = CollectedRing(self._source(), path, self._host_pid(reader), reader)
        self._members.add(name)
        self._note_ring(ring, 0)
        self._tree.add_launcher(ring.pid)

    def _drain(self, ring: CollectedRing) -> int:
        """Take what was written; a launcher says first who it is."""
        slots = ring.reader.drain()
        if not slots:
            return 0
        if ring.path.rpartition("/")[2] in self._members and is_first(slots):
            self._welcome(hello_of(slots))
        return self._keep(ring, slots)

    def _give_back(self, ring: CollectedRing, now_ns: int) -> None:
        name = ring.path.rpartition("/")[2]
        if name not in self._members:
            super()._give_back(ring, now_ns)
            return
        self._members.discard(name)
        self._tree.drop_launcher(ring.pid, now_ns)
        self.written.append(ring.path)


def is_first(slots: bytes) -> bool:
    """Return whether these slots are the first of their ring."""
    return int.from_bytes(slots[SLOT_BYTES - 8 : SLOT_BYTES], "little") == 1


def hello_of(slots: bytes) -> Facts:
    """Return what a launcher says of itself at the begin of its ring."""
    parts = []
    for kind, _, _, identity, length, part, _ in TEXT_LAYOUT.iter_unpack(slots):
        if kind == TEXT and identity == HELLO_TEXT:
            parts.append(part[:length])
    try:
        facts = json.loads(b"".join(parts))
    except ValueError:
        return {}
    return facts if isinstance(facts, dict) else {}
