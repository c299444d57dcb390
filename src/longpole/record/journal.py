"""What the agent writes: samples as slots, facts as notes, within the bound on disk use."""

from __future__ import annotations

from longpole.log.slots import SLOT_BYTES
from longpole.record.json_text import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.log.files import LogWriter

# The source that stands for the agent itself; rings are numbered from 1. Sums have a share of their own.
AGENT = 0
_SUMS = -1


class Journal:
    """Collects records and hands them to the log in batches."""

    def __init__(self, log: LogWriter, limit_bytes: int) -> None:
        """Keep each source, the agent among them, below ``limit_bytes``."""
        self._log = log
        self.limit_bytes = limit_bytes
        self._used: dict[int, int] = {AGENT: 0, _SUMS: 0}
        self._slots = bytearray()
        self._notes: list[bytes] = []
        self.notes_left_out = 0

    @property
    def stretch(self) -> int:
        """How many times longer than asked for sample intervals must now be.

        It doubles whenever half of what was left of the bound is used up, so the bound is never reached.
        """
        return self._stretch(AGENT)

    @property
    def sums_stretch(self) -> int:
        """How many times longer than otherwise sums must now wait to be noted."""
        return self._stretch(_SUMS)

    def _stretch(self, share: int) -> int:
        left = max(self.limit_bytes - self._used[share], 1)
        return 1 << max(0, (self.limit_bytes // left).bit_length() - 1)

    def slot(self, slot: bytes) -> None:
        """Take one slot of the agent's own."""
        self._slots += slot
        self._used[AGENT] += SLOT_BYTES

    def note(self, about: str, **facts: Any) -> None:
        """Take one fact; ``about`` names its kind."""
        line = json_text({"about": about, **facts}).encode()
        if self._used[AGENT] + len(line) > self.limit_bytes and about in ("process", "opened"):
            self.notes_left_out += 1
            return
        self._used[_SUMS if about == "sum" else AGENT] += len(line)
        self._notes.append(line)

    def room(self, source: int) -> bool:
        """Return whether a ring may still be kept record by record."""
        return self._used.get(source, 0) < self.limit_bytes

    def ring_slots(self, source: int, slots: bytes) -> None:
        """Take slots of a ring as they are."""
        self._used[source] = self._used.get(source, 0) + len(slots)
        self._log.slots(source, slots)

    def flush(self) -> None:
        """Write what has come together; never raises for a full or vanished disk."""
        slots, self._slots = self._slots, bytearray()
        notes, self._notes = self._notes, []
        self._log.notes(notes)
        self._log.slots(AGENT, slots)
        self._log.flush()
