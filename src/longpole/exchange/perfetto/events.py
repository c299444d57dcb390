"""Events: the begin of a slice with its attributes and arrows, its end, and the value of a counter."""

from __future__ import annotations

import json
from functools import lru_cache

from longpole.exchange.perfetto.bounds import NEVER, UINT64
from longpole.exchange.perfetto.packets import event_packet
from longpole.exchange.perfetto.protobuf import delimited, double, fixed, number, text
from longpole.exchange.perfetto.slices import Count, NestedSlice, Slice

# The field numbers of Perfetto's messages, and the types of its events.
_EVENT_NOTE, _EVENT_TYPE, _EVENT_TRACK, _EVENT_CATEGORY, _EVENT_NAME, _EVENT_VALUE = 4, 9, 11, 22, 23, 44
_EVENT_LEADS_TO, _EVENT_COMES_FROM = 47, 48
_NOTE_BOOL, _NOTE_INT, _NOTE_DOUBLE, _NOTE_STRING, _NOTE_NAME = 2, 4, 5, 6, 10
_BEGIN, _END, _COUNT = 1, 2, 4

_CACHED = 1 << 14


def begin_packet(piece: Slice, uuid: int, arrows: bytes = b"") -> bytes:
    """Return the begin of a slice, on the track of its own or the row of it that has this uuid."""
    notes = _annotations(piece.attributes) if piece.attributes else b""
    return event_packet(piece.start_ns, _begin(uuid, piece.category, piece.name) + notes + arrows)


def nested_begin_packet(one: NestedSlice) -> bytes:
    """Return the begin of a slice, with its arrows."""
    out = [fixed(_EVENT_LEADS_TO, arrow) for arrow in one.leads_to]
    back = [fixed(_EVENT_COMES_FROM, arrow) for arrow in one.comes_from]
    return begin_packet(one.slice, one.slice.track, b"".join(out + back))


def end_packet(at: int, uuid: int) -> bytes:
    """Return the end of the slice that was opened last on a track."""
    return event_packet(at, _end(uuid))


def count_packet(one: Count) -> bytes:
    """Return the value of a counter."""
    return event_packet(one.at_ns, _count_head(one.track) + double(_EVENT_VALUE, one.value))


@lru_cache(_CACHED)
def _begin(uuid: int, category: str, name: str) -> bytes:
    head = number(_EVENT_TYPE, _BEGIN) + number(_EVENT_TRACK, uuid)
    return head + (text(_EVENT_CATEGORY, category) if category else b"") + text(_EVENT_NAME, name)


@lru_cache(_CACHED)
def _end(uuid: int) -> bytes:
    return number(_EVENT_TYPE, _END) + number(_EVENT_TRACK, uuid)


@lru_cache(_CACHED)
def _count_head(uuid: int) -> bytes:
    return number(_EVENT_TYPE, _COUNT) + number(_EVENT_TRACK, uuid)


def _annotations(attributes: str) -> bytes:
    """Return a debug annotation for each key; text that is no JSON object is kept whole, under one name."""
    try:
        values = json.loads(attributes)
    except (ValueError, RecursionError):
        values = attributes
    if not isinstance(values, dict):
        values = {"attributes": attributes}
    return b"".join([delimited(_EVENT_NOTE, _note_name(key) + _note(value)) for key, value in values.items()])


@lru_cache(_CACHED)
def _note_name(key: str) -> bytes:
    return text(_NOTE_NAME, key)


def _note(value: object) -> bytes:
    """Return a value with its type; what has none in SQL (null, lists, objects, huge numbers) as JSON."""
    match value:
        case bool():
            return number(_NOTE_BOOL, value)
        case int() if -NEVER <= value < NEVER:
            return number(_NOTE_INT, value % UINT64)
        case float():
            return double(_NOTE_DOUBLE, value)
        case str():
            return text(_NOTE_STRING, value)
    return text(_NOTE_STRING, json.dumps(value, ensure_ascii=False))
