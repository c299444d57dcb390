"""Perfetto: a run as a trace for ui.perfetto.dev and Perfetto's trace processor, exact to the nanosecond.

Format: Perfetto's own protobuf (``perfetto/trace/trace_packet.proto`` and what it includes), by the few lines
of encoder at the end. A reader sorts events by time, keeps the file's order among equal times, and takes an
end to close what was opened last on its track; so the order of ends and beginnings here is the nesting there.

Method: slices of one lane that overlap without nesting (asyncio) go to further rows, each a track of its own
under the lane, so that no duration changes. Left out: dependencies (Perfetto's flows), the time of day, and
slices whose start is unknown, which have no place on a time line.
"""

from __future__ import annotations

import json
import struct
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from heapq import heappop, heappush
from itertools import count
from typing import BinaryIO

from longpole.errors import UsageError
from longpole.units import Nanoseconds

_NEVER = 1 << 63  # later than any time the format holds
_UINT64 = 1 << 64
_INT32 = 1 << 31
_FIRST_FREE_PID = (1 << 22) + 1  # above any pid of Linux
_CACHED = 1 << 14

# Protobuf's kinds of field, and the field numbers of Perfetto's messages.
_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_TRACE_PACKET = 1
_PACKET_TIMESTAMP, _PACKET_SEQUENCE, _PACKET_EVENT, _PACKET_TRACK = 8, 10, 11, 60
_TRACK_UUID, _TRACK_NAME, _TRACK_PROCESS, _TRACK_THREAD, _TRACK_PARENT, _TRACK_COUNTER = 1, 2, 3, 4, 5, 8
_TRACK_CHILD_ORDER, _TRACK_RANK, _TRACK_MERGING = 11, 12, 15
_PROCESS_PID, _PROCESS_NAME = 1, 6
_THREAD_PID, _THREAD_TID, _THREAD_NAME = 1, 2, 5
_COUNTER_UNIT, _COUNTER_UNIT_NAME = 3, 6
_EVENT_NOTE, _EVENT_TYPE, _EVENT_TRACK, _EVENT_CATEGORY, _EVENT_NAME, _EVENT_VALUE = 4, 9, 11, 22, 23, 44
_NOTE_BOOL, _NOTE_INT, _NOTE_DOUBLE, _NOTE_STRING, _NOTE_NAME = 2, 4, 5, 6, 10

# Values of Perfetto's enumerations.
_BEGIN, _END, _COUNT = 1, 2, 4
_IN_ORDER_OF_RANK = 3
_NEVER_MERGE = 2
_KNOWN_UNITS = {"ns": 1, "count": 2, "bytes": 3}


@dataclass(frozen=True, slots=True)
class ProcessTrack:
    """A process: it groups its lanes and counters, and may carry slices of its own.

    ``pid`` is a label; two processes may have the same one (reused, or 1 in every container), or none.
    """

    uuid: int
    name: str
    pid: int | None = None

    def __post_init__(self) -> None:
        _check_uuid(self.uuid)
        _check_id(self.pid)


@dataclass(frozen=True, slots=True)
class LaneTrack:
    """Where slices lie: a thread (with a ``tid``, under a process), or anything else that has a name.

    ``parent`` is the uuid of a process or of another lane; without one the lane stands alone.
    """

    uuid: int
    name: str
    parent: int | None = None
    tid: int | None = None

    def __post_init__(self) -> None:
        _check_uuid(self.uuid)
        _check_id(self.tid)


@dataclass(frozen=True, slots=True)
class CounterTrack:
    """A number over time. ``unit`` is ``bytes``, ``ns``, ``count``, or any other word, shown as it is."""

    uuid: int
    name: str
    parent: int | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        _check_uuid(self.uuid)


Track = ProcessTrack | LaneTrack | CounterTrack


@dataclass(frozen=True, slots=True)
class Slice:
    """An interval on a process or lane track; ``end_ns`` is None when it never ended, or nobody saw it end.

    ``attributes`` is the text of a JSON object, or empty.
    """

    track: int
    name: str
    category: str
    start_ns: Nanoseconds
    end_ns: Nanoseconds | None
    attributes: str = ""

    def __post_init__(self) -> None:
        _check_time(self.start_ns)
        if self.end_ns is not None and not self.start_ns <= self.end_ns < _NEVER:
            raise UsageError(
                f"Slice '{self.name}' ends at {self.end_ns} ns; it starts at {self.start_ns} ns."
            )


@dataclass(frozen=True, slots=True)
class Count:
    """The value of a counter track from ``at_ns`` until its next one."""

    track: int
    at_ns: Nanoseconds
    value: float

    def __post_init__(self) -> None:
        _check_time(self.at_ns)


def write_trace(
    out: BinaryIO, tracks: Iterable[Track], slices: Iterable[Slice], counts: Iterable[Count]
) -> None:
    """Write a whole trace, in memory that grows with the tracks and the slices open at one time only.

    Slices of one track come sorted by start; among equal starts the longer first, if they are to nest. Slices
    of different tracks may be mixed. ``out`` should be buffered: a packet is some 50 bytes.

    Raises:
        UsageError: A slice or count is on a track that is missing or of the wrong kind, the slices of a track
            are not sorted, two tracks have one uuid, or a parent is missing.
    """
    known = _by_uuid(tracks)
    out.writelines(_track_packets(known))
    out.writelines(_slice_packets(known, slices))
    out.writelines(_count_packets(known, counts))


def rows_of(intervals: Iterable[tuple[Nanoseconds, Nanoseconds | None]]) -> Iterator[int]:
    """Yield, for each interval of one lane, the row to draw it on, so that on each row intervals nest.

    Intervals come sorted by start; an end of None is later than all others. Row 0 is taken whenever it can
    be, then the row whose innermost open interval encloses this one most tightly, then an empty one. Each
    costs a binary search among the rows.

    Examples:
        >>> list(rows_of([(0, 10), (2, 5), (4, 12), (6, 7), (8, 11), (12, None), (13, 14)]))
        [0, 0, 1, 0, 1, 0, 0]
    """
    rows = _Rows()
    for start, end in intervals:
        rows.close(start)
        yield rows.open(start, _NEVER if end is None else end)


class _Rows:
    """The rows of one lane at one moment: for each, the ends of its open intervals, innermost last."""

    __slots__ = ("_free", "_innermost", "_open", "now")

    def __init__(self) -> None:
        self.now = 0
        self._open: list[list[int]] = [[]]
        self._innermost: list[tuple[int, int]] = []  # (end, row) of every row in use, sorted
        self._free: list[int] = []  # heap of the rows not in use, row 0 apart

    def close(self, until: int) -> list[tuple[int, int]]:
        """Take away the intervals that end by then; return each as (end, row), in the order of the ends."""
        closed = []
        innermost = self._innermost
        while innermost and innermost[0][0] <= until:
            end, row = innermost.pop(0)
            closed.append((end, row))
            ends = self._open[row]
            ends.pop()
            if ends:
                insort(innermost, (ends[-1], row))
            elif row:
                heappush(self._free, row)
        return closed

    def open(self, start: int, end: int) -> int:
        """Add an interval, all that ends by its start being closed; return its row."""
        self.now = start
        row = self._choose(end)
        ends = self._open[row]
        if ends:
            del self._innermost[bisect_left(self._innermost, (ends[-1], row))]
        ends.append(end)
        insort(self._innermost, (end, row))
        return row

    def _choose(self, end: int) -> int:
        first = self._open[0]
        if not first or first[-1] >= end:
            return 0
        tightest = bisect_left(self._innermost, (end, 0))
        if tightest < len(self._innermost):
            return self._innermost[tightest][1]
        if self._free:
            return heappop(self._free)
        self._open.append([])
        return len(self._open) - 1


class _Lane:
    """A track of slices while it is written: its rows, and the uuid of the track that each row became."""

    __slots__ = ("name", "rows", "uuids")

    def __init__(self, track: Track) -> None:
        self.name = track.name
        self.rows = _Rows()
        self.uuids = [track.uuid]


def _check_uuid(uuid: int) -> None:
    if not 0 < uuid < _UINT64:
        raise UsageError(f"A track's uuid must be from 1 to 2**64 - 1, got {uuid}.")


def _check_id(number: int | None) -> None:
    if number is not None and not 0 <= number < _INT32:
        raise UsageError(f"A pid or tid must be from 0 to 2**31 - 1, got {number}.")


def _check_time(at: Nanoseconds) -> None:
    if not 0 <= at < _NEVER:
        raise UsageError(f"Perfetto holds times from 0 to 2**63 - 1 ns, got {at}. Shift all times.")


def _by_uuid(tracks: Iterable[Track]) -> dict[int, Track]:
    known: dict[int, Track] = {}
    for track in tracks:
        if known.setdefault(track.uuid, track) is not track:
            raise UsageError(f"Tracks '{known[track.uuid].name}' and '{track.name}' share uuid {track.uuid}.")
    for track in known.values():
        parent = None if isinstance(track, ProcessTrack) else track.parent
        if parent is not None and not isinstance(known.get(parent), ProcessTrack | LaneTrack):
            raise UsageError(f"Track '{track.name}' has parent {parent}, which is no process or lane here.")
    return known


def _track_packets(known: dict[int, Track]) -> Iterator[bytes]:
    pids = _distinct_pids(known)
    threads = _distinct_threads(known, pids)
    for track in known.values():
        match track:
            case ProcessTrack():
                yield _track_packet(track.uuid, _process(track, pids[track.uuid]))
            case LaneTrack():
                yield _track_packet(track.uuid, _lane(track, threads.get(track.uuid)))
            case CounterTrack():
                yield _track_packet(track.uuid, _counter(track))


def _distinct_pids(known: dict[int, Track]) -> dict[int, int]:
    """Return a pid for each process: its own if it is the first to have it, else one that no process has.

    Perfetto takes two processes of one pid for one process, and pid 0 for the kernel's idle task.
    """
    pids: dict[int, int] = {}
    taken = {0}
    own = {track.pid for track in known.values() if isinstance(track, ProcessTrack)}
    free = (pid for pid in count(_FIRST_FREE_PID) if pid not in own)
    for track in known.values():
        if isinstance(track, ProcessTrack):
            pid = next(free) if track.pid is None or track.pid in taken else track.pid
            pids[track.uuid] = pid
            taken.add(pid)
    return pids


def _distinct_threads(known: dict[int, Track], pids: dict[int, int]) -> dict[int, tuple[int, int]]:
    """Return (pid, tid) for each lane that is a thread, but for those whose numbers an earlier one has.

    Perfetto takes two threads of one pid and tid for one thread, which would mix up their slices.
    """
    threads: dict[tuple[int, int], int] = {}
    for track in known.values():
        process = known.get(track.parent or 0) if isinstance(track, LaneTrack) and track.tid else None
        if isinstance(track, LaneTrack) and track.tid and isinstance(process, ProcessTrack):
            pid = pids[process.uuid]
            tid = pid if track.tid == process.pid else track.tid
            threads.setdefault((pid, tid), track.uuid)
    return {uuid: thread for thread, uuid in threads.items()}


def _process(track: ProcessTrack, pid: int) -> bytes:
    name = track.name if track.pid in (pid, None) else f"{track.name} (pid {track.pid})"
    body = _number(_PROCESS_PID, pid) + _text(_PROCESS_NAME, name)
    return _text(_TRACK_NAME, track.name) + _delimited(_TRACK_PROCESS, body)


def _lane(track: LaneTrack, thread: tuple[int, int] | None) -> bytes:
    head = _parent(track.parent) + _number(_TRACK_CHILD_ORDER, _IN_ORDER_OF_RANK)
    if thread is None:
        return head + _text(_TRACK_NAME, track.name) + _number(_TRACK_MERGING, _NEVER_MERGE)
    pid, tid = thread
    body = _number(_THREAD_PID, pid) + _number(_THREAD_TID, tid) + _text(_THREAD_NAME, track.name)
    return head + _delimited(_TRACK_THREAD, body)


def _row(lane: _Lane, row: int) -> bytes:
    name = _text(_TRACK_NAME, f"{lane.name} ({row + 1})")
    return _parent(lane.uuids[0]) + name + _number(_TRACK_RANK, row) + _number(_TRACK_MERGING, _NEVER_MERGE)


def _counter(track: CounterTrack) -> bytes:
    unit = _KNOWN_UNITS.get(track.unit)
    body = _text(_COUNTER_UNIT_NAME, track.unit) if unit is None else _number(_COUNTER_UNIT, unit)
    return _parent(track.parent) + _text(_TRACK_NAME, track.name) + _delimited(_TRACK_COUNTER, body)


def _parent(uuid: int | None) -> bytes:
    return b"" if uuid is None else _number(_TRACK_PARENT, uuid)


def _slice_packets(known: dict[int, Track], slices: Iterable[Slice]) -> Iterator[bytes]:
    lanes: dict[int, _Lane] = {}
    free = (uuid for uuid in count(1) if uuid not in known)
    for piece in slices:
        lane = lanes.get(piece.track)
        if lane is None:
            lane = lanes[piece.track] = _new_lane(known, piece)
        if piece.start_ns < lane.rows.now:
            raise UsageError(f"Slice '{piece.name}' of '{lane.name}' follows a later one. Sort by start.")
        yield from _end_packets(lane, piece.start_ns)
        row = lane.rows.open(piece.start_ns, _NEVER if piece.end_ns is None else piece.end_ns)
        if row == len(lane.uuids):
            lane.uuids.append(next(free))
            yield _track_packet(lane.uuids[row], _row(lane, row))
        notes = _annotations(piece.attributes) if piece.attributes else b""
        yield _event_packet(piece.start_ns, _begin(lane.uuids[row], piece.category, piece.name) + notes)
    for lane in lanes.values():
        yield from _end_packets(lane, _NEVER - 1)


def _new_lane(known: dict[int, Track], piece: Slice) -> _Lane:
    track = known.get(piece.track)
    if track is None or isinstance(track, CounterTrack):
        raise UsageError(f"Slice '{piece.name}' is on track {piece.track}, which is no process or lane here.")
    return _Lane(track)


def _end_packets(lane: _Lane, until: int) -> Iterator[bytes]:
    for end, row in lane.rows.close(until):
        yield _event_packet(end, _end(lane.uuids[row]))


def _count_packets(known: dict[int, Track], counts: Iterable[Count]) -> Iterator[bytes]:
    for one in counts:
        if not isinstance(known.get(one.track), CounterTrack):
            raise UsageError(f"A value at {one.at_ns} ns is on track {one.track}, which is no counter here.")
        yield _event_packet(one.at_ns, _count_head(one.track) + _double(_EVENT_VALUE, one.value))


@lru_cache(_CACHED)
def _begin(uuid: int, category: str, name: str) -> bytes:
    head = _number(_EVENT_TYPE, _BEGIN) + _number(_EVENT_TRACK, uuid)
    return head + (_text(_EVENT_CATEGORY, category) if category else b"") + _text(_EVENT_NAME, name)


@lru_cache(_CACHED)
def _end(uuid: int) -> bytes:
    return _number(_EVENT_TYPE, _END) + _number(_EVENT_TRACK, uuid)


@lru_cache(_CACHED)
def _count_head(uuid: int) -> bytes:
    return _number(_EVENT_TYPE, _COUNT) + _number(_EVENT_TRACK, uuid)


def _annotations(attributes: str) -> bytes:
    """Return a debug annotation for each key; text that is no JSON object is kept whole, under one name."""
    try:
        values = json.loads(attributes)
    except (ValueError, RecursionError):
        values = attributes
    if not isinstance(values, dict):
        values = {"attributes": attributes}
    return b"".join(
        [_delimited(_EVENT_NOTE, _note_name(key) + _note(value)) for key, value in values.items()]
    )


@lru_cache(_CACHED)
def _note_name(key: str) -> bytes:
    return _text(_NOTE_NAME, key)


def _note(value: object) -> bytes:
    """Return a value with its type; what has none in SQL (null, lists, objects, huge numbers) as JSON."""
    match value:
        case bool():
            return _number(_NOTE_BOOL, value)
        case int() if -_NEVER <= value < _NEVER:
            return _number(_NOTE_INT, value % _UINT64)
        case float():
            return _double(_NOTE_DOUBLE, value)
        case str():
            return _text(_NOTE_STRING, value)
    return _text(_NOTE_STRING, json.dumps(value, ensure_ascii=False))


def _event_packet(at: int, event: bytes) -> bytes:
    # Written out, without the functions below: there are two of these to a slice.
    body = _AT + _varint(at) + _EVENT + _varint(len(event)) + event + _SEQUENCE
    return _PACKET + _varint(len(body)) + body


def _track_packet(uuid: int, descriptor: bytes) -> bytes:
    return _packet(_delimited(_PACKET_TRACK, _number(_TRACK_UUID, uuid) + descriptor))


def _packet(body: bytes) -> bytes:
    return _delimited(_TRACE_PACKET, body + _SEQUENCE)


def _text(field: int, text: str) -> bytes:
    return _delimited(field, text.encode(errors="replace"))


def _double(field: int, value: float) -> bytes:
    return _tag(field, _FIXED64) + struct.pack("<d", value)


def _number(field: int, value: int) -> bytes:
    return _tag(field, _VARINT) + _varint(value)


def _delimited(field: int, payload: bytes) -> bytes:
    return _tag(field, _LENGTH) + _varint(len(payload)) + payload


@cache
def _tag(field: int, kind: int) -> bytes:
    return _varint(field << 3 | kind)


def _varint(value: int) -> bytes:
    """Return a number below 2**64 in sevens of bits, the lowest first."""
    if value < 1 << 7:
        return _ONE_BYTE[value]
    if value < 1 << 14:
        return _LOW[value & 127] + _ONE_BYTE[value >> 7]
    return _LOW[value & 127] + _LOW[value >> 7 & 127] + _varint(value >> 14)


_ONE_BYTE = tuple(bytes([value]) for value in range(1 << 7))
_LOW = tuple(bytes([value | 1 << 7]) for value in range(1 << 7))
_SEQUENCE = _number(_PACKET_SEQUENCE, 1)
_PACKET = _tag(_TRACE_PACKET, _LENGTH)
_AT = _tag(_PACKET_TIMESTAMP, _VARINT)
_EVENT = _tag(_PACKET_EVENT, _LENGTH)
