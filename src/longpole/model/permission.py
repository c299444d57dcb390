"""What a machine permits a recorder to see: one answer of ``longpole doctor``, as data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Permission:
    """One source of knowledge, and whether this user has it on this machine.

    Attributes:
        name: What it is called.
        permitted: Whether it can be used here and now.
        found: What the probe met, in a few words.
        adds: What a run gains by it.
        remedy: What to do to get it; empty if it is there, or if nothing can be done.
    """

    name: str
    permitted: bool
    found: str
    adds: str
    remedy: str = ""
