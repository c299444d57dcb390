"""Descriptors: what a trace says of its tracks before any event."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.exchange.perfetto.identities import distinct_pids, distinct_threads
from longpole.exchange.perfetto.packets import track_packet
from longpole.exchange.perfetto.protobuf import delimited, number, text
from longpole.exchange.perfetto.tracks import CounterTrack, LaneTrack, ProcessTrack, Track

# The field numbers of Perfetto's messages.
_TRACK_NAME, _TRACK_PROCESS, _TRACK_THREAD, _TRACK_PARENT, _TRACK_COUNTER = 2, 3, 4, 5, 8
_TRACK_CHILD_ORDER, _TRACK_RANK, _TRACK_MERGING = 11, 12, 15
_PROCESS_PID, _PROCESS_NAME = 1, 6
_THREAD_PID, _THREAD_TID, _THREAD_NAME = 1, 2, 5
_COUNTER_UNIT, _COUNTER_UNIT_NAME = 3, 6

# Values of its enumerations.
_IN_ORDER_OF_RANK = 3
_NEVER_MERGE = 2
_KNOWN_UNITS = {"ns": 1, "count": 2, "bytes": 3}


def track_packets(known: dict[int, Track]) -> Iterator[bytes]:
    """Yield a packet for each track."""
    pids = distinct_pids(known)
    threads = distinct_threads(known, pids)
    for track in known.values():
        match track:
            case ProcessTrack():
                yield track_packet(track.uuid, _process(track, pids[track.uuid]))
            case LaneTrack():
                yield track_packet(track.uuid, _lane(track, threads.get(track.uuid)))
            case CounterTrack():
                yield track_packet(track.uuid, _counter(track))


def row_packet(uuid: int, lane: LaneTrack | ProcessTrack, row: int) -> bytes:
    """Return a packet for a further row of a lane, counted from 0."""
    name = text(_TRACK_NAME, f"{lane.name} ({row + 1})")
    order = number(_TRACK_RANK, row) + number(_TRACK_MERGING, _NEVER_MERGE)
    return track_packet(uuid, _parent(lane.uuid) + name + order)


def _process(track: ProcessTrack, pid: int) -> bytes:
    name = track.name if track.pid in (pid, None) else f"{track.name} (pid {track.pid})"
    body = number(_PROCESS_PID, pid) + text(_PROCESS_NAME, name)
    return text(_TRACK_NAME, track.name) + delimited(_TRACK_PROCESS, body)


def _lane(track: LaneTrack, thread: tuple[int, int] | None) -> bytes:
    head = _parent(track.parent) + number(_TRACK_CHILD_ORDER, _IN_ORDER_OF_RANK)
    if track.rank:
        head += number(_TRACK_RANK, track.rank)
    if thread is None:
        return head + text(_TRACK_NAME, track.name) + number(_TRACK_MERGING, _NEVER_MERGE)
    pid, tid = thread
    body = number(_THREAD_PID, pid) + number(_THREAD_TID, tid) + text(_THREAD_NAME, track.name)
    return head + delimited(_TRACK_THREAD, body)


def _counter(track: CounterTrack) -> bytes:
    unit = _KNOWN_UNITS.get(track.unit)
    body = text(_COUNTER_UNIT_NAME, track.unit) if unit is None else number(_COUNTER_UNIT, unit)
    return _parent(track.parent) + text(_TRACK_NAME, track.name) + delimited(_TRACK_COUNTER, body)


def _parent(uuid: int | None) -> bytes:
    return b"" if uuid is None else number(_TRACK_PARENT, uuid)
