"""What the launcher wrote: every end it saw, the end of the command, and what recording has cost.

Ends are believed from the launcher's own ring only, or from that of a program that recorded itself; any
process of the command can write into its own. When the agent was killed, the last records before that may be
in two logs; they are told apart by their numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.log.slots import COST, EXIT_BYTES, EXIT_TIMES, FINISH
from longpole.store.derive.arrays import LATEST_NS, Marks, Whole
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import AGENT, LogContent
from longpole.store.derive.records import Records
from longpole.store.derive.rings import Rings

STILL_LIVING = -1
_JOINED = 1
_MEMBER = 2
_MOST = 1 << 60


@dataclass(frozen=True, slots=True)
class End:
    """One process whose end the launcher saw; times on UTC. A wait status of -1: it still lived."""

    log: int
    pid: int
    start_ns: int
    end_ns: int
    status: int
    name: str
    ring: int


@dataclass(frozen=True, slots=True)
class Finish:
    """The command's own begin and end, on UTC, its wait status, its pid, and how many it left behind."""

    start_ns: int
    end_ns: int
    status: int
    pid: int = 0
    left: int = 0


class Exits:
    """Ends, their sums over the whole tree, and the recorder's cost."""

    def __init__(self, logs: list[LogContent], rings: Rings, offsets: list[Axis]) -> None:
        """Take the launcher's records out of all logs."""
        self.ends: list[End] = []
        self.finishes: dict[int, Finish] = {}
        self.joined = 0
        self.joined_used = np.zeros(4)
        self.recorder_us: int | None = None
        self.cpu_us = np.zeros(2)
        self.bytes = np.zeros(4)
        self.bytes_known = True
        self.still_living = False
        self._seen: set[tuple[int, int]] = set()
        self._launchers = {index for index, ring in enumerate(rings.all) if ring.of_member}
        for at, log in enumerate(logs):
            self._take_ends(log, rings, at, offsets[at])
            self._take_finish(log, rings, at, offsets[at])
            self._take_costs(log, rings, at)

    def _take_ends(self, log: LogContent, rings: Rings, at: int, offset: Axis) -> None:
        records, names = self._of_launcher(log, rings, EXIT_TIMES, at)
        self.cpu_us += _sums(records, "user_us", "system_us")
        self.bytes_known &= bool((records["flag"] != 0).all())
        self.still_living |= bool((records["status"] == STILL_LIVING).any())
        words = rings.texts.lookup(names, records["name"], "")
        ends = records[["owner", "start", "end", "status"]].tolist()
        for record, name, ring in zip(ends, words.tolist(), names.tolist(), strict=True):
            pid, start, end, status = record
            self.ends.append(End(at, pid, start + offset, end + offset, status, name, ring))
        records, _ = self._of_launcher(log, rings, EXIT_BYTES, at)
        self.bytes += _sums(records, "read", "written", "storage_read", "storage_written")

    def _take_finish(self, log: LogContent, rings: Rings, at: int, offset: Axis) -> None:
        records, indices = self._of_launcher(log, rings, FINISH, at)
        times = records[["start", "end", "status", "owner", "small"]].tolist()
        for (start, end, *rest), ring in zip(times, indices.tolist(), strict=True):
            self.finishes[ring] = Finish(start + offset, end + offset, *rest)

    @property
    def finish(self) -> Finish | None:
        """The begin and end of all commands taken together; nothing while one of them has not ended."""
        if not self.finishes or not self._launchers <= self.finishes.keys():
            return None
        every = list(self.finishes.values())
        status = next((one.status for one in every if one.status), 0)
        return Finish(min(one.start_ns for one in every), max(one.end_ns for one in every), status)

    def _of_launcher(self, log: LogContent, rings: Rings, kind: int, at: int) -> tuple[Records, Whole]:
        records, indices = rings.pop(log.rings, kind, at)
        trusted = np.array([ring.knows_ends for ring in rings.all], np.bool_)
        chosen = trusted[indices] & believable(records) if len(records) else np.zeros(0, np.bool_)
        chosen[chosen] = self._fresh(indices[chosen], records["number"][chosen])
        return records[chosen], indices[chosen]

    def _fresh(self, rings: Whole, numbers: Whole) -> Marks:
        """Return which records of rings have not been seen before."""
        keys = list(zip(rings.tolist(), numbers.tolist(), strict=True))
        fresh = np.array([key not in self._seen for key in keys], np.bool_)
        self._seen.update(keys)
        return fresh

    def _take_costs(self, log: LogContent, rings: Rings, at: int) -> None:
        records, _ = rings.pop(log.rings, COST, at)
        joined = records[records["flag"] == _JOINED]
        self.joined += len(joined)
        self.joined_used += _sums(joined, "user_us", "system_us", "read", "written")
        launchers = records[records["flag"] == _MEMBER]
        if len(launchers):
            self.recorder_us = (self.recorder_us or 0) + int(_sums(launchers, "user_us", "system_us").sum())
        own, sources = log.agent.pop(COST)
        spent = _spent(own[(sources == AGENT) & (own["flag"] == 0)])
        if spent is not None:
            self.recorder_us = (self.recorder_us or 0) + spent


def believable(records: Records) -> Marks:
    """Return which records have a begin and an end that a monotonic clock can show."""
    start, end = records["start"], records["end"]
    return (start >= 0) & (start <= end) & (end < LATEST_NS)


def _sums(records: Records, *names: str) -> np.ndarray:
    """Return the sum of each field; what no process can have used counts as nothing."""
    return np.array([records[name][records[name] < _MOST].sum(dtype=np.float64) for name in names])


def _spent(records: Records) -> int | None:
    spent = (records["user_us"] + records["system_us"])[
        (records["user_us"] < _MOST) & (records["system_us"] < _MOST)
    ]
    return int(spent.max()) if len(spent) else None
