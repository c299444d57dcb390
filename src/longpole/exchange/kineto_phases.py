"""The phases of one trace of PyTorch's profiler, by column, and who launched what on the device.

Times are exact: ``baseTimeNanoseconds``, where there is one, plus ``ts``, which else counts from 1970. What
runs on a device is of the process that launched it; where its launch is not in the trace, of the process with
the most events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from longpole.exchange.kineto_events import (
    DEVICE_KINDS,
    HOST_KINDS,
    LAUNCHED,
    KinetoEvent,
    KinetoTrace,
    correlation_of,
    is_of_device,
    kind_of,
    read_trace,
)
from longpole.exchange.trace_events import LATEST_NS, Lanes, Scalar, Whole, label, times_of, whole
from longpole.exchange.traced import UNKNOWN
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile

_FACTS = (
    *("correlation", "bytes", "collective", "group", "group_size", "elements_in", "elements_out"),
    "dtype",
)
_EXACT = 1 << 53


@dataclass(frozen=True, slots=True, eq=False)
class KinetoPhases:
    """What one file tells.

    Attributes:
        name: What the user calls the file.
        trace: All of it.
        events: Those that are phases; the columns that follow are in their order.
        kinds: Which kind each is.
        on_device: Whether it ran on a device.
        pids: The pid of its process; of what ran on a device, that of its launch.
        lanes: Its thread or stream.
        devices: Its device, or ``UNKNOWN``.
        starts: When it began, in UTC.
        ends: When it ended.
        launches: Pairs of rows: what called the driver, and what that began on the device.
    """

    name: str
    trace: KinetoTrace
    events: Sequence[KinetoEvent]
    kinds: Sequence[str]
    on_device: NDArray[np.bool_]
    pids: Sequence[Scalar]
    lanes: Whole
    devices: Whole
    starts: Whole
    ends: Whole
    launches: Whole


def phases_of(file: ForeignFile) -> KinetoPhases:
    """Return the phases that a file tells of.

    Raises:
        UnreadableFileError: It cannot be read, or holds none.
    """
    trace = read_trace(file)
    lengths = [event for event in trace.events if event.ph == "X"]
    kinds = _kinds(lengths)
    events = [event for event, kind in zip(lengths, kinds, strict=True) if kind]
    if not events:
        looked_for = ", ".join((*HOST_KINDS, *DEVICE_KINDS))
        raise UnreadableFileError(
            f"{file.name} holds nothing of PyTorch's profiler: no event is of a category {looked_for}."
        )
    starts, ends = _times(file.name, events, trace.base_ns or 0)
    kinds, on_device = [kind for kind in kinds if kind], _on_device(events)
    launches = _launches(events, kinds)
    return KinetoPhases(
        name=file.name,
        trace=trace,
        events=events,
        kinds=kinds,
        on_device=on_device,
        pids=_pids(events, kinds, on_device, launches),
        lanes=_lanes(events, on_device),
        devices=_devices(events, on_device),
        starts=starts,
        ends=ends,
        launches=launches,
    )


def _kinds(events: Sequence[KinetoEvent]) -> list[str]:
    known: dict[tuple[Scalar, Scalar], str] = {}
    for event in events:
        key = (event.cat, event.name)
        if key not in known:
            known[key] = kind_of(*key)
    return [known[event.cat, event.name] for event in events]


def _times(name: str, events: Sequence[KinetoEvent], base_ns: int) -> tuple[Whole, Whole]:
    starts = times_of(name, events, "ts") + base_ns
    # Beyond, sums with a base overflow; what is too late is found in either.
    ends = np.minimum(starts, LATEST_NS) + np.minimum(times_of(name, events, "dur"), LATEST_NS)
    if max(starts.max(), ends.max()) > LATEST_NS:
        called = str(events[int(np.argmax(ends))].name)[:80].replace("\n", " ")
        raise UnreadableFileError(
            f"{name} cannot be read: its event '{called}' has ts and dur that cannot be."
        )
    return starts, ends


def _on_device(events: Sequence[KinetoEvent]) -> NDArray[np.bool_]:
    known = {category: is_of_device(category) for category in {event.cat for event in events}}
    return np.array([known[event.cat] for event in events], np.bool_)


def _launches(events: Sequence[KinetoEvent], kinds: Sequence[str]) -> Whole:
    """Return which rows launched which; of several calls with one correlation, the first."""
    ids = [
        correlation_of(event) if kind == "runtime" or kind in LAUNCHED else None
        for event, kind in zip(events, kinds, strict=True)
    ]
    calls: dict[int | float, int] = {}
    for row, (one, kind) in enumerate(zip(ids, kinds, strict=True)):
        if one is not None and kind == "runtime":
            calls.setdefault(one, row)
            calls.setdefault(_as_float(one), row)
    pairs = [
        (calls.get(one, calls.get(_as_float(one), UNKNOWN)), row)
        for row, (one, kind) in enumerate(zip(ids, kinds, strict=True))
        if one is not None and kind in LAUNCHED
    ]
    found: Whole = np.array([pair for pair in pairs if pair[0] != UNKNOWN], np.int64).reshape(-1, 2)
    return found


def _as_float(one: int) -> int:
    """Return an id as it is after it has been stored as a float: above 2**53 that is another one."""
    return one if one <= _EXACT else int(float(one))


def _pids(
    events: Sequence[KinetoEvent], kinds: Sequence[str], on_device: NDArray[np.bool_], launches: Whole
) -> list[Scalar]:
    threads = [
        not device and kind != "overhead" for device, kind in zip(on_device.tolist(), kinds, strict=True)
    ]
    pids = [label(event.pid) if own else None for event, own in zip(events, threads, strict=True)]
    counted = Counter(pid for pid, own in zip(pids, threads, strict=True) if own)
    main = counted.most_common(1)[0][0] if counted else None
    found = [pid if own else main for pid, own in zip(pids, threads, strict=True)]
    for call, row in launches.tolist():
        found[row] = found[call]
    return found


def _lanes(events: Sequence[KinetoEvent], on_device: NDArray[np.bool_]) -> Whole:
    number = Lanes().number
    return np.array(
        [
            number(
                event.args.stream if device and event.args and event.args.stream is not None else event.tid
            )
            for event, device in zip(events, on_device.tolist(), strict=True)
        ],
        np.int64,
    )


def _devices(events: Sequence[KinetoEvent], on_device: NDArray[np.bool_]) -> Whole:
    return np.array(
        [
            _device(event) if device else UNKNOWN
            for event, device in zip(events, on_device.tolist(), strict=True)
        ],
        np.int64,
    )


def _device(event: KinetoEvent) -> int:
    """Return the device of what ran on one; the pid of such an event is its number, too."""
    said = None if event.args is None else whole(event.args.device)
    found = whole(event.pid) if said is None else said
    return UNKNOWN if found is None or found < 0 else found


def attributes_of(events: Sequence[KinetoEvent]) -> list[str | None]:
    """Return what else is worth keeping of each event, as JSON."""
    return [_attributes(event) for event in events]


def _attributes(event: KinetoEvent) -> str | None:
    args = event.args
    if args is None:
        return None
    facts = {name: value for name in _FACTS if (value := getattr(args, name)) is not None}
    return msgspec.json.encode(facts).decode() if facts else None
