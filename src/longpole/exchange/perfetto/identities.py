"""Pids and tids that tell processes and threads apart, as Perfetto does by nothing else."""

from __future__ import annotations

from itertools import count

from longpole.exchange.perfetto.tracks import LaneTrack, ProcessTrack, Track

_FIRST_FREE_PID = (1 << 22) + 1  # above any pid of Linux


def distinct_pids(known: dict[int, Track]) -> dict[int, int]:
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


def distinct_threads(known: dict[int, Track], pids: dict[int, int]) -> dict[int, tuple[int, int]]:
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
