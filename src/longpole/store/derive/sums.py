"""Phases that were kept as sums: how many, how long in all, a histogram, and the time of each part of steps.

The agent sums up what is beyond the bound on disk use, and a process itself what comes too often to be noted.
Both write what they have so far again and again, so the last note of a log is the one that counts. A ring
that is continued in a second log has its sums begun anew there, so they add up; a tally is the ring's own,
and the larger one is the later.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import numpy as np

from longpole.log.slots import STEP_PARTS, UNFINISHED, bin_start
from longpole.model.execution import Status
from longpole.store.derive.arrays import Arrays, integers, texts
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.notes import Sum
from longpole.store.derive.rings import Rings

TALLY = "tally"
_PARTS = (*STEP_PARTS, "checkpoint")
_STATUSES = (Status.OK.value, Status.FAILED.value, Status.UNFINISHED.value)
# Sums over logs stay below this, whatever these claim.
_MOST = 1 << 62


@dataclass(frozen=True, slots=True)
class Key:
    """What is summed up together: the ring and its texts for name and kind, or the kind itself."""

    ring: int
    name: int
    kind: int
    kind_name: str
    status: int
    origin: str


@dataclass(frozen=True, slots=True)
class Amount:
    """How much came together; times on UTC."""

    count: int
    total_ns: int
    start_ns: int
    end_ns: int
    bins: dict[int, int]
    parts_ns: tuple[int, ...]

    def __add__(self, other: Amount) -> Amount:
        """Return both together."""
        return Amount(
            _plus(self.count, other.count),
            _plus(self.total_ns, other.total_ns),
            min(self.start_ns, other.start_ns),
            max(self.end_ns, other.end_ns),
            {at: _plus(self.bins.get(at, 0), other.bins.get(at, 0)) for at in self.bins | other.bins},
            tuple(_plus(*both) for both in zip(self.parts_ns, other.parts_ns, strict=True)),
        )

    def attributes(self) -> str | None:
        """Return the histogram and the parts as JSON; nothing where they were not kept."""
        facts: dict[str, object] = {}
        if self.bins:
            facts["bins"] = [[bin_start(at), count] for at, count in sorted(self.bins.items())]
        if any(self.parts_ns):
            facts["parts_ns"] = dict(zip(_PARTS, self.parts_ns, strict=True))
        return msgspec.json.encode(facts).decode() if facts else None


class Sums:
    """All sums of a run."""

    def __init__(self, logs: list[LogContent], rings: Rings, offsets: list[Axis]) -> None:
        """Put the sums of all logs together."""
        self.found: dict[Key, Amount] = {}
        for at, log in enumerate(logs):
            last = {_key(note, rings.index(at, note.source)): note for note in log.notes.of(Sum)}
            for key, note in last.items():
                self._take(key, _amount(note, offsets[at]))

    def count(self, *, origin: str) -> int:
        """Return how many phases are in sums of one origin."""
        return sum(amount.count for key, amount in self.found.items() if key.origin == origin)

    def table(self, rings: Rings, nameless: str, kindless: str) -> Arrays:
        """Return the sums as rows of ``phases``, each with its ring; the words stand for lost texts."""
        keys, amounts = list(self.found), list(self.found.values())
        kinds = [key.kind_name or rings.texts.get(key.ring, key.kind, kindless) for key in keys]
        return {
            "ring": np.array([key.ring for key in keys], np.int64),
            "kind": texts(kinds),
            "name": texts([rings.texts.get(key.ring, key.name, key.kind_name or nameless) for key in keys]),
            "start_ns": integers([amount.start_ns for amount in amounts]),
            "end_ns": integers([amount.end_ns for amount in amounts]),
            "duration_ns": integers([amount.total_ns for amount in amounts]),
            "count": integers([amount.count for amount in amounts]),
            "status": texts([_STATUSES[min(key.status, UNFINISHED)] for key in keys]),
            "attributes": texts([amount.attributes() for amount in amounts]),
        }

    def _take(self, key: Key, amount: Amount) -> None:
        known = self.found.get(key)
        if known is None:
            self.found[key] = amount
        elif key.origin == TALLY:
            self.found[key] = max(known, amount, key=lambda one: one.count)
        else:
            self.found[key] = known + amount


def _key(note: Sum, ring: int) -> Key:
    return Key(ring, note.name, note.kind, note.kind_name, note.status, note.origin)


def _amount(note: Sum, offset: Axis) -> Amount:
    bins: dict[int, int] = {}
    for at, count in note.bins:
        bins[at] = _plus(bins.get(at, 0), count)
    parts = note.parts + (0,) * (len(_PARTS) - len(note.parts))
    times = note.start + offset, max(note.start, note.end) + offset
    return Amount(note.count, note.total_ns, *times, bins, parts)


def _plus(one: int, other: int) -> int:
    return min(one + other, _MOST)
