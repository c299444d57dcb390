"""What became of the time of devices, by rank."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rounding(StrEnum):
    """To what times of events are rounded before they are added up."""

    EXACT = "exact"
    HTA = "hta"


class LastStep(StrEnum):
    """Whether what the last profiler step has launched counts: the trace may end before it does."""

    DROPPED = "dropped"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class DeviceTime:
    """How the devices of one rank spent their time, in microseconds.

    Attributes:
        rank: The rank; nothing if it is not known.
        idle_us: When nothing ran on them.
        compute_us: When a kernel computed.
        non_compute_us: When there was only communication, copying or setting of memory.
        span_us: From the first event to the last; the sum of the three.
        overlap_percent: How much of the communication went on beside computation; nothing if there was none.
    """

    rank: int | None
    idle_us: float
    compute_us: float
    non_compute_us: float
    span_us: float
    overlap_percent: float | None
