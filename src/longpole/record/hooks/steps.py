"""Steps of training and inference loops, put together from what frameworks do one after another.

A step of training is what belongs to one step of an optimizer: the wait for data, forward (from the first
call of a model to the begin of the backward pass, so with the loss), backward, and the optimizer; optimizers
that step together, with no backward pass in between, make one step. Over a data loader a step lasts from one
fetch to the next, else from the end of one step to the end of the next. A fetch after which a model is
called, but nothing is trained, begins a step of inference; a call of a model without gradients outside such
loops is one by itself. A fetch after which nothing of the kind happens is a batch.

Between two steps the processor's caches have forgotten us, and every line of code costs ten times what it
does in a tight loop. So an event does next to nothing, and steps that have ended are written several at once.
"""

from __future__ import annotations

import os
from _thread import get_ident

from longpole.record.client.phases import current, lane, this_ring
from longpole.record.hooks.ends import at_end
from longpole.record.hooks.noting import BATCH, INFERENCE, TRAINING, Notebook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.client.ring import Ring

DATA, FORWARD, BACKWARD, OPTIMIZER, CHECKPOINT = range(5)
# Calls of a model without a backward pass, after which they are taken for inference.
_MANY_CALLS = 64
# How many steps, and for how long, may wait to be written.
_MOST_WAITING = 16
_LONGEST_WAIT_NS = 50_000_000


class Loop:
    """The loop of one thread: what has happened since its present step began.

    Attributes:
        inside: Whether a model is being called.
        quiet: Whether steps are so short that their parts are not looked at now.
        model: What was called last.
        epoch: The epoch that fetches belong to, if any.
        parent: The phase that steps outside epochs belong to; -1 for the one they run in.
        led: Whether a framework says which epochs there are; loops over data loaders are none then.
    """

    led = False

    __slots__ = (
        "_backward_at",
        "_calls",
        "_closures",
        "_fetch_at",
        "_fetched_by",
        "_forward_end",
        "_forward_from",
        "_nested_ns",
        "_notebook",
        "_optimizer_at",
        "_optimizers",
        "_partial",
        "_parts",
        "_start",
        "_stepped_at",
        "_trained",
        "_written_ns",
        "epoch",
        "inside",
        "model",
        "parent",
        "quiet",
    )

    def __init__(self, ring: Ring) -> None:
        """Begin with no step under way."""
        self._notebook = Notebook(ring, lane())
        self._written_ns = 0
        self.inside = self.quiet = self._partial = False
        self.model = "model"
        self.epoch: Any = None
        self.parent = -1
        self._clear(0)

    def _clear(self, start: int) -> None:
        self._start = start
        self._fetch_at = self._fetched_by = self._forward_from = self._forward_end = 0
        self._backward_at = self._optimizer_at = self._nested_ns = self._stepped_at = self._calls = 0
        self._closures = 0
        self._trained = False
        self._parts: list[tuple[int, int, int]] = []
        self._optimizers: list[int] = []

    def begin_loop(self, now: int) -> None:
        """A loop over a loader begins: a step that is only counted lasts from here."""
        if self.quiet and not self._start:
            self._start = now

    def begin_fetch(self, source: int, now: int) -> None:
        """A loop asks its loader, which ``source`` tells from others, for the next batch."""
        if self._start and self._ends_before_fetch(source):
            self._close(now)
        if not self._start:
            self._start = now
        self._fetch_at = now

    def _ends_before_fetch(self, source: int) -> bool:
        if self._stepped_at:
            return True
        if self._trained or not self._fetched_by:
            return False  # gradients are being accumulated, or what went before belongs to this
        return self._fetched_by == source or bool(self._forward_from)

    def end_fetch(self, source: int, now: int) -> None:
        """The batch is there."""
        self._fetched_by = source
        self._parts.append((DATA, self._fetch_at, now))

    def end_loop(self) -> None:
        """There was no further batch."""
        if self._stepped_at:
            self._close(self._stepped_at)
        elif self.quiet or not (self._parts or self._forward_from):
            self._clear(0)

    def begin_call(self, now: int, *, training: bool) -> None:
        """A model is called, in the mode for training or not."""
        self.inside = True
        if self._stepped_at:
            self._close(self._stepped_at, self._stepped_at if training else 0)
        elif self._was_inference(training):
            self._close(self._forward_end)
        if not self._start:
            self._start = now
        if not self._forward_from:
            self._forward_from = now
        self._calls += 1

    def _was_inference(self, training: bool) -> bool:  # noqa: FBT001
        """Return whether the last call, outside any loop, was made for its result alone."""
        if not self._forward_from or self._fetched_by or self._trained:
            return False
        return not training or self._calls >= _MANY_CALLS

    def end_call(self, now: int, *, gradients: bool) -> None:
        """The call has returned; without gradients and outside a loop it was a step of inference."""
        self.inside = False
        self._forward_end = now
        if not gradients and not self._fetched_by and not self._trained and self._calls == 1:
            self._close(now)

    def idle(self) -> bool:
        """Return whether no step is under way: a call may then be judged when it has returned."""
        return not self._start and not self.led

    def end_lone_call(self, start: int, now: int, *, training: bool, gradients: bool) -> None:
        """A call that was made while there was no step has returned; in one go, as short ones are many."""
        if gradients:
            self.begin_call(start, training=training)
            self.end_call(now, gradients=True)
        else:
            self.inside = False
            self._put(INFERENCE, start, now, [(FORWARD, start, now)])

    def begin_backward(self, now: int) -> None:
        """A backward pass begins: forward and loss are done."""
        if self._stepped_at:
            self._close(self._stepped_at, self._stepped_at)
        if not self._start:
            self._start = now
        if self._forward_from:
            self._end_forward(now)
        self._trained = True
        self._backward_at = now

    def end_backward(self, now: int) -> None:
        """The gradients are there."""
        self._parts.append((BACKWARD, self._backward_at, now))
        if self._optimizer_at:
            self._end_closure(now)

    def _end_closure(self, now: int) -> None:
        """Leave out of an optimizer's time what it calls: a closure, the first time before all else."""
        self._closures += 1
        if self._closures == 1:
            self._optimizer_at, self._nested_ns = now, 0
        else:
            self._nested_ns += now - self._backward_at

    def begin_optimizer(self, optimizer: int, now: int) -> None:
        """An optimizer, told from others by a number, begins its step."""
        if self._stepped_at and optimizer in self._optimizers:
            self._close(self._stepped_at, self._stepped_at)
        if not self._start:
            self._start = now
        if self._forward_from:
            self._end_forward(self._forward_end)
        self._optimizers.append(optimizer)
        self._optimizer_at = now
        self._nested_ns = self._closures = 0

    def end_optimizer(self, now: int) -> None:
        """The optimizer has stepped. What was done inside (a closure) is no part of its time."""
        if self._optimizer_at:
            if not self.quiet:
                self._parts.append((OPTIMIZER, self._optimizer_at + self._nested_ns, now))
            self._optimizer_at = 0
        self._trained = True
        self._stepped_at = now

    def add_checkpoint(self, start: int, end: int) -> None:
        """Something was saved or loaded; within a step it is a part of it."""
        if self._start:
            self._parts.append((CHECKPOINT, start, end))

    def finish(self) -> None:
        """Close what is complete, and write it: the process or its recording ends."""
        if self._stepped_at:
            self._close(self._stepped_at)
        elif self._forward_from and self._forward_end and not self._trained:
            self._close(self._forward_end)
        self._notebook.write()

    def _end_forward(self, now: int) -> None:
        self._parts.append((FORWARD, self._forward_from, now))
        self._nested_ns += now - self._forward_from
        self._forward_from = 0

    def _close(self, end: int, next_start: int = 0) -> None:
        """Put the step that has ended aside, and begin the next."""
        kind = TRAINING if self._stepped_at else INFERENCE if self._calls else BATCH
        if self._forward_from:
            self._end_forward(max(self._forward_end, self._forward_from))
        start, parts = self._start, [] if self._partial else self._parts
        self._partial = False
        self._clear(next_start)
        self._put(kind, start, end, parts)

    def _put(self, kind: int, start: int, end: int, parts: list[tuple[int, int, int]]) -> None:
        epoch = self.epoch
        if epoch is None:
            parent = self.parent if self.parent >= 0 else current()
        else:
            parent = epoch.identity
            epoch.counts[kind] += 1
        waiting = self._notebook.put(kind, (start, end, parts, parent, self.model))
        if waiting >= _MOST_WAITING or end - self._written_ns > _LONGEST_WAIT_NS:
            self._written_ns = end
            was_quiet, self.quiet = self.quiet, self._notebook.write()
            self._partial = was_quiet != self.quiet  # of the step now under way some parts went unseen


class Loops:
    """The loops of all threads of this process."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known: dict[int, Loop] = {}

    def here(self) -> Loop | None:
        """Return the loop of this thread; None where nothing is recorded."""
        loop = self.known.get(get_ident())
        if loop is None:
            ring = this_ring()
            if ring is None:
                return None
            if not self.known:
                at_end(self.finish)
            loop = self.known[get_ident()] = Loop(ring)
        return loop

    def led(self) -> bool:
        """Return whether a framework leads the loop of this thread."""
        loop = self.known.get(get_ident())
        return loop is not None and loop.led

    def finish(self) -> None:
        """Close what is complete."""
        for loop in list(self.known.values()):
            loop.finish()
        self.known.clear()


LOOPS = Loops()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOOPS.known.clear)
