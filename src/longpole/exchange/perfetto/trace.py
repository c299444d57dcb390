"""A whole trace: descriptions of tracks, then slices and counts.

Slices nest on their track by time, and those that overlap without nesting go to further rows, each a track of
its own under the lane. Where the caller knows what encloses what, nested slices are written as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import BinaryIO

from longpole.errors import UsageError
from longpole.exchange.perfetto.bounds import NEVER
from longpole.exchange.perfetto.descriptors import row_packet, track_packets
from longpole.exchange.perfetto.events import begin_packet, count_packet, end_packet
from longpole.exchange.perfetto.nesting import nested_packets
from longpole.exchange.perfetto.rows import Rows
from longpole.exchange.perfetto.slices import Count, NestedSlice, Slice
from longpole.exchange.perfetto.tracks import CounterTrack, LaneTrack, ProcessTrack, Track, by_uuid, holder_of


def write_trace(
    out: BinaryIO,
    tracks: Iterable[Track],
    slices: Iterable[Slice],
    counts: Iterable[Count],
    nested: Iterable[NestedSlice] = (),
) -> None:
    """Write a whole trace, in memory that grows with the tracks and the slices open at one time only.

    Slices of one track come sorted by start; among equal starts the longer first, if they are to nest. Slices
    of different tracks may be mixed. Nested slices are on tracks of their own, each right after what encloses
    it or after all that lies in a sibling before it. ``out`` should be buffered: a packet is some 50 bytes.

    Raises:
        UsageError: A slice or count is on a track that is missing or of the wrong kind, the slices of a track
            are not sorted, nested ones do not nest, two tracks have one uuid, or a parent is missing.
    """
    known = by_uuid(tracks)
    out.writelines(track_packets(known))
    out.writelines(_slice_packets(known, slices))
    out.writelines(nested_packets(known, nested))
    out.writelines(_count_packets(known, counts))


class _Lane:
    """A track of slices while it is written: its rows, and the uuid of the track that each row became."""

    __slots__ = ("rows", "track", "uuids")

    def __init__(self, track: LaneTrack | ProcessTrack) -> None:
        self.track = track
        self.rows = Rows()
        self.uuids = [track.uuid]


def _slice_packets(known: dict[int, Track], slices: Iterable[Slice]) -> Iterator[bytes]:
    lanes: dict[int, _Lane] = {}
    free = (uuid for uuid in count(1) if uuid not in known)
    for piece in slices:
        lane = lanes.get(piece.track)
        if lane is None:
            lane = lanes[piece.track] = _Lane(holder_of(known, piece.track, piece.name))
        if piece.start_ns < lane.rows.now:
            raise UsageError(
                f"Slice '{piece.name}' of '{lane.track.name}' follows a later one. Sort by start."
            )
        yield from _end_packets(lane, piece.start_ns)
        row = lane.rows.open(piece.start_ns, NEVER if piece.end_ns is None else piece.end_ns)
        if row == len(lane.uuids):
            lane.uuids.append(next(free))
            yield row_packet(lane.uuids[row], lane.track, row)
        yield begin_packet(piece, lane.uuids[row])
    for lane in lanes.values():
        yield from _end_packets(lane, NEVER - 1)


def _end_packets(lane: _Lane, until: int) -> Iterator[bytes]:
    for end, row in lane.rows.close(until):
        yield end_packet(end, lane.uuids[row])


def _count_packets(known: dict[int, Track], counts: Iterable[Count]) -> Iterator[bytes]:
    for one in counts:
        if not isinstance(known.get(one.track), CounterTrack):
            raise UsageError(f"A value at {one.at_ns} ns is on track {one.track}, which is no counter here.")
        yield count_packet(one)
