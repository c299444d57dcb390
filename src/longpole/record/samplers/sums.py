"""Sums of what a ring holds: how many phases of one name, how long in all, and a histogram of how long each.

The agent sums up the phases and steps of a process that is beyond its share of the disk; a process itself
counts, in tallies, what comes too often to be noted. Both are written as they stand, again and again, so that
the last note is right whoever is killed.
"""

from __future__ import annotations

import struct

from longpole.log.slots import (
    BINS,
    PHASE,
    SLOT_BYTES,
    STEP,
    STEP_KINDS,
    STEP_LAYOUT,
    STEP_NONE,
    STEP_PARTS,
    TALLY_BINS,
    TALLY_COUNT,
    TALLY_END,
    TALLY_KIND,
    TALLY_NAME,
    TALLY_START,
    TALLY_TOTAL,
    bin_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Facts = dict[str, Any]

# Of a phase: type, status, name and kind as one number, start, end.
_PHASE = struct.Struct("<BB10xQ4xqq24x")
_TEXT_BITS, _TEXT_MASK = 32, 0xFFFFFFFF
# No moment of a monotonic clock lies beyond this.
_LATEST_NS = 1 << 60
# Durations of fewer bits are in the first bin, those of as many as the other or more in the last.
_FIRST_BITS = 9
_LAST_BITS = _FIRST_BITS + BINS // 4


class Sum:
    """All phases, or steps, of one name, kind and status."""

    __slots__ = ("bins", "changed", "end", "parts", "start", "total")

    def __init__(self) -> None:
        """Start with none."""
        self.total = self.end = 0
        self.start = _LATEST_NS
        self.bins = [0] * BINS
        self.parts: list[int] = []
        self.changed = False

    def facts(self) -> Facts:
        """Return it for a note."""
        times = {"total_ns": self.total, "start": min(self.start, self.end), "end": self.end}
        bins = [(place, count) for place, count in enumerate(self.bins) if count]
        parts = {"parts": self.parts} if self.parts else {}
        return {"count": sum(self.bins), **times, "bins": bins, **parts}


class Sums:
    """The sums of one ring, and what of its tallies has been written."""

    def __init__(self) -> None:
        """Start with none."""
        self._of_phases: dict[tuple[int, int], Sum] = {}
        self._of_steps: dict[tuple[int, int], Sum] = {}
        self._written: dict[tuple[int, int], int] = {}
        # Whether there is something in the sums that no note has yet.
        self.changed = False

    def take(self, slots: bytes) -> bytes:
        """Add phases and steps to the sums; return the other slots, which are kept."""
        kinds = slots[::SLOT_BYTES]
        phases, steps = kinds.count(PHASE), kinds.count(STEP)
        if phases:
            self._take_phases(slots)
        if steps:
            self._take_steps(slots)
        self.changed = self.changed or bool(phases or steps)
        if phases + steps == len(kinds):
            return b""
        others = [at * SLOT_BYTES for at, kind in enumerate(kinds) if kind not in (PHASE, STEP)]
        return b"".join(slots[at : at + SLOT_BYTES] for at in others)

    def changes(self) -> Iterator[Facts]:
        """Yield the sums that have changed since the last time."""
        self.changed = False
        for (texts, status), known in self._of_phases.items():
            if known.changed:
                names = {"name": texts & _TEXT_MASK, "kind": texts >> _TEXT_BITS, "status": status}
                yield {**names, **known.facts()}
                known.changed = False
        for (label, status), known in self._of_steps.items():
            if known.changed:
                kind = STEP_KINDS[label & 255] if label & 255 < len(STEP_KINDS) else "phase"
                yield {"name": label >> 8, "kind": 0, "kind_name": kind, "status": status, **known.facts()}
                known.changed = False

    def tally_changes(self, tallies: list[list[int]]) -> Iterator[Facts]:
        """Yield the tallies that have changed since the last time."""
        for words in tallies:
            names = words[TALLY_NAME], words[TALLY_KIND]
            if self._written.get(names) != words[TALLY_COUNT]:
                self._written[names] = words[TALLY_COUNT]
                yield {"origin": "tally", "status": 0, **_tally_facts(words)}

    def _take_phases(self, slots: bytes) -> None:
        """Add all phases; in one piece, since they may come by the hundred thousand a second.

        One whose times cannot be adds no more than that it was there.
        """
        sums = self._of_phases
        for slot_kind, status, texts, start, end in _PHASE.iter_unpack(slots):
            if slot_kind != PHASE:
                continue
            known = sums.get((texts, status))
            if known is None:
                known = sums[texts, status] = Sum()
            took = end - start
            if took < 0 or start < 0 or end >= _LATEST_NS:
                took = 0
            else:
                if start < known.start:  # noqa: PLR1730  calls of min and max would take as long as the rest
                    known.start = start
                if end > known.end:  # noqa: PLR1730
                    known.end = end
            known.total += took
            known.changed = True
            bits = took.bit_length()
            if bits < _FIRST_BITS:
                known.bins[0] += 1
            elif (
                bits < _LAST_BITS
            ):  # as ``bin_of`` has it; calling it would take a third of the time of all this
                known.bins[(bits - _FIRST_BITS << 2) + (took >> bits - 3 & 3)] += 1
            else:
                known.bins[-1] += 1

    def _take_steps(self, slots: bytes) -> None:
        for slot_kind, status, _, _, _, label, start, took, *times, _ in STEP_LAYOUT.iter_unpack(slots):
            if slot_kind != STEP:
                continue
            known = self._of_steps.get((label, status))
            if known is None:
                known = self._of_steps[label, status] = Sum()
                known.parts = [0] * len(STEP_PARTS)
            known.changed = True
            if not 0 <= start < _LATEST_NS - STEP_NONE:
                known.bins[0] += 1
                continue
            known.start, known.end = min(known.start, start), max(known.end, start + took)
            known.total += took
            known.bins[bin_of(took)] += 1
            _add_parts(known.parts, took, times)


def _add_parts(parts: list[int], took_ns: int, times: list[int]) -> None:
    """Add the time of each part that was there; none goes beyond its step."""
    data_ns, forward_at, forward_ns, backward_at, backward_ns, optimizer_at, optimizer_ns = times
    if data_ns != STEP_NONE:
        parts[0] += min(data_ns, took_ns)
    if forward_ns != STEP_NONE:
        parts[1] += max(0, min(forward_ns, took_ns - forward_at))
    if backward_ns != STEP_NONE:
        parts[2] += max(0, min(backward_ns, took_ns - backward_at))
    if optimizer_ns != STEP_NONE:
        parts[3] += max(0, min(optimizer_ns, took_ns - optimizer_at))


def owed_facts(owed: list[int], at_ns: int) -> Iterator[Facts]:
    """Yield steps that had ended when their process was killed, but were not written yet, by kind.

    Of these no more is known than how many there are.
    """
    for kind, count in zip(STEP_KINDS, owed, strict=False):
        if count:
            word = {"origin": "owed", "name": 0, "kind": 0, "kind_name": kind, "status": 0}
            yield {**word, "count": count, "total_ns": 0, "start": at_ns, "end": at_ns}


def _tally_facts(words: list[int]) -> Facts:
    names = {"name": words[TALLY_NAME], "kind": words[TALLY_KIND]}
    times = {"total_ns": words[TALLY_TOTAL], "start": words[TALLY_START], "end": words[TALLY_END]}
    bins = [(place, count) for place, count in enumerate(words[TALLY_BINS:]) if count]
    return {**names, "count": words[TALLY_COUNT], **times, "bins": bins}
