"""The reading end of rings: copies finished slots into the journal, block by block.

A slot is finished when it holds its own number plus one. A slot that was taken but never filled (its
writer was interrupted) would hold the reader up for ever; when later slots stay finished past it for a
second, it is skipped and counted.
"""

from __future__ import annotations

import mmap
import os
import struct

from longpole.log.slots import (
    CLOSED_WORD,
    LOST_WORD,
    OPEN_OFFSET,
    OPEN_SLOTS,
    OWED_WORDS,
    READY_WORD,
    RING_HEADER_BYTES,
    RING_HEADER_LAYOUT,
    RING_MAGIC,
    RING_SIZE_OFFSET,
    RING_VERSION,
    SLOT_BYTES,
    STEP_KINDS,
    TAIL_WORD,
    TALLIES,
    TALLY_COUNT,
    TALLY_OFFSET,
    TALLY_WORDS,
)

_PATIENCE = 10
_BLOCK = 256


class ForeignRingError(Exception):
    """A file among the rings is not a ring."""


class RingReader:
    """Drains one ring."""

    def __init__(self, memory: mmap.mmap) -> None:
        """Read a ring's header.

        Raises:
            ForeignRingError: It is not a ring of ours, or of a size that is not its own.
        """
        if len(memory) < RING_HEADER_BYTES:
            raise ForeignRingError
        magic, version, size, self.pid, _, self.namespace, self.start_ticks, self.tag, *parent = (
            RING_HEADER_LAYOUT.unpack_from(memory)
        )
        self.parent_tag, self.parent_phase = parent
        self._slots = (len(memory) - RING_HEADER_BYTES) // SLOT_BYTES
        fits = 0 < size <= self._slots and len(memory) % SLOT_BYTES == 0
        if magic != RING_MAGIC or version != RING_VERSION or not fits:
            raise ForeignRingError
        self._memory = memory
        self._words = memoryview(memory).cast("Q")
        self._next = int(self._words[TAIL_WORD])
        self._stuck = 0
        self.skipped = 0

    @property
    def size(self) -> int:
        """How many slots the ring has; its writer may have found memory for fewer than it wished."""
        (size,) = struct.unpack_from("<I", self._memory, RING_SIZE_OFFSET)
        return int(min(max(size, 1), self._slots))

    @property
    def lost(self) -> int:
        """How many records found no room, or were taken and never filled."""
        return int(self._words[LOST_WORD]) + self.skipped

    @property
    def closed(self) -> bool:
        """Whether the writer has said that it writes no more."""
        return bool(self._words[CLOSED_WORD])

    @property
    def filling(self) -> bool:
        """Whether a good part of the ring waits for its room to be given back."""
        return bool(self._next - int(self._words[TAIL_WORD]) > self.size // 4)

    def drain(self) -> bytes:
        """Return all slots finished since the last time; their room is given back by ``commit``."""
        blocks = []
        while True:
            block = self._finished_block()
            if not block:
                break
            blocks.append(block)
        if not blocks:
            self._skip_unfilled()
        return b"".join(blocks)

    def commit(self) -> None:
        """Give room back, now that what was drained is safe; a later reader begins behind it."""
        self._words[TAIL_WORD] = self._next

    def open_phases(self) -> bytes:
        """Return the slots of the phases that are open now."""
        places = range(OPEN_OFFSET, OPEN_OFFSET + OPEN_SLOTS * SLOT_BYTES, SLOT_BYTES)
        return b"".join(self._memory[at : at + SLOT_BYTES] for at in places if self._words[at // 8 + 7])

    def tallies(self) -> list[list[int]]:
        """Return the words of each tally that has counted something."""
        first, words = TALLY_OFFSET // 8, self._words
        places = range(first, first + TALLIES * TALLY_WORDS, TALLY_WORDS)
        return [words[at : at + TALLY_WORDS].tolist() for at in places if words[at + TALLY_COUNT]]

    def owed(self) -> list[int]:
        """Return how many steps of each kind have ended and were not written: their process was killed."""
        words = [int(self._words[at]) for at in OWED_WORDS]
        return [sum(word >> 16 * kind & 0xFFFF for word in words) for kind in range(len(STEP_KINDS))]

    def close(self) -> None:
        """Let the memory go."""
        self._words.release()
        self._memory.close()

    def _finished_block(self) -> bytes:
        """Return finished slots up to the first unfinished one or the end of the memory."""
        place, until = self._next % self.size, self._until()
        if not self._holds(self._next):
            return b""
        first_word = (RING_HEADER_BYTES + place * SLOT_BYTES) // 8
        some = min(until - place, _BLOCK)
        numbers = self._words[first_word + 7 : first_word + 8 * some : 8].tolist()
        count = _matching(numbers, self._next + 1)
        start = RING_HEADER_BYTES + place * SLOT_BYTES
        self._next += count
        self._stuck = 0
        return self._memory[start : start + count * SLOT_BYTES]

    def _until(self) -> int:
        """Return the place behind the last that has memory: reading beyond it could end this process."""
        return min(self.size, int(self._words[READY_WORD]))

    def _holds(self, number: int) -> bool:
        place = number % self.size
        if place >= self._until():
            return False
        return bool(self._words[(RING_HEADER_BYTES + place * SLOT_BYTES) // 8 + 7] == number + 1)

    def _skip_unfilled(self) -> None:
        self._stuck = self._stuck + 1 if self._holds(self._next + 1) else 0
        if self._stuck > _PATIENCE:
            self._next += 1
            self.skipped += 1
            self._stuck = 0


def open_ring(path: str) -> RingReader:
    """Return the reader of a ring file.

    Raises:
        ForeignRingError: It is not a ring.
        OSError: It cannot be opened.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        if size < RING_HEADER_BYTES:
            raise ForeignRingError
        return RingReader(mmap.mmap(descriptor, size))
    finally:
        os.close(descriptor)


def _matching(numbers: list[int], first: int) -> int:
    """Return how many leading numbers count up from ``first``."""
    if numbers == list(range(first, first + len(numbers))):
        return len(numbers)
    return next(at for at, number in enumerate(numbers) if number != first + at)
