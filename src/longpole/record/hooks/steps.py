"""Steps of training and inference loops, put together from what frameworks do one after another.

A step of training is what belongs to one step of an optimizer: the wait for data, forward (from the first
call of a model to the begin of the backward pass, so with the loss), backward, and the optimizer; optimizers
that step together, with no backward pass in between, make one step. Over a data loader a step lasts from one
fetch to the next, else from the end of one step to the end of the next. A fetch after which a model is
called, but nothing is trained, begins a step of inference; a call of a model without gradients outside such
loops is one by itself. A fetch after which nothing of the kind happens is a batch.
"""

from __future__ import annotations

from longpole.record.hooks.noting import BATCH, INFERENCE, TRAINING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.record.hooks.noting import Parts, Times

DATA, FORWARD, BACKWARD, OPTIMIZER, CHECKPOINT = range(5)
# Calls of a model without a backward pass, after which they are taken for inference.
_MANY_CALLS = 64


class Steps:
    """What has happened since the present step began; ``_put`` takes each that has ended.

    Attributes:
        began_by: The loader, by its iterator, whose fetch began the step.
        inside: Whether a model is being called.
        light: Whether of steps of training, which go alike, only fetches and ends are looked at now, and
            calls without gradients.
        quiet: Whether steps are so short that their parts are not looked at now.
    """

    __slots__ = (
        "_backward_at",
        "_calls",
        "_closures",
        "_fetch_at",
        "_fetched_by",
        "_forward_end",
        "_forward_from",
        "_gradients",
        "_nested_ns",
        "_optimizer_at",
        "_optimizers",
        "_partial",
        "_parts",
        "_start",
        "_stepped_at",
        "_trained",
        "began_by",
        "inside",
        "light",
        "quiet",
    )

    def __init__(self) -> None:
        """Begin with no step under way."""
        self.inside = self.light = self.quiet = self._partial = False
        self.began_by = 0
        self._clear(0)

    def _put(self, kind: int, start: int, end: int, parts: Parts | Times) -> None:
        """Take a step that has ended."""
        raise NotImplementedError

    def _clear(self, start: int) -> None:
        self._start = start
        self._fetch_at = self._fetched_by = self._forward_from = self._forward_end = 0
        self._backward_at = self._optimizer_at = self._nested_ns = self._stepped_at = self._calls = 0
        self._closures = 0
        self._trained = self._gradients = False
        self._parts: list[tuple[int, int, int]] = []
        self._optimizers: list[int] = []

    def begin_fetch(self, source: int, now: int) -> None:
        """A loop asks its loader, which ``source`` tells from others, for the next batch."""
        if self._start and self._ends_before_fetch(source):
            self._close(now)
        if not self._start:
            self._start, self.began_by = now, source
        self._fetch_at = now

    def _ends_before_fetch(self, source: int) -> bool:
        if self._stepped_at:
            return True
        if self._trained or (self.light and not self._calls) or not self._fetched_by:
            return False  # gradients are being accumulated, or what went before belongs to this
        return self._fetched_by == source or bool(self._forward_from)

    def end_fetch(self, source: int, now: int) -> None:
        """The batch is there."""
        self._fetched_by = source
        self._parts.append((DATA, self._fetch_at, now))

    def end_loop(self) -> None:
        """There was no further batch."""
        if self._stepped_at or (self._calls and not self._trained):
            self._close(self._stepped_at or self._forward_end)
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
        self._gradients = gradients
        if not gradients and not self._fetched_by and not self._trained and self._calls == 1:
            self._close(now)

    def fail_call(self, now: int) -> None:
        """The call has raised: if it was the only one, there was no forward pass."""
        self.inside = False
        self._forward_end = now
        self._calls -= 1
        if self._calls <= 0:
            self._calls = self._forward_from = self._forward_end = 0

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
            self._end_forward(max(self._forward_end, self._forward_from))
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

    def step(self, optimizer: int, now: int) -> None:
        """An optimizer has stepped, and what led to it was not looked at."""
        if self._stepped_at and optimizer in self._optimizers:
            self._close(self._stepped_at, self._stepped_at)
        if not self._start:
            self._start = now
        self._optimizers.append(optimizer)
        self.end_optimizer(now)

    def add_checkpoint(self, start: int, end: int) -> None:
        """Something was saved or loaded; within a step it is a part of it."""
        if self._start:
            self._parts.append((CHECKPOINT, start, end))

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
