"""Slices of which the caller knows what encloses what, written as the tree they are.

Among equal times a reader keeps the order of the file. So a slice of no length lies where it belongs, be it
in another of no length, or at the very end of one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from longpole.errors import UsageError
from longpole.exchange.perfetto.bounds import NEVER
from longpole.exchange.perfetto.events import end_packet, nested_begin_packet
from longpole.exchange.perfetto.slices import NestedSlice
from longpole.exchange.perfetto.tracks import Track, holder_of


def nested_packets(known: dict[int, Track], slices: Iterable[NestedSlice]) -> Iterator[bytes]:
    """Yield the begins and ends of slices, each closed before the next of its depth."""
    stacks: dict[int, _Stack] = {}
    for one in slices:
        uuid = one.slice.track
        if uuid not in stacks:
            stacks[uuid] = _Stack(holder_of(known, uuid, one.slice.name).uuid)
        yield from stacks[uuid].close(one.depth)
        stacks[uuid].open(one)
        yield nested_begin_packet(one)
    for stack in stacks.values():
        yield from stack.close(0)


class _Stack:
    """The slices of one track that are open: their ends, innermost last."""

    __slots__ = ("_ends", "_now", "_uuid")

    def __init__(self, uuid: int) -> None:
        self._uuid = uuid
        self._now = 0
        self._ends: list[int] = []

    def close(self, depth: int) -> Iterator[bytes]:
        """Yield ends until so many slices are left open; one that never ended has none."""
        while len(self._ends) > depth:
            end = self._ends.pop()
            self._now = max(self._now, end)
            if end < NEVER:
                yield end_packet(end, self._uuid)

    def open(self, one: NestedSlice) -> None:
        """Add a slice to those that are open."""
        piece, end = one.slice, NEVER if one.slice.end_ns is None else one.slice.end_ns
        inside = len(self._ends) == one.depth and (not self._ends or end <= self._ends[-1])
        if not inside or piece.start_ns < self._now:
            raise UsageError(f"Slice '{piece.name}' does not lie at depth {one.depth} of its track.")
        self._now = piece.start_ns
        self._ends.append(end)
