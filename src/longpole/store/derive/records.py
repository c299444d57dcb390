"""Slots as numpy sees them: one structured type for each layout of ``longpole.log.slots``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from longpole.log import slots

Records = NDArray[np.void]

ANY = np.dtype([("type", "u1"), ("rest", "V63")])

PHASE = np.dtype(
    [
        ("type", "u1"),
        ("status", "u1"),
        ("lane", "<u2"),
        ("id", "<u4"),
        ("parent", "<u4"),
        ("name", "<u4"),
        ("kind", "<u4"),
        ("attributes", "<u4"),
        ("start", "<i8"),
        ("end", "<i8"),
        ("device", "<u4"),
        ("spare", "<u4"),
        ("value", "<i8"),
        ("number", "<u8"),
    ]
)
TEXT = np.dtype(
    [
        ("type", "u1"),
        ("last", "u1"),
        ("part", "<u2"),
        ("id", "<u4"),
        ("length", "<u4"),
        ("bytes", "V44"),
        ("number", "<u8"),
    ]
)
_TIMED: list[Any] = [
    ("type", "u1"),
    ("flag", "u1"),
    ("small", "<u2"),
    ("owner", "<u4"),
    ("start", "<i8"),
    ("end", "<i8"),
]
PROCESS_SAMPLE = np.dtype(
    [
        *_TIMED,
        ("user_us", "<u4"),
        ("system_us", "<u4"),
        ("resident_kib", "<u4"),
        ("proportional_kib", "<u4"),
        ("read", "<u4"),
        ("written", "<u4"),
        ("storage_read", "<u4"),
        ("storage_written", "<u4"),
        ("number", "<u8"),
    ]
)
GAUGE = np.dtype(
    [*_TIMED, ("first", "<f8"), ("second", "<f8"), ("third", "<f8"), ("fourth", "<f8"), ("number", "<u8")]
)
EXIT_BYTES = np.dtype(
    [
        *_TIMED,
        ("read", "<u8"),
        ("written", "<u8"),
        ("storage_read", "<u8"),
        ("storage_written", "<u8"),
        ("number", "<u8"),
    ]
)
EXIT_TIMES = np.dtype(
    [
        *_TIMED,
        ("user_us", "<u8"),
        ("system_us", "<u8"),
        ("status", "<i4"),
        ("name", "<u4"),
        ("spare", "<u8"),
        ("number", "<u8"),
    ]
)
FINISH = np.dtype([*_TIMED, ("status", "<i4"), ("spare", "V28"), ("number", "<u8")])
COST = np.dtype(
    [
        *_TIMED,
        ("user_us", "<u8"),
        ("system_us", "<u8"),
        ("read", "<u8"),
        ("written", "<u8"),
        ("number", "<u8"),
    ]
)
# The times of a step are in ns from its start.
STEP = np.dtype(
    [
        ("type", "u1"),
        ("status", "u1"),
        ("lane", "<u2"),
        ("parent", "<u4"),
        ("id", "<u4"),
        ("label", "<u4"),
        ("start", "<i8"),
        ("took", "<u4"),
        ("data", "<u4"),
        ("forward_at", "<u4"),
        ("forward", "<u4"),
        ("backward_at", "<u4"),
        ("backward", "<u4"),
        ("optimizer_at", "<u4"),
        ("optimizer", "<u4"),
        ("number", "<u8"),
    ]
)
REMARK = np.dtype(
    [
        ("type", "u1"),
        ("flag", "u1"),
        ("small", "<u2"),
        ("text", "<u4"),
        ("at", "<i8"),
        ("spare", "V40"),
        ("number", "<u8"),
    ]
)

KINDS = {
    slots.PHASE: PHASE,
    slots.TEXT: TEXT,
    slots.PROCESS_SAMPLE: PROCESS_SAMPLE,
    slots.GAUGE: GAUGE,
    slots.EXIT_BYTES: EXIT_BYTES,
    slots.EXIT_TIMES: EXIT_TIMES,
    slots.FINISH: FINISH,
    slots.COST: COST,
    slots.STEP: STEP,
    slots.REMARK: REMARK,
}


def split(data: bytes) -> dict[int, tuple[Records, NDArray[np.bool_] | slice]]:
    """Return slots by their kind, and which they are; those of kinds that are not known are left out."""
    found = np.frombuffer(data, ANY)
    kinds = found["type"]
    return {kind: _of_kind(found, kinds == kind, kind) for kind in np.unique(kinds).tolist() if kind in KINDS}


def none_of(kind: int) -> Records:
    """Return no slots of one kind."""
    return np.zeros(0, KINDS[kind])


def _of_kind(
    found: Records, chosen: NDArray[np.bool_], kind: int
) -> tuple[Records, NDArray[np.bool_] | slice]:
    if chosen.all():
        return found.view(KINDS[kind]), slice(None)
    return found[chosen].view(KINDS[kind]), chosen
