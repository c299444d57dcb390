"""What a task needs and what it is granted: resources, time, tries."""

from __future__ import annotations

import re
from collections.abc import Mapping

from longpole.describe.complaints import shape_of, short
from longpole.describe.entry import Entry
from longpole.errors import UsageError
from longpole.model.workflow import Resources, Retry
from longpole.units import Bytes, parse_size, parse_span

RESOURCES = ("cores", "memory", "gpus", "nodes", "ranks")
_MOST_TRIES, _LARGEST_FACTOR = 1000, 100
_LONGEST = "36500 d"
_LONGEST_S = parse_span(_LONGEST)
_FACTOR = re.compile(r"x?([0-9]{1,3}(?:\.[0-9]{1,3})?)")


def resources(entry: Entry, default: Resources) -> Resources:
    """Return the resources that an entry tells; what it leaves out is as in the default."""
    if entry.values.get("resources") is None:
        return default
    told = entry.entry("resources")
    told.only(*RESOURCES)
    return Resources(
        told.whole("cores", 1, default.cores),
        _memory(told, default.memory_bytes),
        told.whole("gpus", 0, default.gpus),
        told.whole("nodes", 1, default.nodes),
        told.whole("ranks", 1, default.ranks),
    )


def retry(entry: Entry, default: Retry) -> Retry:
    """Return how often a task is tried again: a number, or times and the growth of memory."""
    if entry.values.get("retry") is None:
        return default
    if not isinstance(entry.value("retry"), Mapping):
        return Retry(_times(entry, "retry"))
    told = entry.entry("retry")
    told.only("times", "memory")
    return Retry(_times(told, "times"), _factor(told))


def timeout_s(entry: Entry) -> float | None:
    """Return when a task is stopped."""
    value = entry.value("timeout")
    if value is None:
        return None
    if not isinstance(value, str):
        raise entry.wrong(
            "timeout", f"This must be a text with a unit, such as '90 min', not {shape_of(value)}."
        )
    try:
        seconds = parse_span(entry.parameters.in_text(value))
    except UsageError as error:
        raise entry.wrong("timeout", str(error)) from error
    if seconds <= 0:
        raise entry.wrong("timeout", f"This must be above zero, not {shape_of(value)}.")
    if seconds > _LONGEST_S:
        raise entry.wrong("timeout", f"This must be at most {_LONGEST}, not {shape_of(value)}.")
    return seconds


def size(entry: Entry, name: str) -> Bytes:
    """Return bytes, told as a text with a unit."""
    value = entry.value(name)
    if not isinstance(value, str):
        raise entry.wrong(name, f"This must be a text with a unit, such as '200 MB', not {shape_of(value)}.")
    try:
        return parse_size(entry.parameters.in_text(value))
    except UsageError as error:
        raise entry.wrong(name, str(error)) from error


def _memory(entry: Entry, default: Bytes | None) -> Bytes | None:
    if entry.value("memory") is None:
        return default
    memory = size(entry, "memory")
    if memory <= 0:
        raise entry.wrong("memory", "A task cannot need no memory at all.")
    return memory


def _times(entry: Entry, name: str) -> int:
    times = entry.whole(name, 0, 1)
    if times > _MOST_TRIES:
        raise entry.wrong(name, f"This must be from 0 to {_MOST_TRIES}, not the number {times}.")
    return times


def _factor(entry: Entry) -> float:
    value = entry.value("memory")
    if value is None:
        return 1.0
    found = _FACTOR.fullmatch(str(value)) if not isinstance(value, bool) else None
    factor = float(found[1]) if found else 0.0
    if not 1 <= factor <= _LARGEST_FACTOR:
        shown = short(str(value))
        raise entry.wrong(
            "memory", f"This must be a factor from x1 to x{_LARGEST_FACTOR}, such as x2, not '{shown}'."
        )
    return factor
