"""The drivers of a run: who ran a workflow, one after the other, where, by which clock, and until when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from msgspec.structs import asdict

from longpole.store.derive.arrays import Whole
from longpole.store.derive.content import LogContent
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.note import Note
from longpole.store.derive.notes import Clock, Ended, Notes
from longpole.store.derive.processes import Processes
from longpole.store.derive.workflow_notes import (
    Driver,
    End,
    Files,
    Outcomes,
    Outline,
    Parts,
    Planned,
    Sizes,
    Start,
)


@dataclass(frozen=True, slots=True)
class _Session:
    """One driver: the place of its log, its host, what it said of itself, and from when to when it told."""

    log: int
    host: int
    notes: Notes
    driver: Driver | None
    first_ns: int
    last_ns: int

    @property
    def ended(self) -> bool:
        """Whether it came to an orderly end."""
        return bool(self.notes.of(Ended))


class Drivers:
    """All drivers of a run in their order; each is a session."""

    def __init__(self, logs: Sequence[LogContent], hosts: Hosts) -> None:
        """Find the logs that drivers wrote."""
        self._hosts = hosts
        self._all = [_session(at, log, hosts) for at, log in enumerate(logs) if log.of_driver]
        self._of_session = np.array([session.host for session in self._all], np.int64)
        self._axes = {session.host: hosts.offsets[session.log] for session in self._all}

    def __len__(self) -> int:
        """Return how many there were."""
        return len(self._all)

    def notes(self) -> Iterator[Notes]:
        """Yield what each told."""
        return (session.notes for session in self._all)

    def let_go(self) -> None:
        """Keep no longer what the rows of tables were made of: it is large."""
        heavy: tuple[type[Note], ...] = (Files, Sizes, Planned, Start, Parts, End, Outcomes)
        for session in self._all:
            for kind in heavy if session.driver is not None else ():  # which tells that it is a driver's
                session.notes.of(kind).clear()

    @property
    def said(self) -> Driver | None:
        """What the last said of itself."""
        return next((one.driver for one in reversed(self._all) if one.driver is not None), None)

    @property
    def outline(self) -> dict[str, int]:
        """What the workflow turned out to be as a plan, as the last that told it did; empty if none did."""
        told = [note for one in self._all for note in one.notes.of(Outline)]
        return {name: value for name, value in asdict(told[-1]).items() if value >= 0} if told else {}

    def placement(self, session: int) -> str:
        """Return under which placement a driver ran the workflow."""
        driver = self._all[session].driver
        return driver.placement if driver is not None else ""

    @property
    def ended(self) -> bool:
        """Whether the last came to an orderly end."""
        return bool(self._all) and self._all[-1].ended

    @property
    def pids(self) -> set[tuple[int, int]]:
        """Host and pid of each."""
        return {(one.host, one.driver.pid) for one in self._all if one.driver is not None and one.driver.pid}

    def host(self, session: int) -> int:
        """Return where a driver ran."""
        return self._all[session].host

    def utc(self, session: Whole, moments: Whole) -> Whole:
        """Return moments on UTC, each of the clock of the driver beside it."""
        found = np.zeros(len(moments), np.int64)
        of_host = self._of_session[session] if len(session) else session
        for host, axis in self._axes.items():
            mine = of_host == host
            found[mine] = moments[mine] + axis
        return found

    def span(self) -> tuple[int, int] | None:
        """Return from when to when any of them told something; nothing where there are none."""
        if not self._all:
            return None
        return min(one.first_ns for one in self._all), max(one.last_ns for one in self._all)

    def last_ns(self, processes: Processes, latest_ns: int) -> Whole:
        """Return until when each worked: as its process did, else until it told something for the last time.

        The last one that has not said that it ended may still work when the run was last seen.
        """
        return np.array([self._last_ns(at, processes, latest_ns) for at in range(len(self))], np.int64)

    def _last_ns(self, at: int, processes: Processes, latest_ns: int) -> int:
        session = self._all[at]
        if session.ended:
            return session.last_ns
        pid = session.driver.pid if session.driver is not None else 0
        known = processes.latest_of(session.host, pid, session.last_ns) if pid else None
        if known is not None and known.end_ns is not None:
            return max(session.last_ns, known.end_ns)
        return max(session.last_ns, latest_ns if at == len(self) - 1 else 0)


def _session(at: int, log: LogContent, hosts: Hosts) -> _Session:
    moments = [moment + hosts.offsets[at] for moment in _extremes(log.notes)]
    driver = next(iter(log.notes.of(Driver)), None)
    return _Session(at, hosts.ids[at], log.notes, driver, min(moments, default=0), max(moments, default=0))


def _extremes(notes: Notes) -> list[int]:
    """Return the first and the last moment that a driver told of."""
    parts = chain((note.parts for note in notes.of(Parts)), (note.parts for note in notes.of(End)))
    moments = [
        *(moment for some in parts for part in some for moment in (part.start, part.end) if moment),
        *(note.at for note in notes.of(Driver)),
        *(note.at for note in notes.of(Start)),
        *(note.at for note in notes.of(End)),
        *(note.at for note in notes.of(Ended)),
        *(note.at for note in notes.of(Clock)),
    ]
    return [min(moments), max(moments)] if moments else []
