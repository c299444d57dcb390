"""How much of a thread's loop is looked at: the less of it need be, the less is.

All events of it; or, of steps of training that go alike, only fetches and ends (light); or, of steps too
short for more, only that they ended (quiet); or, of short inference over a loader, only fetches (skips).
"""

from __future__ import annotations

from longpole.record.client.phases import current, lane
from longpole.record.hooks.budget import LONGEST_WAIT_NS
from longpole.record.hooks.events import CLOSELY, tell_listeners
from longpole.record.hooks.noting import INFERENCE, TRAINING, Notebook
from longpole.record.hooks.steps import Steps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.client.ring import Ring
    from longpole.record.hooks.noting import Parts, Times

# How long events may wait at first; then twice as long, and so on, until it is known how a loop goes. Two
# steps are enough where it is known how long they take.
FIRST_WAIT_NS = 5_000_000
_FIRST_STEPS = 2


class Looking(Steps):
    """Steps that are noted as they end, and what of the next ones is to be looked at.

    Attributes:
        due_ns: When events must be looked at.
        plain: Whether all parts of steps are looked at and nobody leads the loop.
        skips: Whether this is a loop of inference so short that only its fetches are looked at.
        model: What was called last.
        epoch: The epoch that fetches belong to, if any.
        parent: The phase that steps outside epochs belong to; -1 for the one they run in.
        notebook: Where steps that have ended are noted.
        led: Whether a framework says which epochs there are; loops over data loaders are none then.
    """

    led = False

    __slots__ = (
        "_kinds",
        "_latest",
        "_mixed",
        "_patience_ns",
        "_pending",
        "_steady",
        "due_ns",
        "epoch",
        "model",
        "notebook",
        "parent",
        "plain",
        "skips",
    )

    def __init__(self, ring: Ring) -> None:
        """Begin with no step under way, and look at all of the first."""
        super().__init__()
        self.notebook = Notebook(ring, lane())
        self.due_ns, self._patience_ns = 0, FIRST_WAIT_NS
        self.plain = not self.led
        self.skips = self._steady = self._mixed = self._pending = False
        self._latest = TRAINING
        self._kinds: set[int] = set()
        self.model = "model"
        self.epoch: Any = None
        self.parent = -1

    def look_in_full(self, now: int) -> None:
        """Look at the whole of each step, until it is known how they go: a loop begins or ends."""
        typical_ns = self.notebook.typical_ns(self._latest) or FIRST_WAIT_NS
        self.due_ns = min(self.due_ns, now + min(FIRST_WAIT_NS, _FIRST_STEPS * typical_ns))
        self._pending = False
        if self.skips:
            self.skips = False
            tell_listeners()
        self.look_at_all()

    def look_at_all(self) -> None:
        """Look at the whole of each step of training, until it is known that they go alike."""
        self._steady, self._patience_ns = False, FIRST_WAIT_NS
        if self.light:
            self.light, self.quiet = False, self.notebook.quiet
            self._partial |= bool(self._start)  # of the step under way some parts went unseen
            tell_listeners()
        self.plain = not (self.led or self.quiet or self.skips)

    def _write(self) -> None:
        before = self.quiet, self.skips, self.light
        self.notebook.write()
        self.skips = self._infers_shortly()
        apart = self.skips or self.led or self._mixed or CLOSELY
        self.light = self._steady and self.notebook.light and not apart
        self.quiet = self.notebook.quiet and not (self.light or CLOSELY)
        self.plain = not (self.quiet or self.skips or self.light or self.led)
        self._kinds.clear()
        less = (self.light or self.quiet) and not (before[0] or before[2])
        if less and self._gradients:
            self._calls = 0  # what a model was called for is not looked at any more
        if before != (self.quiet, self.skips, self.light):
            self._partial = True  # of the step now under way some parts go unseen
            tell_listeners()
        if self._stepped_at:
            self.notebook.owe()

    def _infers_shortly(self) -> bool:
        """Return whether this is a loop over a loader of nothing but inference that is only counted."""
        if self.led or self.epoch is None or self._trained or self._stepped_at or CLOSELY:
            return False
        nothing_else = self._kinds == {INFERENCE} if self._kinds else self.skips
        return nothing_else and self.notebook.counts_inference

    def _count_fetches(self, times: list[int]) -> None:
        """Count steps of inference: each fetch has ended one and begun the next."""
        if self._calls or self._stepped_at:  # from before, when more was looked at
            self._close(times[0])
        elif self._start and (self._fetched_by or self._fetch_at):
            times = [self._start, *times]
        if len(times) > 1:
            self._count_inference(times)
        self._clear(times[-1])
        self._fetched_by = self.began_by
        self._pending = self._partial = True

    def _count_inference(self, times: list[int]) -> None:
        """Count steps of inference from each of these times to the next, all at once."""
        self.notebook.count_inference(self.model, times)
        self._count(INFERENCE, len(times) - 1, times[-1])

    def leave_loop(self) -> None:
        """Count the step under way where a loop was left in which only fetches were looked at."""
        if self._pending and self._start and not self._calls:
            self._count_inference([self._start, self._start + self.notebook.typical_ns(INFERENCE)])
            self._clear(0)
        self._pending = False

    def _put(self, kind: int, start: int, end: int, parts: Parts | Times) -> None:
        self.notebook.put(kind, (start, end, parts, self._parent(), self.model))
        self._count(kind, 1, end)
        if self.led:
            self.notebook.owe(kind)
            if end > self.due_ns or self.notebook.full:
                self.due_ns = end + LONGEST_WAIT_NS
                self._write()

    def _parent(self) -> int:
        """Return the phase that a step now belongs to."""
        if self.epoch is not None:
            return int(self.epoch.identity)
        return self.parent if self.parent >= 0 else current()

    def _count(self, kind: int, steps: int, end: int) -> None:
        self._latest = kind
        self._kinds.add(kind)
        if self.epoch is not None:
            self.epoch.counts[kind] += steps
            self.epoch.last_ns = end
