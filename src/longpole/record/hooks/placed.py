"""Phases that hooks begin and end: where they belong can be said, for work that is done in another thread.

The user's own phases go by the context they run in, which no new thread inherits. A phase that is entered
here is what phases of the same thread are parts of until it is stopped.
"""

from __future__ import annotations

from time import monotonic_ns

from longpole.log.slots import FAILED, OK, PHASE, PHASE_LAYOUT
from longpole.record.client.phases import _current, current, lane, new_identity, this_ring

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextvars import Token

    from longpole.record.client.ring import Ring


class Placed:
    """One phase that is under way."""

    __slots__ = ("_lane", "_names", "_place", "_ring", "_token", "end_ns", "identity", "parent", "start_ns")

    def __init__(self, ring: Ring, names: tuple[str, str], parent: int) -> None:
        """Begin; ``names`` are those of the phase and of its kind."""
        self._ring = ring
        self._names = ring.text(names[0]), ring.text(names[1])
        self._lane = lane()
        self._place = -1
        self._token: Token[int] | None = None
        self.identity = new_identity()
        self.parent = parent
        self.end_ns = 0
        self.start_ns = monotonic_ns()

    def enter(self) -> Placed:
        """Hold the phases that this thread begins from now on, and be seen if the process is killed."""
        self._token = _current.set(self.identity)
        self._place = self._ring.open_phase(
            self._lane, self.identity, self.parent, *self._names, self.start_ns
        )
        return self

    def rename(self, name: str) -> None:
        """Give it another name, as long as it is not entered."""
        self._names = self._ring.text(name), self._names[1]

    def stop(self) -> None:
        """End it without writing it yet."""
        self.end_ns = self.end_ns or monotonic_ns()
        token, self._token = self._token, None
        if token is not None:
            try:
                _current.reset(token)
            except (ValueError, RuntimeError):
                pass  # stopped in another thread than it was entered in

    def write(self, attributes: str = "", *, failed: bool = False) -> None:
        """Write it, with attributes as JSON; one that was begun before a fork is left to the parent."""
        self.stop()
        ring = self._ring
        if ring is not this_ring():
            return
        status = FAILED if failed else OK
        whose = self._lane, self.identity, self.parent
        what = *self._names, ring.once(attributes) if attributes else 0
        ring.slot(PHASE_LAYOUT, PHASE, status, *whose, *what, self.start_ns, self.end_ns, 0, 0, 0)
        self.forget()

    def forget(self) -> None:
        """Let it be: it has been written, or counted."""
        self.stop()
        place, self._place = self._place, -1
        if self._ring is this_ring():
            self._ring.close_phase(place)


def place(name: str, kind: str, parent: int = -1) -> Placed | None:
    """Begin a phase as a part of another, -1 for the one this code runs in; None if nothing is recorded."""
    ring = this_ring()
    return None if ring is None else Placed(ring, (name, kind), current() if parent < 0 else parent)
