"""Packets, of which a trace is a row: one describes a track, or is an event at a moment."""

from __future__ import annotations

from longpole.exchange.perfetto.protobuf import LENGTH, VARINT, delimited, number, tag, varint

_TRACE_PACKET = 1
_PACKET_TIMESTAMP, _PACKET_SEQUENCE, _PACKET_EVENT, _PACKET_TRACK = 8, 10, 11, 60
_TRACK_UUID = 1
_SEQUENCE = number(_PACKET_SEQUENCE, 1)
_PACKET = tag(_TRACE_PACKET, LENGTH)
_AT = tag(_PACKET_TIMESTAMP, VARINT)
_EVENT = tag(_PACKET_EVENT, LENGTH)


def event_packet(at: int, event: bytes) -> bytes:
    """Return an event as a packet."""
    # Written out, without the functions for fields: there are two of these to a slice.
    body = _AT + varint(at) + _EVENT + varint(len(event)) + event + _SEQUENCE
    return _PACKET + varint(len(body)) + body


def track_packet(uuid: int, descriptor: bytes) -> bytes:
    """Return what describes a track as a packet."""
    body = delimited(_PACKET_TRACK, number(_TRACK_UUID, uuid) + descriptor)
    return delimited(_TRACE_PACKET, body + _SEQUENCE)
