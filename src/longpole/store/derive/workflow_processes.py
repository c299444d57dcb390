"""Which recorded process a part of an attempt names: one that was started for it, or a worker that did it.

Method: the same pid on the driver's host. One that was started for the part began when that did, as exactly
as its start is known; of several the one that began closest to it. A worker is the one that had begun last.
"""

from __future__ import annotations

import numpy as np

from longpole.store.derive.arrays import Whole
from longpole.store.derive.drivers import Drivers
from longpole.store.derive.known import TICK_NS, Known
from longpole.store.derive.processes import Processes
from longpole.store.derive.workflow_parts import PartColumns


def processes_of(
    parts: PartColumns, drivers: Drivers, processes: Processes, last_ns: Whole
) -> list[Known | None]:
    """Return the process of each part, where it names one that was recorded.

    Args:
        parts: What attempts consist of, with times on UTC.
        drivers: Who told of them.
        processes: All that were recorded, with their ids.
        last_ns: Until when each driver worked.
    """
    found: list[Known | None] = [None] * len(parts)
    until = np.where(parts.going, last_ns[parts.session], parts.numbers["end"])
    columns = [parts.session, parts.numbers["pid"], parts.numbers["own"], parts.numbers["start"], until]
    rows = np.flatnonzero(parts.numbers["pid"] > 0)
    for row, session, pid, own, start, end in zip(
        rows.tolist(), *(column[rows].tolist() for column in columns), strict=True
    ):
        host = drivers.host(session)
        found[row] = (
            _started(processes.of_pid(host, pid), start, end) if own else processes.latest_of(host, pid, end)
        )
    return [one if one is not None and one.id else None for one in found]


def _started(same_pid: list[Known], start_ns: int, end_ns: int) -> Known | None:
    fitting = [
        known
        for known in same_pid
        if known.start_ns is None or start_ns - 2 * TICK_NS <= known.start_ns <= end_ns + known.late_ns
    ]
    return min(fitting, key=lambda known: abs((known.start_ns or start_ns) - start_ns), default=None)
