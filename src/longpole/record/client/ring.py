"""The writing end of a ring: fixed records into memory of this node, with no lock and no waiting.

A slot is taken by one step of a counter and filled by one call, each atomic under the interpreter, so
threads and signal handlers may write at any time. When the agent has fallen a whole ring behind, a record
is dropped and counted; nothing ever waits. No slot is written before its memory is allocated: writing can
then never meet a full file system, which would end the process with SIGBUS. A process that writes little
gets little memory; the first that does not fit in it, or ``grow``, brings the rest.
"""

from __future__ import annotations

import itertools
import mmap
import os
import struct
from _thread import allocate_lock

from longpole.log.slots import (
    CLOSED_WORD,
    LOST_SUFFIX,
    LOST_WORD,
    OPEN_OFFSET,
    OPEN_SLOTS,
    PHASE,
    PHASE_LAYOUT,
    READY_WORD,
    RING_HEADER_BYTES,
    RING_HEADER_LAYOUT,
    RING_MAGIC,
    RING_SIZE_OFFSET,
    RING_SUFFIX,
    RING_VERSION,
    SLOT_BYTES,
    TAIL_WORD,
    TALLIES,
    TALLY_OFFSET,
    TALLY_WORDS,
    TEXT,
    TEXT_LAYOUT,
    UNFINISHED,
    text_parts,
)
from longpole.record.client.tally import Tally

# 4 MiB, which no Python can fill faster than the agent empties it; most processes need but the first 64 KiB.
SLOTS = 65536
FIRST_SLOTS = 1024
_PAGE_BYTES = 4096
# Slots left free, since threads between taking and filling a slot are not counted.
_MARGIN = 64


class Ring:
    """One process's ring. Writing never raises and never blocks."""

    def __init__(self, memory: mmap.mmap, tag: int, path: str = "") -> None:
        """Write into memory that ``create_ring`` or ``private_ring`` has prepared."""
        self.tag = tag
        self.pid = os.getpid()
        self.memory = memory
        self.path = path
        self.words = memoryview(memory).cast("Q")
        self.size = (len(memory) - RING_HEADER_BYTES) // SLOT_BYTES
        self._ready = int(self.words[READY_WORD])
        self._limit = self._ready - _MARGIN
        self._growing = allocate_lock()
        self._taken = 0
        self._numbers = itertools.count()
        self._losses = itertools.count(1)
        self._texts: dict[str, int] = {}
        self._identities = itertools.count(1)
        self._free = list(range(OPEN_SLOTS))
        self._tallies: dict[tuple[str, str], Tally] = {}

    def text(self, text: str) -> int:
        """Return the number of a text in this ring, writing it there first if it is new."""
        known = self._texts.get(text)
        return known if known is not None else self._write_text(text, keep=True)

    def once(self, text: str) -> int:
        """Write a text that is not expected to recur, and return its number."""
        return self._write_text(text, keep=False)

    def slot(self, layout: struct.Struct, *fields: object) -> bool:
        """Write one record, its fields without the closing number; return whether there was room."""
        if self._taken >= self._limit and not self._make_room():
            self.words[LOST_WORD] = next(self._losses)
            return False
        number = next(self._numbers)
        self._taken = number
        layout.pack_into(
            self.memory, RING_HEADER_BYTES + number % self.size * SLOT_BYTES, *fields, number + 1
        )
        return True

    def tally(self, name: str, kind: str) -> Tally | None:
        """Return where phases of this name and kind are counted; None if there is no place left."""
        known = self._tallies.get((name, kind))
        if known is None and len(self._tallies) < TALLIES:
            base = TALLY_OFFSET // 8 + len(self._tallies) * TALLY_WORDS
            known = self._tallies[name, kind] = Tally(self.words, base, (self.text(name), self.text(kind)))
        return known

    def grow(self) -> None:
        """Get the rest of the memory, all of it now, so that a long run takes no more than a short one."""
        if self._ready == self.size or not self._growing.acquire(False):
            return
        try:
            self._allocate()
        except OSError:
            # Nothing has been written beyond, so a smaller ring has the same slots in the same places.
            struct.pack_into("<I", self.memory, RING_SIZE_OFFSET, self._ready)
            self.size = self._ready
        finally:
            self._growing.release()

    def _allocate(self) -> None:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        try:
            os.posix_fallocate(descriptor, 0, len(self.memory))
        finally:
            os.close(descriptor)
        for at in range(RING_HEADER_BYTES + self._ready * SLOT_BYTES, len(self.memory), _PAGE_BYTES):
            self.memory[at] = 0
        self.words[READY_WORD] = self._ready = self.size

    def _make_room(self) -> bool:
        """Find out up to where slots may be written; return whether there is one now."""
        if self._taken >= self._ready - _MARGIN:
            self.grow()
        free = int(self.words[TAIL_WORD]) + self.size
        self._limit = (free if self._ready == self.size else min(free, self._ready)) - _MARGIN
        return self._taken < self._limit

    def open_phase(self, *fields: int) -> int:
        """Note a phase that has begun (lane, id, parent, name, kind, start); return its place or -1."""
        try:
            place = self._free.pop()
        except IndexError:
            return -1
        lane, identity, parent, name, kind, start = fields
        PHASE_LAYOUT.pack_into(
            self.memory,
            OPEN_OFFSET + place * SLOT_BYTES,
            *(PHASE, UNFINISHED, lane, identity, parent, name, kind, 0, start, start, 0, 0, 0, 1),
        )
        return place

    def close_phase(self, place: int) -> None:
        """Forget an open phase by the place ``open_phase`` returned."""
        if place >= 0:
            self.words[(OPEN_OFFSET + place * SLOT_BYTES) // 8 + 7] = 0
            self._free.append(place)

    def close(self) -> None:
        """Say that this process writes no more."""
        if os.getpid() == self.pid:
            self.words[CLOSED_WORD] = 1

    def _write_text(self, text: str, *, keep: bool) -> int:
        identity = next(self._identities)
        parts = text_parts(text.encode("utf-8", "replace")[:4096])
        for at, part in enumerate(parts):
            last = at == len(parts) - 1
            if not self.slot(TEXT_LAYOUT, TEXT, last, at, identity, len(part), part):
                return 0
        if keep and len(self._texts) < 65536:
            self._texts[text] = identity
        return identity


def create_ring(
    folder: str,
    parent: tuple[int, int] = (0, 0),
    slots: int = SLOTS,
    *,
    first: int = FIRST_SLOTS,
    suffix: str = RING_SUFFIX,
) -> Ring:
    """Create a ring in ``folder``; ``parent`` is the tag and phase of the process forked from.

    Args:
        folder: Where the agent looks for rings.
        parent: The tag and phase of the process that this one was forked from.
        slots: How many it may hold.
        first: How many have memory from the begin on.
        suffix: How its file is to be called; with another one, nobody takes it for a ring yet.

    Raises:
        OSError: There is no room, or the folder is not there.
    """
    tag = int.from_bytes(os.urandom(8), "little")
    path = os.path.join(folder, f"{tag:016x}{suffix}")
    return Ring(_create_file(path, (slots, first), tag, parent), tag, path)


def private_ring(slots: int) -> Ring:
    """Return a ring without a file, for this process and those it forks."""
    memory = mmap.mmap(-1, RING_HEADER_BYTES + slots * SLOT_BYTES)
    tag = int.from_bytes(os.urandom(8), "little")
    _write_header(memory, slots, tag, (0, 0))
    _set_ready(memory, slots)
    return Ring(memory, tag)


def note_loss(folder: str) -> None:
    """Leave word that a process could not have a ring: an empty file, which even a full memory takes."""
    try:
        path = os.path.join(folder, f"{os.getpid()}-{os.urandom(4).hex()}{LOST_SUFFIX}")
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError:
        pass  # the folder itself is gone: the agent has ended, and its end is reported by the launcher


def _create_file(final: str, sizes: tuple[int, int], tag: int, parent: tuple[int, int]) -> mmap.mmap:
    slots, first = sizes
    path = final + ".new"
    size = RING_HEADER_BYTES + slots * SLOT_BYTES
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        ready = min(slots, first)
        os.ftruncate(descriptor, size)
        os.posix_fallocate(descriptor, 0, RING_HEADER_BYTES + ready * SLOT_BYTES)
        memory = mmap.mmap(descriptor, size)
        _write_header(memory, slots, tag, parent)
        _set_ready(memory, ready)
        os.rename(path, final)
    except OSError:
        os.unlink(path)
        raise
    finally:
        os.close(descriptor)
    return memory


def _write_header(memory: mmap.mmap, slots: int, tag: int, parent: tuple[int, int]) -> None:
    identity = (os.getpid(), 0, pid_namespace(), _start_ticks(), tag, *parent)
    RING_HEADER_LAYOUT.pack_into(memory, 0, RING_MAGIC, RING_VERSION, slots, *identity)


def _set_ready(memory: mmap.mmap, slots: int) -> None:
    struct.pack_into("<Q", memory, 8 * READY_WORD, slots)


def pid_namespace() -> int:
    """Return what tells this process's pid namespace from others, or 0."""
    try:
        return os.stat("/proc/self/ns/pid").st_ino
    except OSError:
        return 0


def _start_ticks() -> int:
    try:
        with open("/proc/self/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[19])
    except (OSError, ValueError, IndexError):
        return 0
