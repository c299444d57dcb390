"""Phases of movements of files, put together from what was moved."""

from __future__ import annotations

from longpole.model.staging import Moved
from longpole.store.derive.workflow_notes import Part

# Ways that move nothing: their single files are not worth a phase each.
_STANDING = ("link", "hardlink")


def note_moved(parts: list[Part], part: Part, moved: Moved) -> None:
    """Add a phase of moving files, and each movement within it."""
    total = sum(each.moved_bytes for each in moved.transfers)
    files = sum(each.files for each in moved.transfers)
    at = len(parts)
    parts.append(Part(part.kind, part.start, part.end, bytes=total, count=files, name=part.name))
    if part.name in _STANDING:
        return
    for each in moved.transfers:
        times, amount = (each.start_ns, each.end_ns), each.moved_bytes
        parts.append(Part("transfer", *times, bytes=amount, count=each.files, name=each.what, within=at))
