"""Rows of what an importer tells, as tests ask for them."""

from __future__ import annotations

import json
from typing import Any

from longpole.model.told import Told

Rows = list[dict[str, Any]]


def rows(tale: Told, table: str) -> Rows:
    """Return the rows of a table; none if it was not told."""
    return list(tale.tables[table].records()) if table in tale.tables else []


def phases(tale: Told, *kinds: str) -> Rows:
    """Return the phases of some kinds, in the order in which they were told."""
    return [row for row in rows(tale, "phases") if row["kind"] in kinds]


def used(tale: Told, phase: int | None) -> dict[str, float]:
    """Return what a phase, or the run, has used."""
    return {row["metric"]: row["value"] for row in rows(tale, "totals") if row["owner"] == phase}


def facts(row: dict[str, Any], column: str = "attributes") -> dict[str, Any]:
    """Return what a row has as JSON."""
    return dict(json.loads(row[column] or "{}"))


def times_ms(row: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return begin and end of a phase or a process in milliseconds."""
    begin, end = (None if row[name] is None else row[name] // 1_000_000 for name in ("start_ns", "end_ns"))
    return begin, end


def most_at_once(some: Rows) -> int:
    """Return how many of these phases there were at the same moment; one that ends makes room."""
    ends = [(row["end_ns"], -1) for row in some] + [(row["start_ns"], 1) for row in some]
    there = most = 0
    for _, change in sorted(ends):
        there += change
        most = max(most, there)
    return most


def length_s(some: Rows) -> float:
    """Return how long it is from the first begin to the last end of these phases."""
    return float(max(row["end_ns"] for row in some) - min(row["start_ns"] for row in some)) / 1e9
