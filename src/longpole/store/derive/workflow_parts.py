"""Phases within attempts, as columns: what drivers told of them, each in its place and within its times.

A phase that has begun and whose end is 0 was told when it began; if it was told again when it had ended, that
counts. One that ends before it begins is left out. One that reaches beyond the phase that it is part of is
cut there.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain

import numpy as np

from longpole.store.derive.arrays import Marks, Objects, Whole, texts
from longpole.store.derive.attempts import Attempts, Key
from longpole.store.derive.workflow_notes import Part

NONE = -1
_NUMBERS = ("start", "end", "status", "task", "bytes", "count", "pid", "own")
# Phases of phases are believed to this depth; deeper ones, and those in a circle, are parts of their job.
_DEEPEST = 8


class PartColumns:
    """Phases of attempts.

    Attributes:
        owner: Place of the attempt that each belongs to; -1: what the driver itself did.
        within: Place of the phase that each is part of; -1: the attempt itself.
        session: Which driver told it.
        going: Which had not ended when they were told.
        impossible: How many had times that cannot be.
    """

    def __init__(self, attempts: Attempts, places: Mapping[Key, int]) -> None:
        """Take all phases of attempts, whose places are given."""
        told = list(attempts.parts())
        flat: list[Part] = list(chain.from_iterable(parts for _, _, parts in told))
        sizes = np.array([len(parts) for _, _, parts in told], np.int64)
        self.numbers: dict[str, Whole] = {
            name: np.array([getattr(part, name) for part in flat], np.int64) for name in _NUMBERS
        }
        self.kind: Objects = texts([part.kind or "phase" for part in flat])
        self.name: Objects = texts([part.name for part in flat])
        self.used = [part.used for part in flat]
        self.session = np.repeat(np.array([session for session, _, _ in told], np.int64), sizes)
        self.owner = np.repeat(np.array([places.get(key, NONE) for _, key, _ in told], np.int64), sizes)
        within = np.array([part.within for part in flat], np.int64)
        self.within = _within(within, np.repeat(np.cumsum(sizes) - sizes, sizes), np.repeat(sizes, sizes))
        self.going: Marks = (self.numbers["end"] == 0) & (self.numbers["start"] > 0)
        impossible = (self.numbers["end"] < self.numbers["start"]) & ~self.going
        self.impossible = int(impossible.sum())
        self._keep(~(impossible | self._told_again()))

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.owner)

    def fit(self, start: Whole, end: Whole) -> None:
        """Cut times to those of the phases around, given the times of attempts."""
        begin, until = self.numbers["start"], self.numbers["end"]
        own = np.flatnonzero(self.owner >= 0)
        owner = self.owner[own]
        begin[own] = np.clip(begin[own], start[owner], end[owner])
        until[own] = np.clip(until[own], begin[own], end[owner])
        inner = np.flatnonzero(self.within >= 0)
        around = self.within[inner]
        for _ in range(_DEEPEST if len(inner) else 0):
            begin[inner] = np.clip(begin[inner], begin[around], until[around])
            until[inner] = np.clip(until[inner], begin[inner], until[around])

    def _told_again(self) -> Marks:
        """Return which were told when they began and again when they had ended."""
        again = np.zeros(len(self), np.bool_)
        if not self.going.any():
            return again
        whole = [self.owner, self.numbers["start"], self.numbers["task"], self.numbers["pid"]]
        ended = {
            (*row, kind) for *row, kind, going in zip(*whole, self.kind, self.going, strict=True) if not going
        }
        last: dict[tuple[object, ...], int] = {}
        for at in np.flatnonzero(self.going).tolist():
            same = (*(column[at] for column in whole), self.kind[at])
            again[at] = same in ended
            if same in last:
                again[last[same]] = True
            last[same] = at
        return again

    def _keep(self, kept: Marks) -> None:
        if kept.all():
            return
        moved = np.where(kept, np.cumsum(kept) - 1, NONE)
        within = np.where(self.within >= 0, moved[self.within], NONE)
        self.numbers = {name: values[kept] for name, values in self.numbers.items()}
        self.kind, self.name, self.going = self.kind[kept], self.name[kept], self.going[kept]
        self.session, self.owner, self.within = self.session[kept], self.owner[kept], within[kept]
        self.used = [self.used[at] for at in np.flatnonzero(kept).tolist()]


def _within(told: Whole, first: Whole, size: Whole) -> Whole:
    """Return the place of the phase that each is part of; what leads nowhere, or in a circle, is none."""
    sound = (told >= 0) & (told < size) & (told + first != np.arange(len(told)))
    within = np.where(sound, told + first, NONE)
    above = within
    for _ in range(_DEEPEST - 1):
        above = np.where(above >= 0, within[above], NONE)
        if (above < 0).all():
            return within
    return np.where(above >= 0, NONE, within)
