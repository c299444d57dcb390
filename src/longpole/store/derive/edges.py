"""Edges between the processes that were recorded: who started and waited for whom, who handed data to whom.

Method: a process is released by the one that started it (fork), and its parent, if that went on, by its end
(wait). An orphan, which the launcher reaped, was waited for by nobody else. Any other child ended before its
parent did; if its end was noted later, then only as late as a look for it, or the kernel's record, may come.
Whether a parent that went on really waited is not known.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from longpole.store.derive.arrays import Arrays, Whole
from longpole.store.derive.handovers import pairs_by_file, pairs_by_pipe
from longpole.store.derive.known import Known

# How much later than it was an end may be noted: if processes were looked for, and if the kernel told.
_LOOKED_FOR_NS = 1_000_000_000
_TOLD_NS = 20_000_000


def edge_parts(every: Sequence[Known], opens: Arrays, before: int) -> list[Arrays]:
    """Return the rows of ``edges``, with ids from 1.

    Args:
        every: All processes of the run, with their ids.
        opens: The files they opened, as in ``opens``.
        before: How many phases come before those of the processes.
    """
    found = [
        ("control", _forks(every)),
        ("control", _waits(every)),
        ("pipe", pairs_by_pipe(every)),
        ("data", pairs_by_file(opens)),
    ]
    firsts = np.cumsum([1, *(len(pairs[0]) for _, pairs in found)]).tolist()
    return [
        {
            "id": np.arange(first, first + len(source)),
            "kind": np.full(len(source), kind, object),
            "from_phase": source + before,
            "to_phase": target + before,
            **({"file": file[0]} if file else {}),
        }
        for (kind, (source, target, *file)), first in zip(found, firsts[:-1], strict=True)
        if len(source)
    ]


def _forks(every: Sequence[Known]) -> tuple[Whole, ...]:
    """Return ids of parents and their children."""
    return _columns([(known.parent.id, known.id) for known in every if known.parent])


def _waits(every: Sequence[Known]) -> tuple[Whole, ...]:
    """Return ids of children that ended and of their parents, if these went on."""
    waited = [known for known in every if _is_waited_for(known)]
    return _columns([(known.id, known.parent.id) for known in waited if known.parent])


def _is_waited_for(child: Known) -> bool:
    orphan = child.ended_in is not None and child.launched_by is None
    if child.parent is None or child.end_ns is None or orphan:
        return False
    late_ns = _TOLD_NS if child.exact else _LOOKED_FOR_NS
    return child.parent.end_ns is None or child.end_ns - late_ns < child.parent.end_ns


def _columns(pairs: list[tuple[int, int]]) -> tuple[Whole, ...]:
    return tuple(np.array(pairs, np.int64).reshape(-1, 2).T)
