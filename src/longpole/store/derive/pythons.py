"""Pythons of a run that no hook could be loaded into: their phases, steps and imports are missing.

Method: a Python that loads our hooks leaves word by its pid; one that has a ring was reached too. A process
that was forked, and has not executed a program since, is as its origin is: the kernel says so when it ends,
else it shares the image of its origin. Where it cannot be known a process is not counted, so the number is
the least there can be. A process too short to be looked at is a Python if its name begins like one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import zip_longest

from longpole.model.recording import UnreachedPython
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import Known
from longpole.store.derive.notes import Began, Exit, Reached
from longpole.store.derive.processes import Processes
from longpole.store.derive.rings import Rings

_NAME = "python"
_MOST_COMMANDS = 20
_LONGEST_COMMAND = 500
# Word of a Python may come before the record of a short one says it has begun, and is a moment on its way.
_LATE_NS = 1_000_000_000
# How exactly the kernel tells when a process began.
_TICK_NS = 10_000_000


@dataclass(frozen=True, slots=True)
class Unreached:
    """The commands of Pythons that were not reached, the most frequent first, and how many in all."""

    commands: tuple[UnreachedPython, ...] = ()
    total: int = 0


class Pythons:
    """Finds out which processes were reached."""

    def __init__(self, logs: list[LogContent], hosts: Hosts, processes: Processes, rings: Rings) -> None:
        """Take the word that Pythons left; processes have their ids."""
        self._every = processes.all
        began = [
            note.at + hosts.offsets[at]
            for at, log in enumerate(logs)
            for note in log.notes.of(Began)
            if note.hooks
        ]
        self._began_ns = min(began, default=None)
        owners = (processes.of(ring.log, ring.number) for ring in rings.all)
        self._reached = {id(owner) for owner in owners if owner is not None}
        self._missed: set[int] = set()
        self._started: set[int] = set()
        self._firsts = _first_of_images(self._every)
        self._unmatched = 0
        for at, log in enumerate(logs):
            for note in log.notes.of(Reached):
                self._take(note, hosts.ids[at], hosts.offsets[at], processes)

    def unreached(self, last_ns: int | None) -> Unreached:
        """Return those that were not; ``last_ns`` is when the run was last seen."""
        if self._began_ns is None:
            return Unreached()
        found = [known for known in self._every if not self._was_reached(known)]
        found = [known for known in found if self._is_python(known) and not _too_young(known, last_ns)]
        sure = [known for known in found if known.python is not None]
        by_name = [known for known in found if known.python is None][self._unmatched :]
        commands = Counter((known.command or known.comm)[:_LONGEST_COMMAND] for known in (*sure, *by_name))
        ranked = sorted(commands.items(), key=lambda item: (-item[1], item[0]))
        listed = tuple(UnreachedPython(command, count) for command, count in ranked[:_MOST_COMMANDS])
        return Unreached(listed, commands.total())

    def _take(self, note: Reached, host: int, offset: Axis, processes: Processes) -> None:
        for pid, ready, spent in zip_longest(note.pids, note.ready, note.spent, fillvalue=0):
            known = processes.latest_of(host, pid, note.at + offset + _LATE_NS)
            if known is None:
                self._unmatched += 1  # of a namespace whose pids we do not know: it stands for any short one
                continue
            self._reached.add(id(known))
            if ready:
                again = id(known) in self._started
                self._started.add(id(known))
                known.start_up_ns = None if again else _start_up_ns(known, ready + offset, spent)
            elif spent:
                known.import_ns = max(known.import_ns or 0, spent)

    def _was_reached(self, known: Known) -> bool:
        """Return whether a process was reached: itself, or what it was forked from."""
        path: set[int] = set()
        here: Known | None = known
        reached = True
        while reached and here is not None and id(here) not in self._reached and id(here) not in path:
            path.add(id(here))
            reached = id(here) not in self._missed and self._is_fork(here)
            here = self._origin(here)
        (self._reached if reached else self._missed).update(path)
        return reached

    def _is_fork(self, known: Known) -> bool:
        if known.exit is not None:
            return known.exit.forked
        first = self._first(known)
        if first is not None and first is not known:
            return True
        if known.parent is None:
            return known.id > 1  # its parent had ended before anybody looked: there is no telling
        return first is None and known.command == known.parent.command

    def _origin(self, known: Known) -> Known | None:
        """Return what a fork was forked from: the process that executed the program, if it is known."""
        first = self._first(known)
        return known.parent if first is known else first or known.parent

    def _first(self, known: Known) -> Known | None:
        return self._firsts.get((known.host, known.images[-1])) if known.images else None

    def _is_python(self, known: Known) -> bool:
        if known.python is None:
            return known.comm.startswith(_NAME) and (known.start_ns or 0) >= (self._began_ns or 0)
        if known.exit is not None and self._became_another(known, known.exit):
            return known.exit.comm.startswith(_NAME)
        return known.python

    def _became_another(self, known: Known, end: Exit) -> bool:
        """Return whether it executed a program after it was last looked at, as one that is short may."""
        if end.forked:
            return False
        return self._first(known) not in (None, known) if known.python else end.comm != known.comm


def _start_up_ns(known: Known, ready_ns: int, spent_ns: int) -> int | None:
    """Return how long an interpreter took to start; None if its process was another program before.

    Its CPU time, unless it clearly waited: the start of a process is known to a tick. Both count from the
    begin of the process, and nobody knows when it executed a program: a tenth of a second as another one may
    go unseen.
    """
    if known.became or known.python is False:
        return None
    if known.start_ns is None or known.start_guessed:
        return spent_ns
    took_ns = ready_ns - known.start_ns - _TICK_NS // 2
    return took_ns if took_ns > spent_ns + _TICK_NS else spent_ns


def _first_of_images(every: list[Known]) -> dict[tuple[int, int], Known]:
    """Return the first process of each image; images are of one host."""
    found: dict[tuple[int, int], Known] = {}
    for known in every:
        for image in known.images:
            found.setdefault((known.host, image), known)
    return found


def _too_young(known: Known, last_ns: int | None) -> bool:
    """Return whether a process may not have had the time to leave word yet."""
    living = known.end_ns is None and known.start_ns is not None
    return living and last_ns is not None and (known.start_ns or 0) > last_ns - _LATE_NS
