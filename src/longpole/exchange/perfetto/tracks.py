"""Tracks: where slices and counts lie, as a tree, each known by its uuid."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from longpole.errors import UsageError
from longpole.exchange.perfetto.bounds import check_id, check_uuid


@dataclass(frozen=True, slots=True)
class ProcessTrack:
    """A process: it groups its lanes and counters, and may carry slices of its own.

    ``pid`` is a label; two processes may have the same one (reused, or 1 in every container), or none.
    """

    uuid: int
    name: str
    pid: int | None = None

    def __post_init__(self) -> None:
        check_uuid(self.uuid)
        check_id(self.pid)


@dataclass(frozen=True, slots=True)
class LaneTrack:
    """Where slices lie: a thread (with a ``tid``, under a process), or anything else that has a name.

    ``parent`` is the uuid of a process or of another lane; without one the lane stands alone. Lanes of one
    parent are shown by their ``rank``, from 0.
    """

    uuid: int
    name: str
    parent: int | None = None
    tid: int | None = None
    rank: int = 0

    def __post_init__(self) -> None:
        check_uuid(self.uuid)
        check_id(self.tid)


@dataclass(frozen=True, slots=True)
class CounterTrack:
    """A number over time. ``unit`` is ``bytes``, ``ns``, ``count``, or any other word, shown as it is."""

    uuid: int
    name: str
    parent: int | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        check_uuid(self.uuid)


Track = ProcessTrack | LaneTrack | CounterTrack


def by_uuid(tracks: Iterable[Track]) -> dict[int, Track]:
    """Return the tracks by their uuids, in the order given.

    Raises:
        UsageError: Two have one uuid, or a parent is missing.
    """
    known: dict[int, Track] = {}
    for track in tracks:
        if known.setdefault(track.uuid, track) is not track:
            raise UsageError(f"Tracks '{known[track.uuid].name}' and '{track.name}' share uuid {track.uuid}.")
    for track in known.values():
        parent = None if isinstance(track, ProcessTrack) else track.parent
        if parent is not None and not isinstance(known.get(parent), ProcessTrack | LaneTrack):
            raise UsageError(f"Track '{track.name}' has parent {parent}, which is no process or lane here.")
    return known


def holder_of(known: dict[int, Track], uuid: int, name: str) -> LaneTrack | ProcessTrack:
    """Return the track of this uuid, for a slice of this name.

    Raises:
        UsageError: There is none, or it is a counter.
    """
    track = known.get(uuid)
    if track is None or isinstance(track, CounterTrack):
        raise UsageError(f"Slice '{name}' is on track {uuid}, which is no process or lane here.")
    return track
