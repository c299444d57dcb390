"""What lies on tracks: slices, which are intervals, and counts, which are values at a moment."""

from __future__ import annotations

from dataclasses import dataclass

from longpole.errors import UsageError
from longpole.exchange.perfetto.bounds import NEVER, check_time
from longpole.units import Nanoseconds


@dataclass(frozen=True, slots=True)
class Slice:
    """An interval on a process or lane track; ``end_ns`` is None when it never ended, or nobody saw it end.

    ``attributes`` is the text of a JSON object, or empty.
    """

    track: int
    name: str
    category: str
    start_ns: Nanoseconds
    end_ns: Nanoseconds | None
    attributes: str = ""

    def __post_init__(self) -> None:
        check_time(self.start_ns)
        if self.end_ns is not None and not self.start_ns <= self.end_ns < NEVER:
            raise UsageError(
                f"Slice '{self.name}' ends at {self.end_ns} ns; it starts at {self.start_ns} ns."
            )


@dataclass(frozen=True, slots=True)
class NestedSlice:
    """A slice whose place among others is known, not found by time: ``depth`` slices of its track enclose it.

    An arrow is a number from 1 that one slice has in ``leads_to`` and a later one in ``comes_from``.
    """

    slice: Slice
    depth: int
    leads_to: tuple[int, ...] = ()
    comes_from: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Count:
    """The value of a counter track from ``at_ns`` until its next one."""

    track: int
    at_ns: Nanoseconds
    value: float

    def __post_init__(self) -> None:
        check_time(self.at_ns)
