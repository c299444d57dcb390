"""Steps that processes wrote in one slot each: the step as a marked phase, its parts as phases within it.

Times of a part are those of its slot, cut to the step: what a slot claims beyond its own end cannot be true.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from longpole.log.slots import STEP, STEP_KINDS, STEP_NONE, STEP_PARTS
from longpole.store.derive.arrays import LATEST_NS, Arrays, Marks, Objects, Whole, stacked
from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.records import Records
from longpole.store.derive.rings import Rings

NO_STEP = -1
_SHARED = ("status", "lane", "id", "parent")
_TIMES = (*STEP_PARTS, *(f"{part}_at" for part in STEP_PARTS[1:]))
# What a label of a later version is: a phase of no special kind.
_KINDS = np.array([*STEP_KINDS, "phase"], object)


class Steps:
    """What the steps of all logs are made of; the column ``step`` of marked phases says which is whose."""

    def __init__(self) -> None:
        """Start with none."""
        self._taken: list[Arrays] = []
        self._count = 0
        self._parts: Arrays = {}

    def take(self, log: LogContent, rings: Rings, at: int, offset: Axis) -> Arrays:
        """Take the steps out of a log; return them as columns of marked phases."""
        records, indices = rings.pop(log.rings, STEP, at)
        first, self._count = self._count, self._count + len(records)
        kinds = np.minimum(records["label"] & 255, len(STEP_KINDS)).astype(np.uint8)
        self._taken.append({"kind": kinds, **{name: records[name].copy() for name in _TIMES}})
        possible = _possible(records)
        ends = records["start"] + np.where(possible, records["took"], 0)
        return {
            "ring": indices.astype(np.uint32),
            "impossible": ~possible,
            "start": np.where(possible, records["start"] + offset, 0),
            "end": np.where(possible, ends + offset, 0),
            **{name: records[name].copy() for name in _SHARED},
            "name": records["label"] >> 8,
            **{name: np.zeros(len(records), np.uint32) for name in ("kind", "attributes", "device")},
            "step": np.arange(first, self._count, dtype=np.int32),
        }

    def settle(self) -> None:
        """Put the steps of all logs together; none are taken after this."""
        self._parts = stacked(self._taken)
        self._taken = []

    def kinds(self, steps: Whole) -> Objects:
        """Return the kind of each of these steps."""
        return _KINDS[self._parts["kind"][steps]]

    def parts(self, columns: Arrays) -> Iterator[tuple[str, Whole, Whole, Whole]]:
        """Yield each part: its name, the rows of marked phases that have it, and when it began and ended."""
        rows = np.flatnonzero((columns["step"] != NO_STEP) & ~columns["impossible"])
        if not len(rows):
            return
        steps = columns["step"][rows]
        for name in STEP_PARTS:
            took = self._parts[name][steps]
            there = took != STEP_NONE
            if there.any():
                offsets = self._parts[f"{name}_at"][steps[there]] if name != STEP_PARTS[0] else 0
                yield name, rows[there], *_cut(columns, rows[there], offsets, took[there])


def _possible(records: Records) -> Marks:
    start = records["start"]
    possible: Marks = (start >= 0) & (start < LATEST_NS - STEP_NONE)
    return possible


def _cut(
    columns: Arrays, rows: Whole, offsets: NDArray[np.uint32] | int, took: NDArray[np.uint32]
) -> tuple[Whole, Whole]:
    """Return begin and end of parts, none beyond the end of its step."""
    start, end = columns["start"][rows], columns["end"][rows]
    begin = np.minimum(start + offsets, end)
    return begin, np.minimum(start + offsets + took, end)
