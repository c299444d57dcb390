"""What every note is: one line of JSON that says in ``about`` what it tells of; and the numbers in them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

# A moment on a host's monotonic clock, and an offset of it to UTC. Beyond these, sums could overflow.
Moment = Annotated[int, Meta(ge=0, le=1 << 60)]
Offset = Annotated[int, Meta(ge=-(1 << 61), le=1 << 62)]
Number = Annotated[int, Meta(ge=0, lt=1 << 32)]
Count = Annotated[int, Meta(ge=0, le=1 << 60)]
Name = Annotated[str, Meta(max_length=65536)]


class Note(Struct, tag_field="about", tag=str.lower, frozen=True):
    """The base of all notes; its kind is the class's name in small letters."""
