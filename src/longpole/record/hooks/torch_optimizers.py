"""Steps of optimizers, by the hooks that PyTorch has for all of them."""

from __future__ import annotations

import sys
from _thread import get_ident
from time import monotonic_ns

from longpole.record.hooks.events import BACK, OPTIMIZE, OPTIMIZED, STEPPED
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.torch_device import OPTIMIZER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.torch_device import DeviceTimer


def watch_optimizers(torch: Any, timer: DeviceTimer, lightly: list[bool], patches: Patches) -> None:
    """Watch all optimizers; ``lightly`` is not empty while the begin of their steps is not looked at."""
    hooks: Any = sys.modules["torch.optim.optimizer"]
    begin, end = _begin(timer, lightly, patches), _end(torch, timer, patches)
    patches.on_undo(hooks.register_optimizer_step_pre_hook(begin).remove)
    patches.on_undo(hooks.register_optimizer_step_post_hook(end).remove)


def _begin(timer: DeviceTimer, lightly: list[bool], patches: Patches) -> Any:
    known, timed = LOOPS.known, timer.possible

    def begin(optimizer: Any, _: Any, __: Any) -> None:
        if lightly:
            return
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None and not loop.light:
                append, now = loop.append, monotonic_ns()
                if loop.skips:  # but here something is trained
                    loop.settle()
                    loop.look_in_full(now)
                if loop.quiet and loop.trained:
                    append((BACK, now, 0))  # which was not looked at, but tells one step from the next
                append((OPTIMIZE, now, id(optimizer)))
            if timed and timer.active:
                timer.mark(OPTIMIZER)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    return begin


def _end(torch: Any, timer: DeviceTimer, patches: Patches) -> Any:
    known, timed = LOOPS.known, timer.possible
    # How many operations were recorded for a backward pass: if none were, optimizers step together.
    recorded = getattr(getattr(torch._C, "_autograd", None), "_get_sequence_nr", None) or (lambda: 0)

    def end(optimizer: Any, *_: Any) -> None:
        try:
            loop = known.get(get_ident())
            if loop is None:
                _step_of_new_thread(optimizer)
                return
            now, which = monotonic_ns(), id(optimizer)
            append = loop.append
            if timed:
                timer.end_step(now)
            if loop.light and loop.optimizer == which and now < loop.due_ns:  # as nearly always while light
                append((STEPPED, now, which))
                loop.trained, loop.recorded = False, recorded()
                notebook = loop.notebook  # as ``owe`` does, without the detour
                notebook.owed += 1
                notebook.words[notebook.word] = notebook.owed
            else:
                if loop.light and loop.optimizer != which:
                    loop.trained = loop.trained or recorded() != loop.recorded
                loop.recorded = recorded()
                append((STEPPED if loop.light else OPTIMIZED, now, which))
                loop.step_done(which, now)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    return end


def _step_of_new_thread(optimizer: Any) -> None:
    """Note that a thread has stepped whose steps have not been looked at, as another's are so lightly."""
    loop = LOOPS.here()
    if loop is not None:
        now = monotonic_ns()
        loop.append((STEPPED, now, id(optimizer)))
        loop.trained = True
        loop.step_done(id(optimizer), now)
