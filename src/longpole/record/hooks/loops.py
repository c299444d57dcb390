"""The loops of this process: each thread has one."""

from __future__ import annotations

import os
import sys
from _thread import get_ident

from longpole.record.client.phases import this_ring
from longpole.record.hooks.ends import at_end
from longpole.record.hooks.events import EPOCHS, tell_listeners
from longpole.record.hooks.loop import Loop


class Loops:
    """The loops of all threads of this process."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known: dict[int, Loop] = {}

    def settled(self) -> Loop | None:
        """Return the loop of this thread, all that has happened looked at: for who calls its methods."""
        loop = self.here()
        if loop is not None:
            loop.settle()
        return loop

    def here(self) -> Loop | None:
        """Return the loop of this thread; None where nothing is recorded."""
        loop = self.known.get(get_ident())
        if loop is None:
            ring = this_ring()
            if ring is None:
                return None
            if not self.known:
                at_end(self.finish)
            self._let_go_of_ended()
            loop = self.known[get_ident()] = Loop(ring)
            tell_listeners()
        return loop

    def _let_go_of_ended(self) -> None:
        """Close what threads have left that are no more."""
        living = sys._current_frames().keys() if self.known else ()
        for ident in [ident for ident in self.known if ident not in living]:
            self.known.pop(ident).finish()

    def led(self) -> bool:
        """Return whether a framework leads the loop of this thread."""
        loop = self.known.get(get_ident())
        return loop is not None and loop.led

    def finish(self) -> None:
        """Close what is complete."""
        for loop in list(self.known.values()):
            loop.finish()
        self.known.clear()
        tell_listeners()


LOOPS = Loops()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOOPS.known.clear)
    os.register_at_fork(after_in_child=EPOCHS.clear)
    os.register_at_fork(after_in_child=tell_listeners)
