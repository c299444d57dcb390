"""From when to when a run went: its command's own begin and end, or what was last seen of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from longpole.store.derive.axis import Axis
from longpole.store.derive.content import LogContent
from longpole.store.derive.exits import Exits
from longpole.store.derive.notes import Began, Clock, Ended, Gone


@dataclass(frozen=True, slots=True)
class Span:
    """Begin and end on UTC; an end that is not the command's own is when it was last seen."""

    start_ns: int | None
    end_ns: int | None
    finished: bool

    def covering(self, other: tuple[int, int] | None) -> Span:
        """Return the span with what another covers as well."""
        if other is None:
            return self
        start = other[0] if self.start_ns is None else min(self.start_ns, other[0])
        end = other[1] if self.end_ns is None else max(self.end_ns, other[1])
        return replace(self, start_ns=start, end_ns=end)

    def with_told(self, told: tuple[int, int] | None, *, nothing_else: bool) -> Span:
        """Return the span with what another system told; a run of nothing else is over."""
        return replace(self.covering(told), finished=self.finished or nothing_else)


def span_of(logs: list[LogContent], exits: Exits, offsets: list[Axis], latest: list[int | None]) -> Span:
    """Return the span of a run; ``latest`` are the last moments of samples and phases."""
    if exits.finish is not None:
        return Span(exits.finish.start_ns, exits.finish.end_ns, finished=True)
    begun = [
        note.at + offset for log, offset in zip(logs, offsets, strict=True) for note in log.notes.of(Began)
    ]
    seen = [moment for moment in latest if moment is not None] + [end.end_ns for end in exits.ends]
    for log, offset in zip(logs, offsets, strict=True):
        seen += [moment + offset for moment in _moments(log)]
    start = min(begun, default=None) if begun else min(seen, default=None)
    end = max(seen, default=None)
    return Span(start, end if end is None or start is None else max(start, end), finished=False)


def _moments(log: LogContent) -> list[int]:
    clocks = [note.at for note in log.notes.of(Clock)]
    return clocks + [note.at for note in log.notes.of(Ended)] + [note.by for note in log.notes.of(Gone)]
