"""Short phases of which there are many: beyond the first of each name they are only counted, in a histogram.

A phase takes a few microseconds to write, which is too much for one that lasts a fraction of a millisecond.
"""

from __future__ import annotations

import os

from longpole.record.client.phases import new_identity, this_ring
from longpole.record.hooks.budget import DETAIL_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.hooks.placed import Placed

_SHORT_NS = 1_000_000
_IN_FULL = 100


class Shorts:
    """The short phases that one hook has met."""

    def __init__(self) -> None:
        """Begin with none."""
        self._met: dict[str, int] = {}
        self._all_in_full = os.environ.get(DETAIL_VARIABLE) == "high"

    def count(self, phase: Placed, name: str, kind: str) -> bool:
        """Count a phase that has stopped, if it is short, one of many, and nothing was begun in it.

        Returns:
            Whether it was counted, and is not to be written.
        """
        if phase.end_ns - phase.start_ns >= _SHORT_NS or self._all_in_full:
            return False
        met = self._met[name] = self._met.get(name, 0) + 1
        if met <= _IN_FULL or new_identity() != phase.identity + 1:
            return False
        ring = this_ring()
        tally = ring.tally(name, kind) if ring is not None else None
        if tally is None:
            return False
        tally.add(phase.start_ns, phase.end_ns)
        phase.forget()
        return True
