"""Replay of a program that launches work on a GPU: how long its steps take if it waits less on the CPU.

Method: what the CPU does is shifted as a whole: by as much as was cut out of it before (loading, say), and by
as much as it then waits longer. A piece of GPU work starts when it was launched and its stream is free. A
copy that the CPU waits for, and a synchronisation, end when the GPU has come so far: so time saved on the CPU
is partly waited for again. All CPU threads count as one, as they do in a step: one works, the others wait for
it. Leaves out: events between streams, and that the CPU itself may be slower beside workers that load.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from longpole.analyse.graph import Whole
from longpole.analyse.tree import known_rows, numbers
from longpole.model.columns import Columns

NO_WORK = -1
# How long after its launch GPU work begins at the earliest, and between two pieces of one stream.
_LAUNCH_NS = 11_000
_BETWEEN_NS = 1_000
# How long a call takes that finds nothing to wait for.
_CALL_NS = 12_000
_STREAMS = 1 << 32
_TIMES = ("start_ns", "end_ns", "work_start_ns", "work_end_ns")


@dataclass(frozen=True, slots=True, eq=False)
class Launches:
    """Calls of the GPU's runtime in the order of their starts, and the work that they launched.

    Attributes:
        starts_ns: When each call began.
        ends_ns: When it returned.
        waits: Whether it returns only when the GPU has come so far.
        work_start_ns: When the work that it launched began; ``NO_WORK`` where it launched none.
        work_end_ns: When that ended.
        stream: Number of the stream of that work, from 0.
    """

    starts_ns: Whole
    ends_ns: Whole
    waits: np.ndarray[tuple[int], np.dtype[np.bool_]]
    work_start_ns: Whole
    work_end_ns: Whole
    stream: Whole

    def __len__(self) -> int:
        """Return how many calls there are."""
        return len(self.starts_ns)


def launches_of(calls: Columns) -> dict[int, Launches]:
    """Return what processes asked of GPUs, by id of the process.

    Args:
        calls: Columns ``process``, ``name``, ``start_ns`` and ``end_ns`` of calls of the runtime in the order
            of their starts, and of the work that each launched ``device``, ``lane``, ``work_start_ns`` and
            ``work_end_ns``.
    """
    process = numbers(calls["process"])
    return {int(one): _of_rows(calls, np.flatnonzero(process == one)) for one in np.unique(process)}


def _of_rows(calls: Columns, rows: Whole) -> Launches:
    has_work = known_rows(calls["work_start_ns"])[rows] & known_rows(calls["work_end_ns"])[rows]
    column = {name: numbers(calls[name])[rows] for name in _TIMES}
    words = np.array([word.lower() for word in calls["name"].words or ("",)])[numbers(calls["name"])[rows]]
    copies = np.char.find(words, "memcpy") >= 0
    waits = np.char.find(words, "synchronize") >= 0
    waits |= copies & has_work & (column["end_ns"] >= column["work_end_ns"])
    places = numbers(calls["device"])[rows] * _STREAMS + numbers(calls["lane"])[rows]
    _, stream = np.unique(np.where(has_work, places, 0), return_inverse=True)
    begun, ended = (np.where(has_work, column[name], NO_WORK) for name in ("work_start_ns", "work_end_ns"))
    return Launches(column["start_ns"], column["end_ns"], waits, begun, ended, stream.astype(np.int64))


def moved(launches: Launches, cuts: Whole, cut_ns: Whole, marks: Whole) -> Whole:
    """Return when moments of the CPU come if some of its time is cut out.

    Args:
        launches: What the CPU asked of the GPU.
        cuts: When each piece that is cut out ends, in order.
        cut_ns: How much of it is cut out.
        marks: The moments, in order.
    """
    streams = int(launches.stream.max(initial=0)) + 1
    replay = _Replay(streams)
    found = np.zeros(len(marks), np.int64)
    for what, row in _in_order(launches, cuts, marks):
        if what == _MARK:
            found[row] = int(marks[row]) + replay.shift_ns
        elif what == _CUT:
            replay.shift_ns -= int(cut_ns[row])
        else:
            replay.call(launches, row)
    return found


_CUT, _MARK, _CALL = range(3)


def _in_order(launches: Launches, cuts: Whole, marks: Whole) -> Iterator[tuple[int, int]]:
    """Yield what happens, in order; of what happens at once, cuts come first and then marks."""
    moments = np.concatenate([cuts, marks, launches.starts_ns])
    what = np.repeat([_CUT, _MARK, _CALL], [len(cuts), len(marks), len(launches)])
    rows = np.concatenate([np.arange(len(cuts)), np.arange(len(marks)), np.arange(len(launches))])
    order = np.lexsort((what, moments))
    return zip(what[order].tolist(), rows[order].tolist(), strict=True)


class _Replay:
    """How far the CPU is shifted, and until when each stream is busy."""

    def __init__(self, streams: int) -> None:
        self.shift_ns = 0
        self._busy_until = [0] * streams

    def call(self, launches: Launches, row: int) -> None:
        """Take a call: launch its work, and wait if it waits."""
        start = int(launches.starts_ns[row]) + self.shift_ns
        took = int(launches.ends_ns[row] - launches.starts_ns[row])
        begun, ended = int(launches.work_start_ns[row]), int(launches.work_end_ns[row])
        if begun != NO_WORK:
            reached = self._launch(int(launches.stream[row]), start, ended - begun)
            after_ns = max(0, int(launches.ends_ns[row]) - ended)
        else:
            reached, after_ns = max(self._busy_until), 0
        if launches.waits[row]:
            returns = max(start + min(took, _CALL_NS), reached + after_ns)
            self.shift_ns += returns - (start + took)

    def _launch(self, stream: int, start: int, took: int) -> int:
        begins = max(self._busy_until[stream] + _BETWEEN_NS, start + _LAUNCH_NS)
        self._busy_until[stream] = begins + took
        return begins + took
