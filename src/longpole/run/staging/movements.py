"""What has been moved so far: movements with their times, sizes, checksums, and what had to be moved again.

Files of up to ``SMALL`` bytes of one call count as one movement together; a larger one is one by itself.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from longpole.model.staging import Item, Moved, Transfer
from longpole.units import Bytes

SMALL = 1_000_000


class Movement:
    """A movement under way: how many files, and bytes."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.files = 0
        self.moved_bytes: Bytes = 0

    def add(self, size: Bytes) -> None:
        """Count one file."""
        self.files += 1
        self.moved_bytes += size


class Movements:
    """Grows to a ``Moved``; several threads may add to it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.sizes: dict[str, Bytes] = {}
        self.checksums: dict[str, str] = {}
        self.again = 0
        self._transfers: list[Transfer] = []

    @contextmanager
    def movement(self, what: str) -> Iterator[Movement]:
        """Time a movement; it counts if it moved any file, and brought no error."""
        start_ns = time.monotonic_ns()
        movement = Movement()
        yield movement
        if movement.files:
            end_ns = time.monotonic_ns()
            self._transfers.append(Transfer(what, start_ns, end_ns, movement.files, movement.moved_bytes))

    def note(self, name: str, size: Bytes, checksum: str) -> None:
        """Take size and checksum of an item that has been moved."""
        self.sizes[name] = size
        if checksum:
            self.checksums[name] = checksum

    def moved(self) -> Moved:
        """Return all of it, movements in the order of their starts."""
        transfers = tuple(sorted(self._transfers, key=lambda one: one.start_ns))
        return Moved(transfers, dict(self.sizes), dict(self.checksums), self.again)


def all_of(items: Sequence[Item]) -> str:
    """Return what items are called together.

    Examples:
        >>> all_of([Item("a.txt")]), all_of([Item("a.txt"), Item("b.txt")])
        ('a.txt', '2 files')
    """
    return items[0].name if len(items) == 1 else f"{len(items):,} files"
