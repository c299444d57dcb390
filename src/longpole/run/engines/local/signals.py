"""Waiting for children, sockets and the user at once: every signal we take wakes a pipe that is polled."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Set
from time import monotonic
from types import FrameType

_ASKS_TO_STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# What was sent to a whole process group comes again by way of our launcher: that is not to ask twice.
_APART_S = 0.2


class Wakes:
    """What ends the engine's waiting.

    Attributes:
        asked: How often the user has asked to stop.
    """

    def __init__(self) -> None:
        """Take the signals; ``close`` gives them back."""
        self.asked = 0
        self._asked_s = 0.0
        self._reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._writing = writing
        self._before = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        self._handlers = {number: signal.signal(number, self._ask) for number in _ASKS_TO_STOP}
        self._handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, _nothing)
        self._poll = select.poll()
        self._poll.register(self._reading, select.POLLIN)
        self._watched: set[int] = set()

    def wait(self, descriptors: Set[int], timeout_s: float) -> list[int]:
        """Wait for a signal, or for one of these; return those that are ready."""
        if descriptors != self._watched:
            for gone in self._watched - descriptors:
                self._poll.unregister(gone)
            for new in descriptors - self._watched:
                self._poll.register(new, select.POLLIN)
            self._watched = set(descriptors)
        ready = [number for number, _ in self._poll.poll(max(0.0, timeout_s) * 1000)]
        if self._reading in ready:
            try:
                os.read(self._reading, 65536)
            except BlockingIOError:
                pass  # another wait was quicker
            ready.remove(self._reading)
        return ready

    def close(self) -> None:
        """Give signals back as they were."""
        signal.set_wakeup_fd(self._before)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._reading)
        os.close(self._writing)

    def _ask(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002  as Python calls it
        now_s = monotonic()
        if now_s - self._asked_s > _APART_S:
            self.asked += 1
        self._asked_s = now_s


def _nothing(number: int, frame: FrameType | None) -> None:
    """Let a signal do nothing but wake."""
