"""Hooks that only parts of steps need: out of the way while no loop of the process looks at parts.

A function that stands in for another takes some ten microseconds of a step, even if it does nothing.
"""

from __future__ import annotations

from longpole.record.hooks.events import LISTENERS
from longpole.record.hooks.loops import LOOPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.torch_device import DeviceTimer


class PartHooks:
    """Our ``torch.autograd.backward``, and the hook on what comes before an optimizer's step."""

    def __init__(self, autograd: Any, timer: DeviceTimer, register: Callable[[], Any]) -> None:
        """Our function is in place; ``register`` sets up the hook, and returns what removes it."""
        self._autograd = autograd
        self._ours = autograd.backward
        self._timer = timer
        self._register = register
        self._hook = register()
        self._there = True

    def follow(self, patches: Patches) -> None:
        """Be there when parts are looked at, and only then, until the patches are taken back."""
        LISTENERS.append(self._look)
        patches.on_undo(self._end)

    def _look(self) -> None:
        loops = list(LOOPS.known.values())
        wanted = not loops or self._timer.in_use() or not all(loop.light for loop in loops)
        if wanted != self._there:
            self._there = wanted
            (self._put if wanted else self._take_away)()

    def _put(self) -> None:
        if self._autograd.backward is self._ours.__wrapped__:
            self._autograd.backward = self._ours
        self._hook = self._register()

    def _take_away(self) -> None:
        if self._autograd.backward is self._ours:  # else somebody has replaced it, and calls ours
            self._autograd.backward = self._ours.__wrapped__
        self._hook.remove()

    def _end(self) -> None:
        LISTENERS.remove(self._look)
        self._hook.remove()
