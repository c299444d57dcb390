"""Hosts of a run and their clocks: what puts the times of all nodes on one axis.

Method: each host's first measured offset of its monotonic clock to UTC is added to all its times; where hosts
have compared their clocks, they follow one of them (``axis`` has the method). A log without a clock (damaged)
is placed by the manifest's start, and that is said.
"""

from __future__ import annotations

from datetime import datetime

import numpy as np

from longpole.store.derive.arrays import Arrays, Whole, integers, texts
from longpole.store.derive.axis import Alignment, Comparison, Own
from longpole.store.derive.content import LogContent
from longpole.store.derive.notes import Began, Clock, Compared, Host

_WORDS = ("name", "kernel", "machine", "boot")
_LATEST_OFFSET_NS = 1 << 62


class Hosts:
    """The host of each log file, and the offset of its clock."""

    def __init__(self, logs: list[LogContent], started: str) -> None:
        """Find out on which host each log was written; ``started`` is the manifest's."""
        self._started = started
        self._known: dict[tuple[str, str], Host] = {}
        self._clocks: dict[int, list[Clock]] = {}
        self.guessed = 0
        keys = _keys(logs)
        for log, key in zip(logs, keys, strict=True):
            self._known.setdefault(key, next(iter(log.notes.of(Host)), Host(name=key[0])))
        places = {key: number for number, key in enumerate(self._known, start=1)}
        self.ids = [places[key] for key in keys]
        for log, host in zip(logs, self.ids, strict=True):
            self._clocks.setdefault(host, []).extend(log.notes.of(Clock))
        own = {host: self._own(host, log) for host, log in zip(self.ids, logs, strict=True)}
        self.alignment = Alignment(own, self._comparisons(logs, places))
        self.offsets = [self.alignment.axis(host) for host in self.ids]

    def __len__(self) -> int:
        """Return how many hosts there are."""
        return len(self._known)

    def table(self) -> Arrays:
        """Return the rows of ``hosts``."""
        hosts = list(self._known.values())
        return {
            "id": np.arange(1, len(hosts) + 1),
            **{name: texts([getattr(host, name) or None for host in hosts]) for name in _WORDS},
            **{name: integers([getattr(host, name) for host in hosts]) for name in ("cores", "memory_bytes")},
        }

    def clocks(self) -> Arrays:
        """Return the rows of ``clocks``."""
        rows = [
            (host, clock.at, clock.offset, clock.error)
            for host, clocks in self._clocks.items()
            for clock in clocks
        ]
        rows += [(host, *found) for host in self._clocks for found in self.alignment.comparisons(host)]
        return {
            "host": integers([host for host, *_ in rows]),
            "at_ns": integers([at + offset for _, at, offset, _ in rows]),
            "offset_ns": integers([offset for _, _, offset, _ in rows]),
            "error_ns": integers([error for *_, error in rows]),
        }

    def utc(self, log: int, at: int) -> int:
        """Return a moment of a log's monotonic clock on UTC."""
        return at + self.offsets[log]

    def named(self, name: str) -> list[int]:
        """Return the hosts of a name."""
        return [number for number, host in enumerate(self._known.values(), start=1) if host.name == name]

    def from_wall(self, host: int, moments: Whole) -> Whole:
        """Return moments of a host's own time of day on the axis of the run.

        The offset to UTC that was measured last before each counts, else the first.
        """
        offsets = sorted((clock.at + clock.offset, clock.offset) for clock in self._clocks[host])
        if not offsets:
            return moments
        known_at, offset = np.array(offsets, np.int64).T
        measured = np.maximum(np.searchsorted(known_at, moments, side="right") - 1, 0)
        monotonic: Whole = moments - offset[measured]
        return monotonic + self.alignment.axis(host)

    def cores(self, host: int) -> int | None:
        """Return how many cores the run could use on a host."""
        return list(self._known.values())[host - 1].cores

    def memory_bytes(self, host: int) -> int | None:
        """Return how much memory a host has."""
        return list(self._known.values())[host - 1].memory_bytes

    def _comparisons(
        self, logs: list[LogContent], places: dict[tuple[str, str], int]
    ) -> dict[int, list[Comparison]]:
        found: dict[int, list[Comparison]] = {}
        for log, host in zip(logs, self.ids, strict=True):
            for note in log.notes.of(Compared):
                peer = places.get((note.peer, note.peer_boot))
                if peer is not None:
                    found.setdefault(host, []).append(Comparison(note.at, peer, note.theirs, note.error))
        return found

    def _own(self, host: int, log: LogContent) -> Own:
        clocks = self._clocks[host]
        if clocks:
            first = min(clocks, key=lambda clock: clock.at)
            return Own(first.at, first.offset)
        self.guessed += 1
        began = min((note.at for note in log.notes.of(Began)), default=0)
        return Own(began, _utc_ns(self._started) - began)


def _keys(logs: list[LogContent]) -> list[tuple[str, str]]:
    """Return what tells the host of each log from others; a log that lost its note goes by its name."""
    stems = [log.node for log in logs]
    known = {}
    for stem, log in zip(stems, logs, strict=True):
        for note in log.notes.of(Host):
            known[stem, log.name] = known[stem, ""] = (note.name, note.boot)
    names = [(stem, log.name) for stem, log in zip(stems, logs, strict=True)]
    return [known.get(name) or known.get((name[0], "")) or (name[0], "") for name in names]


def _utc_ns(text: str) -> int:
    try:
        started = int(datetime.fromisoformat(text).timestamp() * 1e9)
    except (ValueError, OverflowError, OSError):
        return 0
    return started if 0 <= started <= _LATEST_OFFSET_NS else 0
