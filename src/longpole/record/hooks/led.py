"""Loops that a framework leads: it says when a run, an epoch or a validation begins and ends.

Such a phase has a loop of its own, above the one that was there before in its thread, so that what happens in
a validation never ends up in a step of training. Loops over data loaders within it are no epochs themselves.
A framework that also says where its steps begin and end has an ``AnnouncedLoop``: what is seen within a step
(PyTorch below Keras) is a part of that step, and what is seen between steps is nothing.
"""

from __future__ import annotations

from _thread import get_ident
from time import monotonic_ns

from longpole.record.client.phases import Phase, current, this_ring
from longpole.record.hooks.events import tell_listeners
from longpole.record.hooks.loop import Loop
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.noting import TRAINING
from longpole.record.hooks.steps import DATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.client.ring import Ring

_FRAMEWORK = 1  # stands for the loader where a framework fetches


class LedLoop(Loop):
    """The loop within a phase of a framework; ``counts`` are the steps in it, by kind."""

    __slots__ = ("_phase", "_quiet", "_under", "counts", "identity", "kind", "last_ns", "purpose")

    led = True

    def __init__(self, ring: Ring, under: Loop, phase: Phase | None) -> None:
        """Begin, above the loop that was there before, in a phase that has begun, if there is one."""
        self._quiet = False
        self.kind = TRAINING
        self.purpose = phase.kind if phase else ""
        super().__init__(ring)
        self.quiet = under.quiet
        self.notebook = under.notebook
        self._under = under
        self._phase = phase
        self.identity = current()
        self.counts = [0, 0, 0]
        self.last_ns = 0

    @classmethod
    def enter(cls, phase: Phase | None = None) -> Any:
        """Begin a phase of a framework in this thread; return its loop, or None where nothing is recorded."""
        ring, under = this_ring(), LOOPS.settled()
        if ring is None or under is None:
            return None
        if isinstance(under, LedLoop):
            under.cut(monotonic_ns())
        if phase is not None:
            phase.__enter__()
        loop = LOOPS.known[get_ident()] = cls(ring, under, phase)
        loop.begin_loop(monotonic_ns())
        tell_listeners()
        return loop

    @property
    def epoch(self) -> Any:
        """What steps belong to: the phase, whatever loader is looped over."""
        return self

    @epoch.setter
    def epoch(self, _: Any) -> None:
        pass

    @property
    def quiet(self) -> bool:
        """Whether steps are so short that their parts are not looked at; only training is ever quiet."""
        return self._quiet and self.kind == TRAINING

    @quiet.setter
    def quiet(self, value: bool) -> None:
        self._quiet = value

    def step_done(self, optimizer: int, now: int) -> None:
        """An optimizer has stepped: nothing is owed for that, as events never wait here."""

    def cut(self, now: int) -> None:
        """End a step that is complete: something other than the next one follows."""
        if self._stepped_at or (self._forward_end and not self._trained):
            self._close(now)

    def finish(self) -> None:
        """Close what is complete, here and below."""
        self.cut(monotonic_ns())
        self._under.finish()

    def leave(self, error: BaseException | None = None) -> None:
        """End the phase, and those above it that were never ended, as an exception went through them."""
        ident = get_ident()
        top = LOOPS.known.get(ident)
        while isinstance(top, LedLoop) and top is not self:
            top.leave(error)
            top = LOOPS.known.get(ident)
        if top is self:
            if error is None or self._stepped_at:  # else what was under way is no step
                self.cut(monotonic_ns())
            self._under.quiet = self._under.led and self._quiet
            LOOPS.known[ident] = self._under
            tell_listeners()
        if self._phase is not None:
            if self.purpose == "epoch":
                self._phase.note(steps=self.counts[TRAINING])
            self._phase.__exit__(type(error) if error else None, error, None)


class AnnouncedLoop(LedLoop):
    """A loop whose steps are announced, one or several at a time."""

    __slots__ = ("_batches", "_steps", "_waited_ns", "executed")

    def __init__(self, ring: Ring, under: Loop, phase: Phase | None) -> None:
        """Begin with no step under way; ``executed`` is how many the framework announces together."""
        super().__init__(ring, under, phase)
        self.executed = 1
        self.begin_wait(0)

    def begin_wait(self, now: int) -> None:
        """The framework begins to wait for a batch."""
        self._clear(now)
        self._wait()

    def _wait(self) -> None:
        self._steps = self._batches = self._waited_ns = 0
        self._fetched_by = _FRAMEWORK  # with a batch under way, nothing that is seen ends a step
        self.inside = True  # and between steps no call of a model is looked at

    def begin_step(self, now: int, steps: int = 1) -> None:
        """The batch for so many steps is there, or will be fetched now."""
        start = self._start or now
        if self._parts or not self._start:
            self.begin_wait(start)
        self._steps, self._waited_ns = steps, now - start
        self.inside = False

    def end_step(self, now: int) -> None:
        """Steps have ended, those announced together after equal times; the wait for the next begins."""
        start, took, steps = self._start, now - self._start, self._steps
        if steps > 1 and self._batches:
            steps = self._batches
        waited_ns = 0 if self.quiet or not steps else self._waited_ns // steps
        for at in range(1, steps + 1):
            if waited_ns:
                self._parts.insert(0, (DATA, self._start, self._start + waited_ns))
            self._end_one(start + took * at // steps)
        self._wait()

    def _end_one(self, end: int) -> None:
        if self.kind == TRAINING:
            self._stepped_at = end
        else:
            self._calls = 1
        self._close(end, end)

    def begin_fetch(self, source: int, now: int) -> None:
        """A batch is fetched: within a step, that is a wait."""
        if self._steps and not self._fetch_at:
            self._fetch_at, self._fetched_by = now, source

    def end_fetch(self, source: int, now: int) -> None:
        """The batch is there; a loader within a loader has not been waited for twice."""
        if self._fetch_at and self._fetched_by == source:
            self._waited_ns += now - self._fetch_at
            self._batches += 1
            self._fetch_at = 0

    def end_loop(self) -> None:
        """There was no further batch."""
        self._fetch_at = 0

    def end_optimizer(self, now: int) -> None:
        """An optimizer has stepped, which does not end the step here."""
        super().end_optimizer(now)
        self._stepped_at = 0

    def cut(self, now: int) -> None:
        """End nothing: whether a step is complete is announced."""
