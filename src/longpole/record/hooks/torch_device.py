"""Times on a GPU: when the parts of a step ran there, by CUDA events, for some steps.

Method: in a step that is timed, an event goes into the stream where forward, backward and the optimizer
begin, and where the optimizer ends; they are asked about later, when the device has passed them, and never
waited for. Each step is dated from the one timed before it, the first from one wait for the device, whose few
microseconds the times on the host's clock may be wrong by. A part is what lies between two events: work and
gaps of this stream; other streams are not seen. Where several threads train, one step of one of them is timed
at a time. Timing takes at most 0.2 % of the time of steps.
"""

from __future__ import annotations

import os
from _thread import get_ident
from time import monotonic_ns

from longpole.record.client.phases import Past, current, new_identity, write_past
from longpole.record.hooks.budget import DETAIL_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FORWARD, BACKWARD, OPTIMIZER, END = range(4)
_NAMES = ("forward", "backward", "optimizer")
# What timing a step takes of the host, roughly; and what it may.
_COST_NS = 60_000
_SHARE = 0.002
_LOOK_FOR_DEVICE_EVERY = 16
_MOST_WAITING = 64
_MOST_STEPS_OF_OTHERS = 64
_DATE_AGAIN_NS = 600 * 1_000_000_000
# Threads are lanes from 0; the device's stream is far from them.
_FIRST_LANE = 32768


class DeviceTimer:
    """Times some of the steps of this process on its GPU; does nothing as long as it has none.

    Attributes:
        active: Whether the step now under way is being timed.
        possible: Whether this PyTorch knows of GPUs at all.
    """

    def __init__(self, torch: Any) -> None:
        """Use this PyTorch."""
        self._cuda = torch.cuda
        self.active = False
        self.possible = bool(torch.backends.cuda.is_built())
        self._events: list[Any] = [None] * 4
        self._waiting: list[tuple[list[Any], int, int]] = []
        self._thread = 0  # whose step is timed
        self._others = 0  # how many steps other threads have made since it began
        self._references: dict[int, tuple[Any, float]] = {}  # of each device: an event, and when it was
        self._dated_ns = 0
        self._until_next = _LOOK_FOR_DEVICE_EVERY
        self._last_step_ns = 0

    def in_use(self) -> bool:
        """Return whether this process uses a GPU."""
        return self.possible and bool(self._cuda.is_initialized())

    def mark(self, place: int) -> None:
        """Put an event into the stream: this part begins."""
        if self._events[place] is None and self._thread == get_ident():
            event = self._events[place] = self._cuda.Event(enable_timing=True)
            event.record()

    def end_step(self, now: int) -> None:
        """An optimizer has stepped: end the timing of this step, begin that of the next if it is its turn."""
        if self.active:
            self._end()
        if self._waiting:
            self._collect()
        self._until_next -= 1
        if self._until_next <= 0 and not self.active:
            self._begin(now)
        self._last_step_ns = now

    def _end(self) -> None:
        if self._thread == get_ident():
            self.mark(END)
            self._put_aside()
        elif self._others < _MOST_STEPS_OF_OTHERS:
            self._others += 1
        else:  # the thread of that step is gone, or trains no more
            self.active, self._events = False, [None] * 4

    def _begin(self, now: int) -> None:
        took = max(now - self._last_step_ns, 1)
        high = os.environ.get(DETAIL_VARIABLE) == "high"
        self._until_next = 1 if high else max(1, int(_COST_NS / (_SHARE * took)))
        if not self._cuda.is_initialized():
            self._until_next = max(self._until_next, _LOOK_FOR_DEVICE_EVERY)
        elif len(self._waiting) < _MOST_WAITING and not self._cuda.is_current_stream_capturing():
            if self._cuda.current_device() not in self._references or now - self._dated_ns > _DATE_AGAIN_NS:
                self._date()
            self._thread, self._others, self.active = get_ident(), 0, True

    def _date(self) -> None:
        """Find out when on our clock something happens on the device: the one time that we wait for it."""
        event = self._cuda.Event(enable_timing=True)
        event.record()
        event.synchronize()
        self._dated_ns = monotonic_ns()
        self._references[self._cuda.current_device()] = event, float(self._dated_ns)

    def _put_aside(self) -> None:
        self.active = False
        events, self._events = self._events, [None] * 4
        if all(event is not None for event in events):
            self._waiting.append((events, self._cuda.current_device(), current()))

    def _collect(self) -> None:
        while self._waiting:
            first = self._waiting.pop(0)  # at once: other threads may look as well
            if not all(event.query() for event in first[0]):
                self._waiting.insert(0, first)
                return
            self._write(*first)

    def _write(self, events: list[Any], device: int, parent: int) -> None:
        if device not in self._references:
            return
        reference, at_ns = self._references[device]
        times = [at_ns + reference.elapsed_time(event) * 1e6 for event in events]
        self._references[device] = events[END], times[END]
        if times != sorted(times):
            return  # its parts went to streams that do not follow each other
        step = new_identity()
        for name, start, end in zip(_NAMES, times, times[1:]):
            _write_device_phase(name, (start, end), device, (new_identity(), step))
        _write_device_phase("step", (times[0], times[END]), device, (step, parent))


def _write_device_phase(
    name: str, times: tuple[float, float], device: int, identities: tuple[int, int]
) -> None:
    past = Past(name, "device", (round(times[0]), round(times[1])))
    past.identity, past.parent = identities
    past.device, past.lane = device + 1, _FIRST_LANE + device
    write_past(past)
