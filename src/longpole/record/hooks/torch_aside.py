"""Hooks that step aside: in full while a loop is looked at in full, else less or nothing in their place.

A function that stands in for another takes some microseconds of a step, even if it does nothing. So while the
one loop of the process goes as it has gone before, what need not be looked at is left alone, and what must be
is looked at by the shortest way. The hooks of PyTorch's own on optimizers stay: its tables of them must not
change while a thread goes through one.
"""

from __future__ import annotations

import os
import sys
from _thread import _count as count_threads
from _thread import allocate_lock, get_ident

from longpole.record.hooks.events import LISTENERS
from longpole.record.hooks.loops import LOOPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from longpole.record.hooks.loop import Loop
    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.torch_device import DeviceTimer

# How a loop is looked at: in full; lightly, as steps of training go alike; by its fetches alone, calls left
# alone or, where other threads may call models, looked at.
FULL, LIGHT, SKIPS, SKIPS_AMONG_THREADS = range(4)
# From Python 3.12 on a class that was changed a thousand times is never again quick to look things up in.
_MOST_TURNS = 300 if sys.version_info >= (3, 12) else 1 << 62


class Shorter:
    """The one loop of a process, for hooks that are short because they know it.

    Attributes:
        on: Not empty as long as the loop is looked at that way; such a hook goes the long way otherwise.
        loop: The loop.
        ident: Its thread.
    """

    __slots__ = ("ident", "loop", "on")

    def __init__(self, loop: Loop, ident: int) -> None:
        """Hold for this loop, until ``on`` is emptied."""
        self.on = [True]
        self.loop = loop
        self.ident = ident


class Place:
    """A function of a framework, and what stands in for it: ``full`` while all is looked at."""

    def __init__(self, owner: Any, name: str, make: Callable[[Any], Any], original: Any = None) -> None:
        """Put ``make(original)`` in its place: of what is there, if nothing else is said.

        Raises:
            AttributeError: There is no such function.
        """
        self._owner, self._name, self._make = owner, name, make
        self._inherited = name not in vars(owner)
        self._original = original or getattr(owner, name)
        self.full = self._there = make(self._original)
        self._shorter: dict[int, Any] = {}
        self._turns = 0
        self._ended = False
        setattr(owner, name, self.full)

    def when(self, how: int, make: Callable[[Any, Any, Shorter], Any] | None = None) -> Place:
        """Let ``make(original, in full, loop)`` stand there while a loop is looked at so; else nothing."""
        self._shorter[how] = make
        return self

    def turn(self, how: int, shorter: Shorter | None) -> None:
        """Put what is to stand there now in its place."""
        if self._ended or not self._find():
            return
        wanted = self.full
        if shorter is not None and how in self._shorter and self._turns < _MOST_TURNS:
            make = self._shorter[how]
            wanted = make(self._original, self.full, shorter) if make else None
        if wanted is not self._there:
            self._put(wanted)

    def _find(self) -> bool:
        """Return whether what stands there is for us to replace; find the original anew where need be."""
        there = vars(self._owner).get(self._name)
        ours = self._there if self._there is not None or self._inherited else self._original
        if there is ours:
            return True
        if self._there is not None and there is not None and there is not self._original:
            return False  # somebody has put theirs over ours, and it goes through ours, as far as we know
        if there is None and not hasattr(self._owner, self._name):
            return False
        # Theirs replaced nothing of ours, or ours was taken away: what is there now is the original.
        self._inherited = there is None
        self._original = getattr(self._owner, self._name) if there is None else there
        self.full = self._make(self._original)
        self._there = None
        return True

    def _put(self, wanted: Any) -> None:
        """Put something there; None for nothing of ours."""
        self._turns += 1
        self._there = wanted
        if wanted is not None:
            setattr(self._owner, self._name, wanted)
        elif not self._inherited:
            setattr(self._owner, self._name, self._original)
        elif self._name in vars(self._owner):
            delattr(self._owner, self._name)

    def end(self) -> None:
        """Put the original back, unless somebody has put theirs over ours."""
        self._ended = True
        if self._there is not None and vars(self._owner).get(self._name) is self._there:
            self._put(None)


class Aside:
    """All places of hooks that step aside."""

    def __init__(self, timer: DeviceTimer, patches: Patches) -> None:
        """Begin with none; ``lightly`` is not empty while the one loop there is is looked at lightly."""
        self._timer = timer
        self._patches = patches
        self._places: list[Place] = []
        self._now: tuple[int, Loop | None] = FULL, None
        self._shorter: Shorter | None = None
        self._lock, self._pid, self._asked = allocate_lock(), os.getpid(), 0
        self._alone = True
        self.lightly: list[bool] = []
        LISTENERS.append(self._turn)

    def add(self, place: Place) -> Place:
        """Let a place step aside, until the patches are taken back."""
        self._places.append(place)
        self._patches.on_undo(place.end)
        return place

    def expect_threads(self) -> None:
        """A thread is about to begin: from now on there may be several."""
        if self._alone:
            self._alone = False
            self._turn()

    def end(self) -> None:
        """Turn no more."""
        if self._turn in LISTENERS:
            LISTENERS.remove(self._turn)
        self._stop_short()

    def _turn(self) -> None:
        """Put what is wanted now everywhere; a thread that finds another at it leaves it to that one."""
        if self._pid != os.getpid():  # a fork: who held the lock is not here
            self._lock, self._pid = allocate_lock(), os.getpid()
        self._asked += 1
        asked = -1
        while asked != self._asked and self._lock.acquire(False):
            try:
                asked = self._asked
                self._look()
            finally:
                self._lock.release()

    def _look(self) -> None:
        now = self._how()
        if now == self._now:
            return
        self._stop_short()
        self._now = now
        how, loop = now
        if loop is not None:
            self._shorter = Shorter(loop, get_ident())
        for place in self._places:
            place.turn(how, self._shorter)
        self.lightly[:] = [True] if how == LIGHT else []

    def _how(self) -> tuple[int, Loop | None]:
        loops = list(LOOPS.known.items())
        if len(loops) != 1 or loops[0][0] != get_ident():
            return FULL, None
        loop = loops[0][1]
        if loop.skips:
            return SKIPS if self._alone and not count_threads() else SKIPS_AMONG_THREADS, loop
        return (LIGHT, loop) if loop.light and not self._timer.in_use() else (FULL, None)

    def _stop_short(self) -> None:
        self.lightly.clear()
        if self._shorter is not None:
            self._shorter.on.clear()
            self._shorter = None
