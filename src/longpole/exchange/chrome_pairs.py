"""Begins and ends of trace events, put together.

Method: in the order of time, those of one moment as they stand in the file. An end (E) closes the last begin
(B) of its thread that is open. An asynchronous end (e) closes the last begin (b) of its process, category, id
and name, whatever the thread.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import msgspec
import numpy as np

from longpole.exchange.trace_events import Event, Whole
from longpole.exchange.traced import UNKNOWN


class ChromeEvent(Event, gc=False):
    """One event of any tool."""

    id: msgspec.Raw = msgspec.Raw()
    id2: msgspec.Raw = msgspec.Raw()
    args: msgspec.Raw = msgspec.Raw()


def ends_of(events: Sequence[ChromeEvent], moments: Whole) -> tuple[Whole, int]:
    """Return when each begin ended, ``UNKNOWN`` where it did not, and how many ends had no begin.

    Args:
        events: Any events; only begins and ends are looked at.
        moments: When each was.
    """
    ends, stray = np.full(len(events), UNKNOWN, np.int64), 0
    opened: dict[Hashable, list[int]] = {}
    for row in np.argsort(moments, kind="stable").tolist():
        event = events[row]
        if event.ph in ("B", "b"):
            opened.setdefault(_key(event), []).append(row)
        elif event.ph in ("E", "e"):
            begins = opened.get(_key(event))
            if begins:
                ends[begins.pop()] = moments[row]
            else:
                stray += 1
    return ends, stray


def _key(event: ChromeEvent) -> Hashable:
    if event.ph in ("B", "E"):
        return event.pid, event.tid
    return event.pid, event.cat, bytes(event.id), bytes(event.id2), event.name
