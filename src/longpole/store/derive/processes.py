"""Processes of a run, put together from all that speaks of them.

The agent's notes say who a process is, exit records and the launcher when and how it ended. A process of
two numbers (in two logs, or because its ring was found after its end) is one: the same ring, or the same pid
and start on one host. Of several times by which it had ended, the earliest is the closest; an exit record may
be read late, but tells how long the process lived. Launchers of nested ``record`` commands are a part of the
recorder; what they started counts as started by their parent.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from longpole.model.execution import Source
from longpole.store.derive.arrays import Arrays, Whole, integers, texts
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.exits import STILL_LIVING, End
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import LATE_NS, TICK_NS, Known
from longpole.store.derive.loops import cut_loops
from longpole.store.derive.notes import Exit, Gone, Process, Unreadable
from longpole.store.derive.rings import Rings

# So many processes of one pid are told apart by their start; a log with more is damaged or forged.
_MOST_OF_PID = 64
# So many programs that a process executed are kept in mind, to know what was forked from it.
_MOST_IMAGES = 16
# A command line that could not be read is given as the program's name in brackets.
_UNREAD = "["


class Processes:
    """All processes of a run; ``all`` holds those of the command in order of their start, with ids from 1."""

    def __init__(self, logs: list[LogContent], hosts: Hosts, rings: Rings) -> None:
        """Read the notes of all logs."""
        self._hosts = hosts
        self._by_number: dict[tuple[int, int], Known] = {}
        self._by_pid: dict[tuple[int, int], list[Known]] = {}
        self._by_inner_pid: dict[tuple[int, int], list[Known]] = {}
        self._alias = _aliases(rings)
        self.all: list[Known] = []
        self.loops = 0
        for at, log in enumerate(logs):
            self._take_notes(at, log)
        self._take_hellos(rings)

    def of(self, log: int, number: int | None) -> Known | None:
        """Return the process of a number in a log."""
        return None if not number else self._by_number.get(self._alias.get((log, number), (log, number)))

    def numbers(self, log: int) -> tuple[Whole, Whole]:
        """Return all numbers of a log in order, and the id of each; 0 for a process of the recorder."""
        keys = {key[1]: known.id for key, known in self._by_number.items() if key[0] == log}
        keys.update(
            {
                key[1]: self._by_number[to].id
                for key, to in self._alias.items()
                if key[0] == log and to in self._by_number
            }
        )
        order = sorted(keys)
        return np.array(order, np.int64), np.array([keys[number] for number in order], np.int64)

    def latest_of(self, host: int, pid: int, by_ns: int) -> Known | None:
        """Return the process of a host that had this pid, as we or as itself saw it, last by then."""
        for by_pid in (self._by_pid, self._by_inner_pid):
            begun = [known for known in by_pid.get((host, pid), ()) if (known.start_ns or 0) <= by_ns]
            if begun:
                return max(begun, key=lambda known: known.start_ns or 0)
        return None

    def of_pid(self, host: int, pid: int) -> list[Known]:
        """Return the processes of a host that had this pid, as we or as they themselves saw it."""
        both = [known for of in (self._by_pid, self._by_inner_pid) for known in of.get((host, pid), ())]
        return [known for known in dict.fromkeys(both) if known.id]

    def take_ends(self, ends: Iterable[End]) -> None:
        """Add what the launcher saw; an end that fits no process is one of a process nobody else saw."""
        for end in ends:
            known = self._fitting(end) or self._new(end)
            known.comm, known.last_name = known.comm or end.name, end.name
            known.ended_in = end.ring
            if known.start_guessed:
                known.start_ns, known.start_guessed = end.start_ns, False
            if end.status != STILL_LIVING:
                known.status = end.status if known.status is None else known.status
                known.exact = True
                known.ended_by(end.end_ns)

    def settle(self, began_ns: int | None) -> None:
        """Give ids, in order of start, and find parents; nothing is added after this."""
        everyone = list(dict.fromkeys(self._by_number.values()))
        for known in everyone:
            known.parent = self.of(*known.parent_key) if known.parent_key else None
            _tidy_times(known, began_ns)
            _as_it_ended(known)
        self.loops = _break_loops(everyone)
        for known in everyone:
            _skip_joined(known)
        self.all = sorted((known for known in everyone if not known.joined), key=_by_start)
        for number, known in enumerate(self.all, start=1):
            known.id = number

    def table(self) -> Arrays:
        """Return the rows of ``processes``."""
        every = self.all
        return {
            "id": np.arange(1, len(every) + 1),
            "host": integers([known.host for known in every]),
            "pid": integers([known.pid or None for known in every]),
            "parent": integers([known.parent.id if known.parent else None for known in every]),
            **{name: integers([getattr(known, name) for known in every]) for name in _NUMBERS},
            "exit_status": integers([known.status for known in every]),
            "name": texts([known.comm or None for known in every]),
            "command": texts([known.command or None for known in every]),
            "source": texts([(Source.EXACT if known.exact else Source.SAMPLED).value for known in every]),
        }

    def _take_notes(self, at: int, log: LogContent) -> None:
        offset = self._hosts.offsets[at]
        for note in log.notes.of(Process):
            self._take_process(at, note, None if note.start is None else note.start + offset)
        for exit_note in log.notes.of(Exit):
            self._take_exit(at, exit_note, offset)
        for gone in log.notes.of(Gone):
            known = self.of(at, gone.number)
            if known is not None:
                known.ended_by(gone.by + offset)
        for unreadable in log.notes.of(Unreadable):
            known = self.of(at, unreadable.number)
            if known is not None:
                known.bytes_known = False

    def _take_process(self, at: int, note: Process, start_ns: int | None) -> None:
        known = self._get(at, note.number, note.pid, start_ns, guessed=False)
        if start_ns is not None and (known.start_ns is None or known.start_guessed):
            known.start_ns, known.start_guessed = start_ns, False
        known.became |= _is_another(known, note)
        if note.launcher and known.comm not in ("", note.comm):
            known.command, known.python = "", None  # of a copy of its launcher, before it became its command
        known.comm = note.comm or known.comm
        known.launcher = note.launcher or known.launcher
        if not known.command or not note.command.startswith(_UNREAD):
            known.command = note.command or known.command
        self._take_program(known, note)
        self._take_parent(known, at, note.parent)

    def _take_program(self, known: Known, note: Process) -> None:
        known.python = known.python if note.python is None else note.python
        known.stdin = known.stdin if note.stdin is None else note.stdin
        known.stdout = known.stdout if note.stdout is None else note.stdout
        if note.image and note.image not in known.images[-1:]:
            known.images.append(note.image)
            del known.images[:-_MOST_IMAGES]
        if note.inner_pid:
            _add_pid(self._by_inner_pid, known, note.inner_pid)

    def _take_exit(self, at: int, note: Exit, offset: Axis) -> None:
        start_ns = None if note.start is None else note.start + offset
        known = self._get(at, note.number, note.pid, start_ns, guessed=True)
        if known.start_ns is None and start_ns is not None:
            known.start_ns, known.start_guessed = start_ns, True
        known.comm = known.comm or note.comm
        known.status = note.status
        known.exit = note
        known.exact = True
        known.ended_by(note.end + offset)
        if note.start is not None and known.start_ns is not None and not known.start_guessed:
            known.ended_by(known.start_ns + (note.end - note.start) + TICK_NS)
        self._take_parent(known, at, note.parent)

    def _take_parent(self, known: Known, at: int, parent: int) -> None:
        if parent and known.parent_key is None:
            known.parent_key = (at, parent)

    def _take_hellos(self, rings: Rings) -> None:
        for ring in rings.all:
            known = self.of(ring.log, ring.number)
            if known is not None:
                known.rank = known.rank if ring.hello.rank is None else ring.hello.rank
                known.world = known.world if ring.hello.world is None else ring.hello.world
                known.joined |= ring.of_joined_launcher

    def _get(self, at: int, number: int, pid: int, start_ns: int | None, *, guessed: bool) -> Known:
        key = self._alias.get((at, number), (at, number))
        known = self._by_number.get(key) or self._met_before(at, pid, start_ns, guessed=guessed)
        if known is None:
            known = self._add(at, key, pid)
        self._by_number[key] = known
        return known

    def _met_before(self, at: int, pid: int, start_ns: int | None, *, guessed: bool) -> Known | None:
        """Return the process that another number already stands for."""
        if not pid or start_ns is None:
            return None
        same_pid = self._by_pid.get((self._hosts.ids[at], pid), ())
        return next((known for known in same_pid if known.began_about(start_ns, guessed=guessed)), None)

    def _fitting(self, end: End) -> Known | None:
        """Return the process of this pid whose life overlaps, the one that began closest to it."""
        fitting = [
            known
            for known in self._by_pid.get((self._hosts.ids[end.log], end.pid), ())
            if (known.start_ns is None or known.start_ns <= end.end_ns + known.late_ns)
            and (known.end_ns is None or known.end_ns + LATE_NS >= end.start_ns)
            and not (known.start_guessed and known.ended_in is not None)
        ]
        return min(
            fitting, key=lambda known: abs((known.start_ns or end.start_ns) - end.start_ns), default=None
        )

    def _new(self, end: End) -> Known:
        key = (end.log, -1 - len(self._by_number))
        known = self._by_number[key] = self._add(end.log, key, end.pid)
        known.start_ns = end.start_ns
        return known

    def _add(self, at: int, key: tuple[int, int], pid: int) -> Known:
        known = Known(self._hosts.ids[at], key)
        known.pid = pid
        _add_pid(self._by_pid, known, pid)
        return known


_NUMBERS = ("start_ns", "end_ns", "rank", "world")


def _aliases(rings: Rings) -> dict[tuple[int, int], tuple[int, int]]:
    """Return the numbers that other logs give to a process, and the first number it was given."""
    found = {}
    for ring in rings.all:
        for other in ring.others[1:]:
            if ring.number and other[1]:
                found[other] = (ring.log, ring.number)
    return found


def _is_another(known: Known, note: Process) -> bool:
    """Return whether a process seen before has executed a program since; another name is no proof."""
    if known.images and note.image:
        return note.image != known.images[-1]
    return bool(note.python) and known.python is False


def _add_pid(by_pid: dict[tuple[int, int], list[Known]], known: Known, pid: int) -> None:
    same_pid = by_pid.setdefault((known.host, pid), [])
    same_pid.append(known)
    del same_pid[:-_MOST_OF_PID]


def _as_it_ended(known: Known) -> None:
    """Call a process that was seen as a copy of its parent only by the program that it then executed."""
    end, parent = known.exit, known.parent
    if end is None or parent is None or end.forked or end.comm in ("", known.comm):
        return
    if known.command and known.command == parent.command:
        known.comm, known.command, known.python = end.comm, "", None


def _tidy_times(known: Known, began_ns: int | None) -> None:
    """Let no process begin before its run, by less than a tick, or end before it began."""
    if began_ns is not None and known.start_ns is not None and 0 < began_ns - known.start_ns <= 2 * TICK_NS:
        known.start_ns = began_ns
    if known.start_ns is not None and known.end_ns is not None:
        known.end_ns = max(known.start_ns, known.end_ns)


def _break_loops(everyone: list[Known]) -> int:
    """Forget a parent wherever parents go round in a circle; return how often."""
    places = {known: at for at, known in enumerate(everyone)}
    cuts = cut_loops([places[known.parent] if known.parent else -1 for known in everyone])
    for at in cuts:
        everyone[at].parent = None
    return len(cuts)


def _skip_joined(known: Known) -> None:
    while known.parent is not None and known.parent.joined:
        known.launched_by = known.launched_by or known.parent
        known.parent = known.parent.parent


def _by_start(known: Known) -> tuple[int, tuple[int, int]]:
    return known.start_ns or 0, known.order
