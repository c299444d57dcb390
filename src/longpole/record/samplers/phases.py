"""Phases of the command's processes: finds their rings, drains them, and gives their memory back.

A ring's room is given back only when what was in it has been written, so that nothing is lost if the agent
is killed; what was written just before may then be in two logs, and slots are told apart by their numbers.
A ring is removed once its process has ended and everything in it is in the log. A process beyond its share
of the disk is kept as sums per name; its counts stay exact. Sums are noted before the room of what is in them
is given back, unless that would take too much of the disk as well: then every so often.
"""

from __future__ import annotations

import os
from time import monotonic_ns, time_ns

from longpole.log.slots import LOST_SUFFIX, RING_SUFFIX, SLOT_BYTES
from longpole.record.client.ring import pid_namespace
from longpole.record.proc import inner_pid, read_stat, start_ns
from longpole.record.rings import ForeignRingError, RingReader, open_ring
from longpole.record.samplers.markers import Markers
from longpole.record.samplers.sums import Sums, owed_facts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.journal import Journal
    from longpole.record.samplers.tree import Tree

# How often sums and tallies are written down while they grow.
_SUMS_NS = 10_000_000_000
# A folder's time of change moves in steps: within one of these, another change may not show.
_GRAIN_NS = 20_000_000
# How often rings are drained. Between two times a quiet one may fill with what a tight loop marks, no more.
_BUSY_S, _QUIET_S = 0.1, 0.18
_MANY_SLOTS = 500


class CollectedRing:
    """One ring and the process that writes it."""

    __slots__ = ("path", "pid", "reader", "source", "sums")

    def __init__(self, source: int, path: str, pid: int, reader: RingReader) -> None:
        """Begin with nothing read."""
        self.source = source
        self.path = path
        self.pid = pid
        self.reader = reader
        self.sums = Sums()


class PhaseCollector:
    """Drains the rings of one run."""

    name = "phases"
    period_s = _BUSY_S

    def __init__(self, journal: Journal, tree: Tree, folder: str) -> None:
        """Look for rings in ``folder``; '' if there is none."""
        self._journal = journal
        self._tree = tree
        self._folder = folder
        self._namespace = pid_namespace()
        self._rings: dict[str, CollectedRing] = {}
        self._markers = Markers(journal, folder)
        self._changed_ns = -1
        self._sums_after_ns = 0
        self._next_source = 1
        self._ticks = 0
        self.lost = 0
        self.without_ring = 0

    def add(self, reader: RingReader) -> None:
        """Take a ring that has no file: the launcher's own."""
        ring = self._rings[""] = CollectedRing(self._source(), "", reader.pid, reader)
        self._note_ring(ring, 0)

    def commit(self) -> None:
        """Give the rings their room back, but for what is in sums only: what was drained is in the log."""
        self._markers.clear()
        for ring in self._rings.values():
            if not ring.sums.changed:
                ring.reader.commit()

    def sample(self, now_ns: int) -> None:
        """Drain every ring; once a second, let those of ended processes go."""
        self._look(now_ns)
        most = max([self._drain(ring) for ring in self._rings.values()], default=0)
        self.period_s = _BUSY_S if most > _MANY_SLOTS else _QUIET_S
        if now_ns >= self._sums_after_ns:
            self._note_sums(now_ns)
        if any(ring.reader.filling for ring in self._rings.values()):
            self._make_room()
        self._ticks += 1
        for name in [name for name, ring in self._rings.items() if self._is_over(ring)]:
            self._let_go(name, now_ns)

    def finish(self) -> None:
        """Drain a last time, and keep what was still open."""
        self._changed_ns = -1
        self.sample(monotonic_ns())
        for name in list(self._rings):
            self._let_go(name, monotonic_ns())

    def _source(self) -> int:
        self._next_source += 1
        return self._next_source - 1

    def _look(self, now_ns: int) -> None:
        if not self._folder:
            return
        try:
            changed_ns = os.stat(self._folder).st_mtime_ns
            names = os.listdir(self._folder) if changed_ns != self._changed_ns else []
        except OSError:
            return
        self._changed_ns = changed_ns if time_ns() - changed_ns > _GRAIN_NS else -1
        self._markers.take(names, now_ns)
        for name in names:
            if name.endswith(RING_SUFFIX) and name not in self._rings:
                self._open(name)
        self.without_ring = max(self.without_ring, sum(name.endswith(LOST_SUFFIX) for name in names))

    def _open(self, name: str) -> None:
        path = os.path.join(self._folder, name)
        try:
            reader = open_ring(path)
        except (OSError, ForeignRingError):
            return
        pid = self._host_pid(reader)
        ring = self._rings[name] = CollectedRing(self._source(), path, pid, reader)
        self._note_ring(ring, self._process_number(ring))

    def _note_ring(self, ring: CollectedRing, number: int) -> None:
        reader = ring.reader
        tags = {"tag": f"{reader.tag:x}", "parent_tag": f"{reader.parent_tag:x}"}
        phase = reader.parent_phase
        self._journal.note(
            "ring", source=ring.source, number=number, pid=reader.pid, parent_phase=phase, **tags
        )

    def _host_pid(self, reader: RingReader) -> int:
        """Return the pid as we see it of a writer that may live in a pid namespace of its own."""
        pid: int = reader.pid
        if reader.namespace in (0, self._namespace):
            return pid
        self._tree.find()
        for pid, member in self._tree.members.items():
            if member.start_ticks == reader.start_ticks and inner_pid(pid) == reader.pid:
                return pid
        return 0

    def _process_number(self, ring: CollectedRing) -> int:
        member = self._tree.members.get(ring.pid)
        if member is None and ring.pid and _alive(ring.pid, ring.reader.start_ticks):
            member = self._tree.admit(ring.pid)
        known = member.number if member else self._tree.known(ring.pid)
        if known is not None:
            return known
        number = self._tree.number_of_unseen(ring.pid, monotonic_ns())
        facts = {
            "number": number,
            "pid": ring.reader.pid,
            "parent": 0,
            "comm": "python",
            "command": "[python]",
        }
        self._journal.note("process", start=start_ns(ring.reader.start_ticks), **facts)
        return number

    def _drain(self, ring: CollectedRing) -> int:
        """Take what a process has written; return how many slots that is."""
        slots = ring.reader.drain()
        return self._keep(ring, slots) if slots else 0

    def _keep(self, ring: CollectedRing, slots: bytes) -> int:
        room = self._journal.room(ring.source)
        self._journal.ring_slots(ring.source, slots if room else ring.sums.take(slots))
        return len(slots) // SLOT_BYTES

    def _note_sums(self, now_ns: int) -> None:
        """Write all sums and tallies as they stand; what is in them may then be given back."""
        self._sums_after_ns = now_ns + _SUMS_NS * self._journal.sums_stretch
        for ring in self._rings.values():
            self._note_sums_of(ring)
        self._journal.flush()
        self.commit()

    def _note_sums_of(self, ring: CollectedRing) -> None:
        for facts in (*ring.sums.changes(), *ring.sums.tally_changes(ring.reader.tallies())):
            self._journal.note("sum", source=ring.source, **facts)

    def _make_room(self) -> None:
        """Give room back before a ring is full, sums or not."""
        if self._journal.sums_stretch == 1:
            for ring in self._rings.values():
                if ring.sums.changed:
                    self._note_sums_of(ring)
        self._journal.flush()
        for ring in self._rings.values():
            ring.reader.commit()

    def _is_over(self, ring: CollectedRing) -> bool:
        if not ring.path:
            return False
        if ring.reader.closed:
            return True
        return self._ticks % 10 == 0 and ring.pid != 0 and not _alive(ring.pid, ring.reader.start_ticks)

    def _let_go(self, name: str, now_ns: int) -> None:
        ring = self._rings.pop(name)
        self._drain(ring)
        self._journal.ring_slots(ring.source, ring.reader.open_phases())
        self._note_sums_of(ring)
        for facts in owed_facts(ring.reader.owed(), now_ns):
            self._journal.note("sum", source=ring.source, **facts)
        if ring.reader.lost:
            self.lost += ring.reader.lost
            self._journal.note("lost", source=ring.source, records=ring.reader.lost, at=now_ns)
        if ring.path:
            self._journal.flush()
            ring.reader.close()
            self._give_back(ring, now_ns)

    def _give_back(self, ring: CollectedRing, now_ns: int) -> None:  # noqa: ARG002  others need the time
        """Give the memory of a ring back: all of it is in the log."""
        unlink(ring.path)


def _alive(pid: int, start_ticks: int) -> bool:
    stat = read_stat(pid)
    return stat is not None and stat.start_ticks == start_ticks and stat.state != b"Z"


def unlink(path: str) -> None:
    """Remove the file of a ring."""
    try:
        os.unlink(path)
    except OSError:
        pass  # already gone
