"""Steps of training and inference loops, put together from what frameworks do one after another.

A step of training is what belongs to one step of an optimizer: the wait for data, forward (from the first call
of a model to the begin of the backward pass, so with the loss), backward, and the optimizer; optimizers that step
together, with no backward pass in between, make one step. Over a data loader a step lasts from one fetch to the
next, else from the end of one step to the end of the next. A fetch after which a model is called, but nothing
is trained, begins a step of inference; a call of a model without gradients outside such loops is one by
itself. A fetch after which nothing of the kind happens is a batch.

A step whose parts came once each is one slot. One with more of them (gradients that are accumulated, several
models) is a phase with a phase for each part.
"""

from __future__ import annotations

import os
from _thread import get_ident

from longpole.log.slots import OK, PHASE, PHASE_LAYOUT, STEP, STEP_KINDS, STEP_LAYOUT, STEP_PARTS
from longpole.record.client.phases import current, lane, new_identity, this_ring
from longpole.record.hooks.budget import Budget
from longpole.record.hooks.ends import at_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.client.ring import Ring
    from longpole.record.client.tally import Tally

TRAINING, INFERENCE, BATCH = range(3)
DATA, FORWARD, BACKWARD, OPTIMIZER, CHECKPOINT = range(5)
_PART_KINDS = (*STEP_PARTS, "checkpoint")
_NONE = -1.0
# So many parts of one step are kept apart; more are only summed up.
_MOST_PARTS = 256
# Calls of a model without a backward pass, after which they are taken for inference.
_MANY_CALLS = 64


class Loop:
    """The loop of one thread: what has happened since its present step began."""

    __slots__ = (
        "_backward_at",
        "_backward_ns",
        "_calls",
        "_fetch_at",
        "_fetched_by",
        "_forward_end",
        "_forward_from",
        "_label_names",
        "_lane",
        "_optimizer_at",
        "_optimizer_nested_ns",
        "_optimizers",
        "_parts",
        "_ring",
        "_start",
        "_stepped_at",
        "_trained",
        "budget",
        "epoch",
        "inside",
        "model",
        "parent",
    )

    def __init__(self, ring: Ring) -> None:
        """Begin with no step under way."""
        self._ring = ring
        self._lane = lane()
        self.budget = Budget(ring)
        self.inside = False
        self.model = "model"
        # The epoch that fetches belong to, and what other steps are part of: -1 for the phase they run in.
        self.epoch: Any = None
        self.parent = -1
        self._label_names: dict[str, int] = {}
        self._optimizers: list[int] = []
        self._clear()

    def _clear(self) -> None:
        self._start = self._fetch_at = self._fetched_by = 0
        self._forward_from = self._forward_end = 0
        self._backward_at = self._backward_ns = 0
        self._optimizer_at = self._optimizer_nested_ns = 0
        self._stepped_at = self._calls = 0
        self._trained = False
        self._parts: list[tuple[int, int, int]] = []

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
        if not self._parts and not self._forward_from:
            self._clear()

    def begin_call(self, now: int, *, training: bool) -> None:
        """A model is called, in the mode for training or not."""
        self.inside = True
        if self._stepped_at:
            self._close(self._stepped_at, next_start=self._stepped_at if training else 0)
        elif (
            self._forward_from and not self._fetched_by and not self._trained and self._only_infers(training)
        ):
            self._close(self._forward_end)
        if not self._start:
            self._start = now
        if not self._forward_from:
            self._forward_from = now
        self._calls += 1

    def _only_infers(self, training: bool) -> bool:  # noqa: FBT001
        return not training or self._calls >= _MANY_CALLS

    def end_call(self, now: int, *, gradients: bool) -> None:
        """The call has returned; without gradients and outside a loop it was a step of inference."""
        self.inside = False
        self._forward_end = now
        if not gradients and not self._fetched_by and not self._trained and self._calls == 1:
            self._close(now)

    def begin_backward(self, now: int) -> None:
        """A backward pass begins: forward and loss are done."""
        if self._stepped_at:
            self._close(self._stepped_at, next_start=self._stepped_at)
        if not self._start:
            self._start = now
        self._end_forward(now)
        self._trained = True
        self._backward_at = now

    def end_backward(self, now: int) -> None:
        """The gradients are there."""
        self._parts.append((BACKWARD, self._backward_at, now))
        self._optimizer_nested_ns += now - self._backward_at

    def begin_optimizer(self, optimizer: int, now: int) -> None:
        """An optimizer, told from others by a number, begins its step."""
        if self._stepped_at and optimizer in self._optimizers:
            self._close(self._stepped_at, next_start=self._stepped_at)
        if not self._start:
            self._start = now
        self._end_forward(self._forward_end)
        self._optimizers.append(optimizer)
        self._optimizer_at = now
        self._optimizer_nested_ns = 0

    def end_optimizer(self, now: int) -> None:
        """The optimizer has stepped."""
        if self._optimizer_at:
            self._parts.append((OPTIMIZER, self._optimizer_at, now - self._optimizer_nested_ns))
            self._optimizer_at = 0
        self._trained = True
        self._stepped_at = now

    def add_checkpoint(self, start: int, end: int) -> None:
        """Something was saved or loaded; within a step it is a part of it."""
        if self._start:
            self._parts.append((CHECKPOINT, start, end))

    def finish(self) -> None:
        """Close what is complete: the process or its recording ends."""
        if self._stepped_at:
            self._close(self._stepped_at)
        elif self._forward_from and self._forward_end and not self._trained:
            self._close(self._forward_end)

    def _end_forward(self, now: int) -> None:
        if self._forward_from:
            self._parts.append((FORWARD, self._forward_from, now))
            self._optimizer_nested_ns += now - self._forward_from
            self._forward_from = 0

    def _close(self, end: int, next_start: int = 0) -> None:
        """Write the step that has ended, and begin the next."""
        kind = TRAINING if self._stepped_at else INFERENCE if self._calls else BATCH
        self._end_forward(max(self._forward_end, self._forward_from))
        start, parts = self._start, self._parts
        if self.budget.in_full(kind, end - start):
            self._write(kind, start, end, parts)
        else:
            self._count(kind, start, end, parts)
        if self.epoch is not None:
            self.epoch.counts[kind] += 1
        self._clear()
        self._optimizers.clear()
        self._start = next_start

    def _write(self, kind: int, start: int, end: int, parts: list[tuple[int, int, int]]) -> None:
        offsets = [end - start, _NONE, 0, _NONE, 0, _NONE, 0, _NONE]
        for part, begun, ended in parts:
            at = 2 * part + 1
            if part == CHECKPOINT or offsets[at] != _NONE or (part == DATA and begun != start):
                self._write_apart(kind, start, end, parts)
                return
            offsets[at] = ended - begun
            if part:
                offsets[at - 1] = begun - start
        label = self._label(kind)
        where = self._lane, new_identity(), self._parent()
        if not self._ring.slot(STEP_LAYOUT, STEP, OK, *where, start, *offsets, label):
            self._count(kind, start, end, parts)

    def _write_apart(self, kind: int, start: int, end: int, parts: list[tuple[int, int, int]]) -> None:
        """Write a step as a phase of its own, with one for each of its parts."""
        ring, step = self._ring, new_identity()
        name, text = self._label(kind) >> 8, ring.text(STEP_KINDS[kind])
        where = self._lane, step, self._parent()
        if not ring.slot(PHASE_LAYOUT, PHASE, OK, *where, name, text, 0, start, end, 0, 0, 0):
            self._count(kind, start, end, parts)
            return
        for part, begun, ended in parts[:_MOST_PARTS]:
            if part != CHECKPOINT:  # those are phases already
                text = ring.text(_PART_KINDS[part])
                whose = self._lane, new_identity(), step
                ring.slot(PHASE_LAYOUT, PHASE, OK, *whose, text, text, 0, begun, ended, 0, 0, 0)

    def _count(self, kind: int, start: int, end: int, parts: list[tuple[int, int, int]]) -> None:
        tally: Tally | None = self._ring.tally(self._name(kind), STEP_KINDS[kind])
        if tally is None:
            return
        tally.add(start, end)
        sums = [0, 0, 0, 0, 0]
        for part, begun, ended in parts:
            sums[part] += ended - begun
        tally.add_parts(tuple(sums))

    def _label(self, kind: int) -> int:
        name = self._name(kind)
        known = self._label_names.get(name)
        if known is None:
            known = self._label_names[name] = self._ring.text(name)
        return known << 8 | kind

    def _name(self, kind: int) -> str:
        return self.model if kind == INFERENCE else STEP_KINDS[kind]

    def _parent(self) -> int:
        if self.epoch is not None:
            return int(self.epoch.identity)
        return self.parent if self.parent >= 0 else current()


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

    def finish(self) -> None:
        """Close what is complete."""
        for loop in list(self.known.values()):
            loop.finish()
        self.known.clear()


LOOPS = Loops()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOOPS.known.clear)
