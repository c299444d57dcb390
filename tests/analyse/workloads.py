"""Workloads and samples made by hand, their times in seconds, and what comes out as plain lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from longpole.model.attribution import Workload
from longpole.model.columns import Column, Columns, floats, integers, texts

SECOND = 1_000_000_000


def ns(moment: float) -> int:
    """Return a moment in nanoseconds."""
    return round(moment * SECOND)


def phases(*rows: tuple[str, float, float]) -> Columns:
    """Phases of a kind, a begin and an end, with ids from 1."""
    return Columns(
        {
            "id": integers(list(range(1, len(rows) + 1))),
            "kind": texts([row[0] for row in rows]),
            "start_ns": integers([ns(row[1]) for row in rows]),
            "end_ns": integers([ns(row[2]) for row in rows]),
        }
    )


def blocking(*rows: tuple[int, str, float, float]) -> Columns:
    """Which phase was blocked, by what, from when to when."""
    return Columns(
        {
            "phase": integers([row[0] for row in rows]),
            "resource": texts([row[1] for row in rows]),
            "start_ns": integers([ns(row[2]) for row in rows]),
            "end_ns": integers([ns(row[3]) for row in rows]),
        }
    )


def work(*rows: tuple[str, float, float], blocked: Any = (), window: Any = None) -> Workload:
    """A workload of some phases."""
    return Workload(phases(*rows), blocking(*blocked), window and (ns(window[0]), ns(window[1])))


def samples(*rows: tuple[float, float, float | None]) -> Columns:
    """Samples: a begin, an end and a mean rate."""
    return Columns(
        {
            "start_ns": integers([ns(row[0]) for row in rows]),
            "end_ns": integers([ns(row[1]) for row in rows]),
            "value": floats([row[2] for row in rows]),
        }
    )


def many_phases(kind: Any, kinds: tuple[str, ...], start: Any, end: Any) -> Columns:
    """Phases out of arrays: the place of each kind, and times in nanoseconds."""
    return Columns(
        {
            "id": Column(np.arange(len(start)).data),
            "kind": Column(np.asarray(kind, np.int32).data, words=kinds),
            "start_ns": Column(np.asarray(start, np.int64).data),
            "end_ns": Column(np.asarray(end, np.int64).data),
        }
    )


def many_samples(start: Any, end: Any, value: Any) -> Columns:
    """Samples out of arrays, times in nanoseconds."""
    return Columns(
        {
            "start_ns": Column(np.asarray(start, np.int64).data),
            "end_ns": Column(np.asarray(end, np.int64).data),
            "value": Column(np.asarray(value, np.float64).data),
        }
    )


def listed(table: Columns, *names: str) -> list[Any]:
    """The rows of some columns, as tuples if there are several."""
    rows = [tuple(row[name] for name in names) for row in table.records()]
    return rows if len(names) > 1 else [row[0] for row in rows]
