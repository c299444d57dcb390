"""JSON on standard output: one value, indented, its keys in the order they were declared in."""

from __future__ import annotations

import sys

import msgspec


def write_json(value: object) -> None:
    """Write a value made of dataclasses, tuples, dicts and plain values."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")
