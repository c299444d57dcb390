"""What a task needs when it is tried again: more memory, if it ran out of that."""

from __future__ import annotations

from dataclasses import replace

from longpole.model.workflow import Resources
from longpole.units import Bytes


def with_more_memory(needs: Resources, factor: float, most: Bytes | None) -> Resources:
    """Return needs whose memory has grown by a factor, but not beyond what the machine has.

    Examples:
        >>> with_more_memory(Resources(memory_bytes=300), 2.0, 500).memory_bytes
        500
        >>> with_more_memory(Resources(), 2.0, 500).memory_bytes is None
        True
    """
    if needs.memory_bytes is None:
        return needs
    wanted = max(needs.memory_bytes, int(needs.memory_bytes * factor))
    return replace(needs, memory_bytes=wanted if most is None else max(needs.memory_bytes, min(wanted, most)))
