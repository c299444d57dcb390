"""Phases of a Spark application while they come together: ids given out early, rows added as they end."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.exchange.growing import GrowingTable
from longpole.model.columns import Columns
from longpole.model.execution import Status

_COLUMNS = (
    *("id", "parent", "kind", "name", "task", "attempt", "process", "lane"),
    *("start_ns", "end_ns", "duration_ns", "count", "status", "attributes"),
)
_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Phase:
    """A row of the table; times are as Spark has them, in milliseconds."""

    id: int
    kind: str
    name: str
    start_ms: int | None
    end_ms: int | None
    status: Status
    parent: int | None = None
    task: int | None = None
    attempt: int | None = None
    process: int | None = None
    lane: int | None = None
    attributes: str | None = None


class Phases:
    """All phases so far."""

    def __init__(self) -> None:
        """Begin without any."""
        self._table = GrowingTable("phases", _COLUMNS)
        self._last = 0

    def next_id(self) -> int:
        """Return the id of a phase that will be added later, or never."""
        self._last += 1
        return self._last

    def add(self, one: Phase) -> None:
        """Add a phase."""
        known = one.start_ms is not None and one.end_ms is not None
        took = nanoseconds((one.end_ms or 0) - (one.start_ms or 0)) if known else None
        self._table.add(
            *(one.id, one.parent, one.kind, one.name, one.task, one.attempt, one.process, one.lane),
            *(nanoseconds(one.start_ms), nanoseconds(one.end_ms), took, 1, one.status.value, one.attributes),
        )

    def columns(self) -> Columns:
        """Return all rows."""
        return self._table.columns()


def nanoseconds(milliseconds: int | None) -> int | None:
    """Return a moment or a duration of Spark in our unit."""
    return None if milliseconds is None else milliseconds * _MS
