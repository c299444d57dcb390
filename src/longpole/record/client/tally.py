"""Counts and a histogram in the memory of a ring: what came too often to be kept one by one.

They are whole after every addition, so a process that is killed at any moment leaves its exact count.
"""

from __future__ import annotations

from _thread import allocate_lock
from bisect import bisect_left
from operator import sub

from longpole.log.slots import (
    BINS,
    TALLY_BINS,
    TALLY_COUNT,
    TALLY_END,
    TALLY_KIND,
    TALLY_NAME,
    TALLY_START,
    TALLY_TOTAL,
    bin_of,
    bin_start,
)


class Tally:
    """All phases of one name and kind that were only counted."""

    __slots__ = ("_base", "_lock", "_words")

    def __init__(self, words: memoryview, base: int, texts: tuple[int, int]) -> None:
        """Count in the words from ``base`` on; ``texts`` are those of the name and the kind."""
        self._words = words
        self._base = base
        self._lock = allocate_lock()
        words[base + TALLY_NAME], words[base + TALLY_KIND] = texts

    def add(self, start_ns: int, end_ns: int) -> None:
        """Count one."""
        words, base, took = self._words, self._base, end_ns - start_ns
        with self._lock:
            if not words[base + TALLY_COUNT]:
                words[base + TALLY_START] = start_ns
            words[base + TALLY_COUNT] += 1
            words[base + TALLY_TOTAL] += took
            words[base + TALLY_END] = end_ns
            words[base + TALLY_BINS + bin_of(took)] += 1

    def add_row(self, times_ns: list[int]) -> None:
        """Count one for each of these times but the last, each lasting until the next time."""
        words, bins = self._words, self._base + TALLY_BINS
        with self._lock:
            if not words[self._base + TALLY_COUNT]:
                words[self._base + TALLY_START] = times_ns[0]
            words[self._base + TALLY_COUNT] += len(times_ns) - 1
            words[self._base + TALLY_TOTAL] += times_ns[-1] - times_ns[0]
            words[self._base + TALLY_END] = times_ns[-1]
            # They fall into few bins: sorted, a search for the end of each bin is quicker than one for each.
            took, at = sorted(map(sub, times_ns[1:], times_ns)), 0
            while at < len(took):
                index = bin_of(took[at])
                after = bisect_left(took, bin_start(index + 1), at) if index < BINS - 1 else len(took)
                words[bins + index] += after - at
                at = after
