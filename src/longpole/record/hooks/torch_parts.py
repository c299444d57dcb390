"""The hook on backward passes: out of the way while the one loop of the process does not look at them.

A function that stands in for another takes some ten microseconds of a step, even if it does nothing. The
hooks of PyTorch's own on optimizers stay: its tables of them must not change while a thread goes through one.
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


class BackwardHook:
    """What stands in for ``torch.autograd.backward``."""

    def __init__(self, autograd: Any, timer: DeviceTimer, make: Callable[[Any], Any]) -> None:
        """Put ``make(original)`` in its place."""
        self._autograd = autograd
        self._timer = timer
        self._make = make
        self._ours = autograd.backward = make(autograd.backward)
        self._away = False

    def follow(self, patches: Patches) -> None:
        """Be there when backward passes are looked at, and only then, until the patches are taken back."""
        LISTENERS.append(self._turn)
        patches.on_undo(self._end)

    def _turn(self) -> None:
        loops = list(LOOPS.known.values())
        if len(loops) == 1 and loops[0].light and not self._timer.in_use():
            self._take_away()
        elif self._away:
            self._put_back()

    def _take_away(self) -> None:
        if self._autograd.backward is self._ours:  # else somebody has replaced it, and calls ours
            self._autograd.backward = self._ours.__wrapped__
            self._away = True

    def _put_back(self) -> None:
        there = self._autograd.backward
        if there is not self._ours.__wrapped__:  # somebody has replaced it meanwhile, and does not call ours
            self._ours = self._make(there)
        self._autograd.backward = self._ours
        self._away = False

    def _end(self) -> None:
        LISTENERS.remove(self._turn)
        self._take_away()
