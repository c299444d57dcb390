"""Protobuf: the few kinds of field that a trace needs, as bytes."""

from __future__ import annotations

import struct
from functools import cache

VARINT, FIXED64, LENGTH = 0, 1, 2


def text(field: int, value: str) -> bytes:
    """Return a field with a text; what is no Unicode is marked."""
    return delimited(field, value.encode(errors="replace"))


def double(field: int, value: float) -> bytes:
    """Return a field with a number of 64 bits that may be broken."""
    return tag(field, FIXED64) + struct.pack("<d", value)


def fixed(field: int, value: int) -> bytes:
    """Return a field with a whole number, always in 8 bytes."""
    return tag(field, FIXED64) + struct.pack("<Q", value)


def number(field: int, value: int) -> bytes:
    """Return a field with a whole number, in as few bytes as it needs."""
    return tag(field, VARINT) + varint(value)


def delimited(field: int, payload: bytes) -> bytes:
    """Return a field that holds bytes, or another message."""
    return tag(field, LENGTH) + varint(len(payload)) + payload


@cache
def tag(field: int, kind: int) -> bytes:
    """Return what stands before the value of a field."""
    return varint(field << 3 | kind)


def varint(value: int) -> bytes:
    """Return a number below 2**64 in sevens of bits, the lowest first."""
    if value < 1 << 7:
        return _ONE_BYTE[value]
    if value < 1 << 14:
        return _LOW[value & 127] + _ONE_BYTE[value >> 7]
    return _LOW[value & 127] + _LOW[value >> 7 & 127] + varint(value >> 14)


_ONE_BYTE = tuple(bytes([value]) for value in range(1 << 7))
_LOW = tuple(bytes([value | 1 << 7]) for value in range(1 << 7))
