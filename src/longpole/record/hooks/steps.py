"""Steps of training and inference loops, put together from what frameworks do one after another.

A step of training is what belongs to one step of an optimizer: the wait for data, forward (from the first
call of a model to the begin of the backward pass, so with the loss), backward, and the optimizer; optimizers
that step together, with no backward pass in between, make one step. Over a data loader a step lasts from one
fetch to the next, else from the end of one step to the end of the next. A fetch after which a model is
called, but nothing is trained, begins a step of inference; a call of a model without gradients outside such
loops is one by itself. A fetch after which nothing of the kind happens is a batch.

Between two steps the processor's caches have forgotten us, and every line of code costs ten times what it
does in a tight loop. So an event is only put into a list, with its time; what it means is found out for
several steps at once. How many steps have ended in the list is a word in the ring, in case of a kill.
"""

from __future__ import annotations

from longpole.log.slots import STEP_NONE
from longpole.record.client.phases import current, lane
from longpole.record.hooks.budget import LONGEST_WAIT_NS
from longpole.record.hooks.events import (
    BACK,
    BACK_DONE,
    CALL,
    CALL_TO_INFER,
    ENTER,
    EPOCHS,
    FAILED,
    FETCH,
    FETCHED,
    INFERRED,
    OPTIMIZE,
    OPTIMIZED,
    RETURN,
    RETURN_WITHOUT_GRADIENTS,
    SAVED,
    STEPPED,
    tell_listeners,
)
from longpole.record.hooks.noting import BATCH, INFERENCE, TRAINING, Notebook, full_times, light_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from longpole.record.client.ring import Ring
    from longpole.record.hooks.events import Event
    from longpole.record.hooks.noting import Parts, Times

DATA, FORWARD, BACKWARD, OPTIMIZER, CHECKPOINT = range(5)
# Calls of a model without a backward pass, after which they are taken for inference.
_MANY_CALLS = 64
# How long events may wait at first; then twice as long, and so on, until it is known how a loop goes.
_FIRST_WAIT_NS = 5_000_000
# What most steps of training consist of; the last fetch is the next step's.
_REGULAR = (FETCH, FETCHED, CALL, RETURN, BACK, BACK_DONE, OPTIMIZE, OPTIMIZED, FETCH)
_LIGHT = (FETCH, FETCHED, STEPPED, FETCH)
# Events that are left of steps cut by the times when events are looked at; with more a loop is not steady.
_CUT_OFF = 2 * len(_REGULAR)


class Loop:
    """The loop of one thread: what has happened since its present step began.

    Attributes:
        inside: Whether a model is being called.
        events: What has happened, and has not been looked at: what, when, and which.
        append: Takes one more event.
        due_ns: When events must be looked at.
        plain: Whether all parts of steps are looked at and nobody leads the loop.
        light: Whether of steps of training, which go alike, only fetches and ends are looked at now, and
            calls without gradients.
        quiet: Whether steps are so short that their parts are not looked at now.
        skips: Whether this is a loop of inference so short that only the ends of its calls are looked at.
        fetched: Whether a batch has been fetched since a call was last looked at, in such a loop.
        source: The loader, by its iterator, that such a loop last fetched from.
        trained: Whether a backward pass has begun since an optimizer last stepped; while light, whether a
            model was called for one.
        optimizer: The one that stepped last.
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
        "_latest",
        "_mixed",
        "_nested_ns",
        "_notebook",
        "_optimizer_at",
        "_optimizers",
        "_partial",
        "_parts",
        "_patience_ns",
        "_start",
        "_steady",
        "_stepped_at",
        "_trained",
        "append",
        "due_ns",
        "epoch",
        "events",
        "fetched",
        "inside",
        "light",
        "model",
        "optimizer",
        "parent",
        "plain",
        "quiet",
        "skips",
        "source",
        "trained",
    )

    def __init__(self, ring: Ring) -> None:
        """Begin with no step under way."""
        self._notebook = Notebook(ring, lane())
        self.due_ns, self._patience_ns = 0, _FIRST_WAIT_NS
        self.plain = not self.led
        self.events: list[Event] = []
        self.append = self.take if self.led else self.events.append
        self.trained = self.skips = self.fetched = False
        self.optimizer = self.source = 0
        self.inside = self.quiet = self.light = self._partial = self._steady = self._mixed = False
        self._latest = TRAINING
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

    def take(self, event: Event) -> None:
        """Take an event for what it means."""
        what, now, which = event
        _MEANINGS[what](self, now, which)

    def step_done(self, optimizer: int, now: int) -> None:
        """Note that an optimizer has stepped: after a backward pass, or once more, that ends a step."""
        if self.trained or self.optimizer == optimizer:
            notebook = self._notebook  # as ``owe`` does, without the detour
            notebook.owed += 1
            notebook.words[notebook.word] = notebook.owed
        if self.light and self.optimizer != optimizer:
            self._mix(now)
        self.trained, self.optimizer = False, optimizer
        if now > self.due_ns:
            self.settle()

    def settle(self) -> None:
        """Look at all that has happened."""
        events = self.events[:]
        del self.events[: len(events)]  # and nothing that a signal handler has put behind them
        self._take_all(events)
        if events or self._notebook.full:  # full of steps that were told without events
            self._write()
        if events:
            if self._steady:
                self._patience_ns = LONGEST_WAIT_NS
            elif events[-1][1] - events[0][1] >= self._patience_ns:
                self._patience_ns *= 2
            self.due_ns = events[-1][1] + min(self._patience_ns, self._notebook.wait_ns(self._latest))

    def _take_all(self, events: list[Event]) -> None:
        at = singly = steps = 0
        while at < len(events):
            what = events[at][0]
            self.take(events[at])
            if what == INFERRED:
                at += self._take_inferred(events[at:])
            taken = int(what == FETCH)
            while taken:
                taken = self._take_regular(events[at : at + len(_REGULAR)])
                at, steps = at + taken, steps + bool(taken)
            at, singly = at + 1, singly + 1
        if steps or singly > _CUT_OFF:
            self._steady = singly <= _CUT_OFF

    def _take_inferred(self, events: list[Event]) -> int:
        """Count the steps of inference that follow the first, which is taken already; return how many."""
        others = (at for at, event in enumerate(events) if event[0] != INFERRED)
        ends = [event[1] for event in events[: next(others, len(events))]]
        if len(ends) > 1:
            self._count_inference(ends)
        return len(ends) - 1

    def _take_regular(self, events: list[Event]) -> int:
        """Take a step that went as most do all at once, its first fetch taken already.

        Returns:
            How many events it consists of; 0 where it went otherwise.
        """
        what, when, which = zip(*events)
        pattern = _LIGHT if self.light else _REGULAR
        last = len(pattern) - 1
        if what[: last + 1] != pattern or self._start != when[0] or self._partial:
            return 0
        if not which[0] == which[1] == which[last] or when[last] - when[0] >= STEP_NONE:
            return 0
        self.model = self.model if self.light else which[2]
        self._put(TRAINING, when[0], when[last], light_times(when) if self.light else full_times(when))
        self._clear(when[last])
        self._fetch_at = when[last]
        return last

    def _count_inference(self, ends: list[int]) -> None:
        """Count steps of inference from each end to the next, all at once."""
        self._notebook.count_inference(self.model, ends)
        if self.epoch is not None:
            self.epoch.counts[INFERENCE] += len(ends) - 1
            self.epoch.last_ns = ends[-1]
        self._clear(ends[-1])

    def look_at_fetches(self, now: int) -> None:
        """Look at the whole of each step, until it is known how they go: a loop begins or ends."""
        self.due_ns = min(self.due_ns, now + _FIRST_WAIT_NS)
        self.skips = False
        self.look_at_all()

    def look_at_all(self) -> None:
        """Look at the whole of each step of training, until it is known that they go alike."""
        self._steady, self._patience_ns = False, _FIRST_WAIT_NS
        if self.light:
            self.light = False
            self._partial |= bool(self._start)  # of the step under way some parts went unseen
            tell_listeners()
        self.plain = not (self.led or self.quiet or self.skips)

    def _mix(self, now: int) -> None:
        """Take note that another optimizer than the usual one has stepped: steps do not go alike any more."""
        self._mixed = True
        if self.trained:  # a model was called for it: it had a backward pass of its own
            self.events.insert(len(self.events) - 1, (BACK, now, 0))
        self.settle()
        self.look_at_all()

    def _write(self) -> None:
        before = self.quiet, self.skips, self.light
        self.quiet = self._notebook.write()
        self.skips = self.skips and self._notebook.counts_inference
        apart = self.quiet or self.skips or self.led or self._mixed
        self.light = self._steady and self._notebook.light and not apart
        self.plain = not (self.quiet or self.skips or self.light or self.led)
        if before != (self.quiet, self.skips, self.light):
            self._partial = True  # of the step now under way some parts go unseen
            tell_listeners()
        if self._stepped_at:
            self._notebook.owe()

    def begin_loop(self, now: int) -> None:
        """A loop over a loader begins: a step that is only counted lasts from here."""
        if self.quiet and not self._start:
            self._start = now

    def _fetch(self, source: int, now: int) -> None:
        self.begin_fetch(source, now)
        epoch = self.epoch = EPOCHS.get(source)
        if epoch is not None:
            epoch.last_ns = now

    def _call(self, model: str, now: int, *, training: bool) -> None:
        self.model = model
        self.begin_call(now, training=training)

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
        if not gradients and not self._fetched_by and not self._trained and self._calls == 1:
            self._close(now)

    def fail_call(self, now: int) -> None:
        """The call has raised: if it was the only one, there was no forward pass."""
        self.inside = False
        self._forward_end = now
        self._calls -= 1
        if self._calls <= 0:
            self._calls = self._forward_from = self._forward_end = 0

    def change_loader(self, source: int, now: int) -> None:
        """A loop that is not looked into fetches from another loader than before."""
        if self._stepped_at or (self._calls and not self._trained):
            self._close(self._stepped_at or self._forward_end or now)
        self._clear(now)
        self.epoch = EPOCHS.get(source)

    def end_inference(self, model: str, now: int) -> None:
        """A call has returned in a loop of which only that is looked at: a step, from the last one's end."""
        self.model = model or self.model
        start = self._start
        if self._stepped_at or self._calls:  # from before, when more was looked at
            start = self._stepped_at or self._forward_end
            self._close(start)
        self._put(INFERENCE, start or now, now, [])
        self._clear(now)

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

    def finish(self) -> None:
        """Close what is complete, and write it: the process or its recording ends."""
        self.settle()
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

    def _put(self, kind: int, start: int, end: int, parts: Parts | Times) -> None:
        epoch = self.epoch
        if epoch is None:
            parent = self.parent if self.parent >= 0 else current()
        else:
            parent = epoch.identity
            epoch.counts[kind] += 1
            epoch.last_ns = end
        self._notebook.put(kind, (start, end, parts, parent, self.model))
        self._latest = kind
        if not self.led:
            inference = kind == INFERENCE and epoch is not None and not self.light
            self.skips = inference and self._notebook.counts_inference
        else:
            self._notebook.owe(kind)
            if end > self.due_ns or self._notebook.full:
                self.due_ns = end + LONGEST_WAIT_NS
                self._write()


_MEANINGS: dict[int, Callable[[Loop, int, Any], None]] = {
    FETCH: lambda loop, now, source: loop._fetch(source, now),
    FETCHED: lambda loop, now, source: loop.end_fetch(source, now),
    CALL: lambda loop, now, model: loop._call(model, now, training=True),
    CALL_TO_INFER: lambda loop, now, model: loop._call(model, now, training=False),
    RETURN: lambda loop, now, _: loop.end_call(now, gradients=True),
    RETURN_WITHOUT_GRADIENTS: lambda loop, now, _: loop.end_call(now, gradients=False),
    BACK: lambda loop, now, _: loop.begin_backward(now),
    BACK_DONE: lambda loop, now, _: loop.end_backward(now),
    OPTIMIZE: lambda loop, now, optimizer: loop.begin_optimizer(optimizer, now),
    OPTIMIZED: lambda loop, now, _: loop.end_optimizer(now),
    SAVED: lambda loop, start, end: loop.add_checkpoint(start, end),
    FAILED: lambda loop, now, _: loop.fail_call(now),
    ENTER: lambda loop, now, source: loop.change_loader(source, now),
    INFERRED: lambda loop, now, model: loop.end_inference(model, now),
    STEPPED: lambda loop, now, optimizer: loop.step(optimizer, now),
}
