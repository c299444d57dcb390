"""Phases of traced programs made by hand, as the analyses of devices and profiler steps take them."""

from __future__ import annotations

from typing import NamedTuple

from longpole.model.columns import Columns, integers, texts

US = 1000


class Traced(NamedTuple):
    """One phase; times are in microseconds, and ``launched`` is when the call was that launched it."""

    kind: str
    start: float
    end: float
    launched: tuple[float, float] | None = None
    name: str = "it"
    process: int = 1


def phases(*rows: Traced) -> Columns:
    """A table of phases."""
    calls = [(None, None) if row.launched is None else row.launched for row in rows]
    return Columns(
        {
            "kind": texts([row.kind for row in rows]),
            "name": texts([row.name for row in rows]),
            "process": integers([row.process for row in rows]),
            "start_ns": integers([_ns(row.start) for row in rows]),
            "end_ns": integers([_ns(row.end) for row in rows]),
            "launch_ns": integers([_ns(start) for start, _ in calls]),
            "launch_end_ns": integers([_ns(end) for _, end in calls]),
        }
    )


def processes(ranks: dict[int, int | None]) -> Columns:
    """A table of processes: the rank of each."""
    return Columns(
        {
            "id": integers(list(ranks)),
            "rank": integers(list(ranks.values())),
            "base_ns": integers([None] * len(ranks)),
        }
    )


def _ns(moment_us: float | None) -> int | None:
    return None if moment_us is None else round(moment_us * US)
