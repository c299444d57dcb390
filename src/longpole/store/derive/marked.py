"""Phases as processes marked them, and steps: every record of their rings, over all logs, once each."""

from __future__ import annotations

import numpy as np

from longpole.log.slots import PHASE, UNFINISHED
from longpole.store.derive.arrays import Arrays, Whole, places, stacked
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.exits import believable
from longpole.store.derive.rings import Rings
from longpole.store.derive.steps import NO_STEP, Steps
from longpole.store.derive.texts import Keys, keys_of

_FIELDS = ("status", "lane", "id", "parent", "name", "kind", "attributes", "device")


class Marked:
    """Columns of the phases of rings; times on UTC, 0 where ``impossible``.

    A row of which ``step`` is not -1 is a step; ``steps`` knows its kind and its parts.
    """

    def __init__(self, logs: list[LogContent], rings: Rings, offsets: list[Axis]) -> None:
        """Take the phases out of all logs."""
        self.steps = Steps()
        parts = [_take(log, rings, at, offsets[at]) for at, log in enumerate(logs)]
        parts += [self.steps.take(log, rings, at, offsets[at]) for at, log in enumerate(logs)]
        self.steps.settle()
        self.columns = stacked([part for part in parts if len(part["ring"])] or [_none()])
        self.impossible = int(self.columns["impossible"].sum())
        self._keep_one_of_each()

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.columns["ring"])

    def let_go(self) -> None:
        """Give the memory back."""
        self.columns, self.steps = _none(), Steps()
        self._sort()

    def latest_ns(self) -> int | None:
        """Return the last end that is known."""
        ends = self.columns["end"][~self.columns["impossible"]]
        return int(ends.max()) if len(ends) else None

    def rows_of(self, keys: Keys) -> Whole:
        """Return the row, from 0, of the phase of each ring and number; -1 where it is not there."""
        found = places(self._keys, keys)
        return np.where(found >= 0, self._order[found], -1) if self.rows else found

    def first_of(self, ring: int) -> int | None:
        """Return the row of a ring's phase of the lowest number."""
        at = int(np.searchsorted(self._keys, np.uint64(ring << 32)))
        inside = at < self.rows and int(self._keys[at]) >> 32 == ring
        return int(self._order[at]) if inside else None

    def _sort(self) -> None:
        keys = keys_of(self.columns["ring"], self.columns["id"])
        self._order: Whole = np.argsort(keys, kind="stable")
        self._keys: Keys = keys[self._order]

    def _keep_one_of_each(self) -> None:
        """Keep one record of each phase, the finished one: an open phase may have ended while it was read."""
        self._sort()
        if not (self._keys[1:] == self._keys[:-1]).any():
            return
        finished_first = np.argsort(self.columns["status"] == UNFINISHED, kind="stable")
        self.columns = {name: values[finished_first] for name, values in self.columns.items()}
        self._sort()
        kept = np.sort(self._order[np.append(True, self._keys[1:] != self._keys[:-1])])
        self.columns = {name: values[kept] for name, values in self.columns.items()}
        self._sort()


def _take(log: LogContent, rings: Rings, at: int, offset: Axis) -> Arrays:
    records, indices = rings.pop(log.rings, PHASE, at)
    impossible = ~believable(records)
    times = {name: np.where(impossible, 0, records[name] + offset) for name in ("start", "end")}
    kept = {name: records[name].copy() for name in _FIELDS}
    steps = np.full(len(records), NO_STEP, np.int32)
    return {"ring": indices.astype(np.uint32), "impossible": impossible, **times, **kept, "step": steps}


def _none() -> Arrays:
    whole = {name: np.zeros(0, np.uint32) for name in ("ring", *_FIELDS)}
    times = {name: np.zeros(0, np.int64) for name in ("start", "end")}
    return {**whole, **times, "impossible": np.zeros(0, np.bool_), "step": np.zeros(0, np.int32)}
