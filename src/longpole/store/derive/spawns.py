"""Processes that programs said they started, and where: phases of kind ``spawn`` with a pid.

Method: a process is the announced one if it has that pid on that host, began while the phase lasted (a fork
server may take a moment longer, and starts are known to a tick of the kernel's clock), and is close kin of
who says so: its child, a child of its fork server, or one whose parent nobody saw. A pid of another pid
namespace than the agent's finds no process, and that one stays with its parent.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
import numpy as np

from longpole.store.derive.arrays import Whole
from longpole.store.derive.known import Known
from longpole.store.derive.marked import Marked
from longpole.store.derive.processes import Processes
from longpole.store.derive.rings import Rings
from longpole.store.derive.texts import keys_of

KIND = "spawn"
_EARLY_NS = 20_000_000
_LATE_NS = 1_000_000_000


class _Announced(msgspec.Struct, frozen=True):
    """What a spawn phase says of the process it started."""

    pid: Annotated[int, msgspec.Meta(ge=1, lt=1 << 32)]


def find_spawns(
    rings: Rings, processes: Processes, marked: Marked, owners: Sequence[Known | None]
) -> dict[Known, int]:
    """Return the row of the phase that started a process, for those of which it is known."""
    rows = _spawn_rows(rings, marked)
    if not len(rows):
        return {}
    born = _Born(processes)
    found: dict[Known, int] = {}
    for row, ring, pid in _announced(rings, marked, rows):
        starter = owners[ring]
        times = int(marked.columns["start"][row]), int(marked.columns["end"][row])
        child = born.of(starter.host, pid, times) if starter is not None else None
        if starter is not None and child is not None and _is_kin(child, starter):
            found.setdefault(child, row)
    return found


def _spawn_rows(rings: Rings, marked: Marked) -> Whole:
    columns = marked.columns
    told = np.flatnonzero((columns["attributes"] != 0) & ~columns["impossible"])
    keys = keys_of(columns["ring"][told], columns["kind"][told])
    kinds = [key for key in np.unique(keys).tolist() if rings.texts.get(key >> 32, key & 0xFFFFFFFF) == KIND]
    return told[np.isin(keys, np.array(kinds, np.uint64))]


def _announced(rings: Rings, marked: Marked, rows: Whole) -> Iterator[tuple[int, int, int]]:
    """Return rows that name a pid, each with its ring and the pid."""
    columns = marked.columns
    fields = (columns[name][rows].tolist() for name in ("ring", "attributes"))
    for row, ring, text in zip(rows.tolist(), *fields, strict=True):
        try:
            told = msgspec.json.decode(rings.texts.get(ring, text), type=_Announced)
        except (msgspec.MsgspecError, RecursionError):
            continue
        yield row, ring, told.pid


class _Born:
    """Processes by host and pid, in order of their starts."""

    def __init__(self, processes: Processes) -> None:
        self._starts: dict[tuple[int, int], list[int]] = {}
        self._known: dict[tuple[int, int], list[Known]] = {}
        for known in processes.all:  # these are in order of their starts
            if known.start_ns is not None:
                self._starts.setdefault((known.host, known.pid), []).append(known.start_ns)
                self._known.setdefault((known.host, known.pid), []).append(known)

    def of(self, host: int, pid: int, times: tuple[int, int]) -> Known | None:
        """Return the process of this pid that began between two moments, or nearly so."""
        starts = self._starts.get((host, pid), [])
        at = bisect_left(starts, times[0] - _EARLY_NS)
        if at < len(starts) and starts[at] <= times[1] + _LATE_NS:
            return self._known[host, pid][at]
        return None


def _is_kin(child: Known, starter: Known) -> bool:
    parent = child.parent
    if child is starter:
        return False
    return parent is None or parent is starter or parent.parent is starter or parent is starter.parent
