"""Events in the form that Chrome gave the world: decoded, with exact times.

``ts`` and ``dur`` are microseconds, as decimal text with a fraction. They become whole nanoseconds from that
text itself: a float would be wrong by up to 125 ns for a moment of today. What comes after the third digit of
a fraction is rounded. Two ways in which tools leave JSON broken are mended: ``inf`` and ``nan`` in place of a
number become null, and a list that was never closed, which Chrome allows, is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from operator import attrgetter
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.ports import ForeignFile

# A run cannot hold later moments.
LATEST_NS = (4 << 60) - 1
# Before this (September 2001) a moment counts from something else than 1970.
FIRST_UTC_NS = 10**18
NO_TIME_OF_DAY = "Times are no times of day: they count from some moment that the trace does not tell."
_DIGITS, _MOST_DIGITS = 3, 18
_NO_NUMBER = re.compile(rb'"\s*:\s*-?(?:inf(?:inity)?|nan)(?=\s*[,}\]])', re.IGNORECASE)
_STREAM = re.compile(r"stream (\d+)", re.IGNORECASE)
_BROKEN = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
# Text that names a thread gets a number from here on.
_FIRST_OWN = 1 << 32
_MOST_PIDS = 1 << 31

Scalar = int | float | str | bool | None
Whole = NDArray[np.int64]
Decoded = TypeVar("Decoded")


class Event(msgspec.Struct, gc=False):
    """What every event may have."""

    ph: str = ""
    cat: Scalar = None
    name: Scalar = None
    pid: Scalar = None
    tid: Scalar = None
    ts: msgspec.Raw = msgspec.Raw()
    dur: msgspec.Raw = msgspec.Raw()


def decoded(file: ForeignFile, decoder: msgspec.json.Decoder[Decoded]) -> Decoded:
    """Return what a file of JSON holds.

    Raises:
        UnreadableFileError: It is no JSON, is cut off, or holds something else.
    """
    content = file.read()
    try:
        return decoder.decode(content)
    except _BROKEN as error:
        problem: Exception = error
    for mended in _mended(content):
        try:
            return decoder.decode(mended)
        except msgspec.ValidationError as error:
            problem = error
        except _BROKEN:
            pass
    raise UnreadableFileError(_sentence(file.name, problem)) from problem


def _mended(content: bytes) -> Iterator[bytes]:
    numbers, count = _NO_NUMBER.subn(b'": null', content)
    if count:
        yield numbers
    if content.lstrip()[:1] == b"[":
        yield numbers.rstrip().rstrip(b",") + b"]"


def _sentence(name: str, problem: Exception) -> str:
    text = str(problem).replace("`", "'").replace("\n", " ").rstrip(".")
    if isinstance(problem, msgspec.ValidationError):
        return f"{name} is no trace of events: {text}."
    if "truncated" in text:
        return f"{name} is cut off: its JSON does not end, as when a program is killed while it writes."
    return f"{name} is no JSON: {text}."


def times_of(name: str, events: Sequence[Event], field: str) -> Whole:
    """Return ``ts`` or ``dur`` of events, in nanoseconds.

    Raises:
        UnreadableFileError: One has none, or one that cannot be; the sentence names file, event and field.
    """
    value = attrgetter(field)
    try:
        found = np.array([nanoseconds(value(event)) for event in events], np.int64)
    except (ValueError, OverflowError):
        found = np.full(1, -1, np.int64)
    if len(found) and not (found.min() >= 0 and found.max() <= LATEST_NS):
        raise _no_time(name, next(event for event in events if not _is_time(value(event))), field)
    return found


def nanoseconds(raw: msgspec.Raw) -> int:
    """Return microseconds, as JSON has them, in nanoseconds.

    Raises:
        ValueError: It is no number.

    Examples:
        >>> nanoseconds(msgspec.Raw(b"1712195495519689.047")), nanoseconds(msgspec.Raw(b"25"))
        (1712195495519689047, 25000)
    """
    text = bytes(raw)
    whole, _, fraction = text.partition(b".")
    if len(fraction) > _DIGITS or whole[:1] == b"-":
        return _by_decimal(text)
    try:
        return int(whole) * 1000 + int(fraction.ljust(_DIGITS, b"0"))
    except ValueError:
        return _by_decimal(text)


def _by_decimal(text: bytes) -> int:
    try:
        value = Decimal(text.decode().strip('"'))
    except (InvalidOperation, UnicodeDecodeError) as error:
        raise ValueError(f"no number: {text!r}") from error
    if not value.is_finite() or value.adjusted() > _MOST_DIGITS:
        raise ValueError(f"no moment: {text!r}")
    return round(value * 1000)


def _is_time(raw: msgspec.Raw) -> bool:
    try:
        return 0 <= nanoseconds(raw) <= LATEST_NS
    except ValueError:
        return False


def _no_time(name: str, event: Event, field: str) -> UnreadableFileError:
    text = bytes(getattr(event, field)).decode("utf-8", "replace").replace("\n", " ")[:40]
    has = f"the {field} {text}, which cannot be" if text else f"no {field}"
    called = str(event.name)[:80].replace("\n", " ")
    return UnreadableFileError(f"{name} cannot be read: its event '{called}' has {has}.")


def whole(value: Scalar) -> int | None:
    """Return a number that stands as one, as a float or as text; nothing if it is none, or too large.

    Examples:
        >>> whole(7), whole("25738"), whole(3.0), whole("stream 7"), whole(None)
        (7, 25738, 3, None, None)
    """
    if isinstance(value, str):
        value = int(value) if value.isdecimal() and len(value) < 20 else None
    if value is None or isinstance(value, bool) or not abs(value) <= LATEST_NS:
        return None
    return int(value)


def label(value: Scalar) -> Scalar:
    """Return a pid or a thread so that the same one is always equal: as a number if it can be one."""
    number = whole(value)
    return value if number is None else number


def pid_of(value: Scalar) -> int | None:
    """Return a pid as an operating system could have given it; traces hold other things in its place."""
    number = whole(value)
    return number if number is not None and 0 <= number < _MOST_PIDS else None


class Lanes:
    """Numbers for threads and streams: ``7``, ``"7"`` and ``"stream 7"`` are 7, other names get their own."""

    def __init__(self) -> None:
        """Start with none."""
        self._known: dict[Scalar, int] = {}

    def number(self, label: Scalar) -> int:
        """Return the number of a thread or stream, the same each time."""
        found = self._known.get(label)
        if found is None:
            found = self._known[label] = self._new(label)
        return found

    def _new(self, label: Scalar) -> int:
        number = whole(label)
        if number is not None:
            return number
        stream = _STREAM.fullmatch(label) if isinstance(label, str) else None
        return int(stream[1][:18]) if stream else _FIRST_OWN + len(self._known)
