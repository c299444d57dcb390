"""Hooks that step aside: in full while a loop is looked at in full, else less or nothing in their place.

A function that stands in for another takes some microseconds of a step, even if it does nothing. So while the
one loop of the process goes as it has gone before, what need not be looked at is left alone, and what must be
is looked at by the shortest way. The hooks of PyTorch's own on optimizers stay: its tables of them must not
change while a thread goes through one.
"""

from __future__ import annotations

from _thread import get_ident

from longpole.record.hooks.events import LISTENERS
from longpole.record.hooks.loops import LOOPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from longpole.record.hooks.loop import Loop
    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.torch_device import DeviceTimer

# How a loop is looked at: in full; lightly, as steps of training go alike; by its fetches alone.
FULL, LIGHT, SKIPS = range(3)


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
        setattr(owner, name, self.full)

    def when(self, how: int, make: Callable[[Any, Any, Shorter], Any] | None = None) -> Place:
        """Let ``make(original, in full, loop)`` stand there while a loop is looked at so; else nothing."""
        self._shorter[how] = make
        return self

    def turn(self, how: int, shorter: Shorter | None) -> None:
        """Put what is to stand there now in its place."""
        there = vars(self._owner).get(self._name)
        if there is not self._there and there is not self._original:
            if self._there is not self._original:
                return  # somebody has put theirs over ours, and calls ours
            self._original, self._inherited = there, False  # theirs does not
            self.full = self._make(there)
        wanted = self.full
        if how in self._shorter and shorter is not None:
            make = self._shorter[how]
            wanted = make(self._original, self.full, shorter) if make else self._original
        if wanted is not there:
            setattr(self._owner, self._name, wanted)
        self._there = wanted

    def end(self) -> None:
        """Put the original back, unless somebody has put theirs over ours."""
        there = vars(self._owner).get(self._name)
        if there is not self._there:
            return
        if self._inherited:
            delattr(self._owner, self._name)
        else:
            setattr(self._owner, self._name, self._original)


class Aside:
    """All places of hooks that step aside."""

    def __init__(self, timer: DeviceTimer, patches: Patches) -> None:
        """Begin with none; ``lightly`` is not empty while the one loop there is is looked at lightly."""
        self._timer = timer
        self._patches = patches
        self._places: list[Place] = []
        self._now: tuple[int, Loop | None] = FULL, None
        self._shorter: Shorter | None = None
        self.lightly: list[bool] = []
        LISTENERS.append(self._turn)
        patches.on_undo(self._end)

    def add(self, place: Place) -> Place:
        """Let a place step aside, until the patches are taken back."""
        self._places.append(place)
        self._patches.on_undo(place.end)
        return place

    def _turn(self) -> None:
        now = self._how()
        if now == self._now:
            return
        self._stop_short()
        self._now = now
        how, loop = now
        if loop is not None:
            self._shorter = Shorter(loop, get_ident())
            self.lightly[:] = [True] if how == LIGHT else []
        for place in self._places:
            place.turn(how, self._shorter)

    def _how(self) -> tuple[int, Loop | None]:
        loops = list(LOOPS.known.items())
        if len(loops) != 1 or loops[0][0] != get_ident():
            return FULL, None
        loop = loops[0][1]
        if loop.skips:
            return SKIPS, loop
        return (LIGHT, loop) if loop.light and not self._timer.in_use() else (FULL, None)

    def _stop_short(self) -> None:
        self.lightly.clear()
        if self._shorter is not None:
            self._shorter.on.clear()
            self._shorter = None

    def _end(self) -> None:
        LISTENERS.remove(self._turn)
        self._stop_short()
