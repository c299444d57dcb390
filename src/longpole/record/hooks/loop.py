"""The loop of one thread: events on their way to being steps.

Between two steps the processor's caches have forgotten us, and every line of code costs ten times what it
does in a tight loop. So an event is only put into a list, with its time; what it means is found out for
several steps at once. How many steps have ended in the list is a word in the ring, in case of a kill.
"""

from __future__ import annotations

from operator import sub

from longpole.log.slots import STEP_NONE
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
)
from longpole.record.hooks.looking import Looking
from longpole.record.hooks.noting import INFERENCE, TRAINING, full_times, light_times

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from longpole.record.client.ring import Ring
    from longpole.record.hooks.events import Event

# What most steps of training consist of; the last fetch is the next step's.
_REGULAR = (FETCH, FETCHED, CALL, RETURN, BACK, BACK_DONE, OPTIMIZE, OPTIMIZED, FETCH)
_LIGHT = (FETCH, FETCHED, STEPPED, FETCH)
# Events that are left of steps cut by the times when events are looked at; with more a loop is not steady.
_CUT_OFF = 2 * len(_REGULAR)


class Loop(Looking):
    """The loop of one thread.

    Attributes:
        events: What has happened, and has not been looked at: what, when, and which.
        append: Takes one more event.
        fetches: When batches were fetched, where only that is looked at.
        append_fetch: Takes one more of them.
        fetched: Whether a batch has been fetched since a call was last looked at, in a quiet loop.
        source: The loader, by its iterator, that a quiet loop last fetched from.
        loader: The loader over which a loop last began.
        trained: Whether a backward pass has begun since an optimizer last stepped; while light, whether a
            model was called for one.
        optimizer: The one that stepped last.
        recorded: How many operations had been recorded for a backward pass when an optimizer last stepped.
    """

    __slots__ = (
        "append",
        "append_fetch",
        "events",
        "fetched",
        "fetches",
        "loader",
        "optimizer",
        "recorded",
        "source",
        "trained",
    )

    def __init__(self, ring: Ring) -> None:
        """Begin with no step under way."""
        super().__init__(ring)
        self.events: list[Event] = []
        self.fetches: list[int] = []
        self.append = self.take if self.led else self.events.append
        self.append_fetch = self.fetches.append
        self.trained = self.fetched = False
        self.optimizer = self.source = self.loader = 0
        self.recorded = 0

    def take(self, event: Event) -> None:
        """Take an event for what it means."""
        what, now, which = event
        _MEANINGS[what](self, now, which)

    def step_done(self, optimizer: int, now: int) -> None:
        """Note that an optimizer has stepped: after a backward pass, or once more, that ends a step."""
        if self.trained or self.optimizer == optimizer:
            self.notebook.owe()
        if self.light and self.optimizer != optimizer:
            self._mix(now)
        self.trained, self.optimizer = False, optimizer
        if now > self.due_ns:
            self.settle()

    def settle(self) -> None:
        """Look at all that has happened."""
        fetches, events = self.fetches[:], self.events[:]
        del self.fetches[: len(fetches)]
        del self.events[: len(events)]  # and nothing that a signal handler has put behind them
        if fetches:
            self._count_fetches(fetches)
        self._take_all(events)
        if fetches or events or self.notebook.full:  # full of steps that were told without events
            self._write()
        if fetches or events:
            times = fetches or [events[0][1], events[-1][1]]
            if self.light or self.skips or (self._steady and not self.notebook.light):
                self._patience_ns = LONGEST_WAIT_NS
            elif times[-1] - times[0] >= self._patience_ns:
                self._patience_ns *= 2
            self.due_ns = times[-1] + min(self._patience_ns, self.notebook.wait_ns(self._latest))

    def _take_all(self, events: list[Event]) -> None:
        at = singly = steps = 0
        while at < len(events):
            what = events[at][0]
            self.take(events[at])
            if what == FETCH and self.light:
                taken = self._take_alike(events[at:])
                at, steps = at + taken, steps + taken
            taken = int(what == FETCH)
            while taken:
                taken = self._take_regular(events[at : at + len(_REGULAR)])
                at, steps = at + taken, steps + taken
            at, singly = at + 1, singly + 1
        if steps or singly > _CUT_OFF:
            self._steady = singly <= _CUT_OFF

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

    def _take_alike(self, events: list[Event]) -> int:
        """Take all steps that were looked at lightly at once, the first fetch taken already.

        Returns:
            How many events they consist of; 0 where one of them went otherwise than most do.
        """
        size = len(_LIGHT) - 1
        many = (len(events) - 1) // size
        what, when, which = zip(*events[: many * size + 1])
        if what != _LIGHT[:-1] * many + _LIGHT[-1:] or self._start != when[0] or self._partial:
            return 0
        starts, fetched = when[::size], when[1::size]
        longest = max(map(sub, starts[1:], starts), default=0)
        if longest >= STEP_NONE or len({*which[::size], *which[1::size]}) > 1:
            return 0
        if many:
            self._count(TRAINING, many, starts[-1])
            self.notebook.note_alike(starts, fetched, self._parent())
            self._clear(starts[-1])
            self._fetch_at = starts[-1]
        return many * size

    def begin_epoch(self, loader: int, now: int) -> None:
        """A loop over a loader begins: one after which it goes on as before, or another."""
        if not self.light or loader != self.loader:
            self.look_in_full(now)
        if loader != self.loader and self._trained and not self._stepped_at:
            self._clear(0)  # gradients that were accumulated, and never used so far
        self.source, self.loader, self.fetched, self._mixed = 0, loader, False, False
        self.begin_loop(now)

    def begin_loop(self, now: int) -> None:
        """A loop begins: a step that is only counted lasts from here."""
        if self.quiet and not self._start:
            self._start = now

    def end_epoch(self, now: int) -> None:
        """There was no further batch. Steps of training that go alike may well go on so in the next epoch."""
        self.end_loop()
        if self._pending:
            self._clear(0)
        self.epoch, self.source, self.fetched = None, 0, False
        if not self.light:
            self.look_in_full(now)

    def drop_loop(self, source: int, epoch: Any, now: int) -> None:
        """A loop was left early: nothing more is fetched from there."""
        self.leave_loop()
        if self.epoch is epoch:
            self.end_epoch(now)
        if self._fetched_by == source:
            self._fetched_by = 0

    def _mix(self, now: int) -> None:
        """Take note that another optimizer than the usual one has stepped: steps do not go alike any more."""
        self._mixed = True
        if self.trained:  # a model was called for it: it had a backward pass of its own
            self.events.insert(len(self.events) - 1, (BACK, now, 0))
        self.settle()
        self.look_at_all()

    def _fetch(self, source: int, now: int) -> None:
        self.begin_fetch(source, now)
        epoch = self.epoch = EPOCHS.get(source)
        if epoch is not None:
            epoch.last_ns = now

    def _call(self, model: str, now: int, *, training: bool) -> None:
        self.model = model
        self.begin_call(now, training=training)

    def change_loader(self, source: int, now: int) -> None:
        """A loop that is not looked into fetches from another loader than before."""
        if self._stepped_at or (self._calls and not self._trained):
            self._close(self._stepped_at or self._forward_end or now)
        self._clear(now)
        self.began_by = source
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

    def finish(self) -> None:
        """Close what is complete, and write it: the process or its recording ends."""
        self.settle()
        self.leave_loop()
        if self._stepped_at:
            self._close(self._stepped_at)
        elif self._forward_from and self._forward_end and not self._trained:
            self._close(self._forward_end)
        self.notebook.write()


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
