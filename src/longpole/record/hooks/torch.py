"""PyTorch: steps and their parts, epochs, checkpoints, ranks.

Where it looks: the iterator of a DataLoader, ``torch.autograd.backward``, the hooks that PyTorch has for all
optimizers, and calls of the outermost modules.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from functools import partial, wraps
from time import monotonic_ns

from longpole.record.client.phases import remark
from longpole.record.hooks.budget import LONGEST_WAIT_NS
from longpole.record.hooks.checkpoints import watch_checkpoints
from longpole.record.hooks.epochs import Epochs
from longpole.record.hooks.events import BACK, BACK_DONE, ENTER, FETCH, FETCHED, OPTIMIZE, OPTIMIZED, STEPPED
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import unseen, without_this_frame
from longpole.record.hooks.torch_device import BACKWARD, OPTIMIZER, DeviceTimer
from longpole.record.hooks.torch_models import Models, compiling_in
from longpole.record.hooks.torch_parts import BackwardHook

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.steps import Loop


def apply(torch: ModuleType, patches: Patches) -> None:
    """Watch what PyTorch does in this process."""
    epochs, timer = Epochs(), DeviceTimer(torch)
    loading = torch.utils.data.dataloader
    patches.replace(loading._BaseDataLoaderIter, "__next__", lambda next_: _fetching(next_, epochs, patches))
    patches.replace(loading.DataLoader, "__iter__", lambda iter_: _iterating(iter_, epochs, patches))
    compiling = compiling_in(torch)
    make = partial(_backward, compiling=compiling, timer=timer, patches=patches)
    BackwardHook(torch.autograd, timer, make).follow(patches)
    _watch_optimizers(timer, patches)
    Models(torch, timer, patches).look()
    watch_checkpoints(torch, patches)
    _watch_ranks(patches)
    patches.on_undo(epochs.finish)
    patches.on_undo(LOOPS.finish)


def _fetching(original: Any, epochs: Epochs, patches: Patches) -> Any:
    known = LOOPS.known

    def __next__(self: Any) -> Any:  # noqa: N807
        inside = False
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                if loop.plain or loop.light:
                    append, now = loop.append, monotonic_ns()
                    append((FETCH, now, id(self)))
                    if now - loop.due_ns > LONGEST_WAIT_NS:  # nothing but fetches has come for long
                        loop.settle()
                else:
                    _fetch(loop, id(self))
                inside, loop.inside = loop.inside, True  # a model that is called in here is part of the wait
        except Exception as error:  # noqa: BLE001
            loop = None
            patches.give_up(error)
        try:
            batch = original(self)
        except BaseException as error:
            if loop is not None:
                loop.inside = inside
                epochs.leave(loop, self, error)
            without_this_frame(error)
            raise
        if loop is not None:
            loop.inside = inside
            if loop.plain or not (loop.quiet or loop.skips):
                append = loop.append
                append((FETCHED, monotonic_ns(), id(self)))
        return batch

    return unseen(wraps(original)(__next__))


def _fetch(loop: Loop, source: int) -> None:
    """Note that a batch is fetched in a loop of which not all is looked at, or that a framework leads."""
    if not (loop.quiet or loop.skips):
        loop.append((FETCH, monotonic_ns(), source))
        return
    loop.fetched = True
    if loop.source != source:
        loop.source = source
        loop.append((ENTER, monotonic_ns(), source))


def _iterating(original: Any, epochs: Epochs, patches: Patches) -> Any:
    def begin(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        start_ns = monotonic_ns()
        return lambda iterator, error: epochs.begin(args[0], iterator, start_ns) if error is None else None

    return patches.around(original, begin)


def _backward(original: Any, compiling: Any, timer: DeviceTimer, patches: Patches) -> Any:  # noqa: C901
    known, timed = LOOPS.known, timer.possible

    def backward(*args: Any, **kwargs: Any) -> Any:
        if compiling():
            return original(*args, **kwargs)
        inside = False
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                loop.trained = True
                append = None if loop.quiet or loop.light else loop.append
                if append is not None:
                    append((BACK, monotonic_ns(), 0))
                inside, loop.inside = loop.inside, True  # what is computed anew is part of the way back
            if timed and timer.active:
                timer.mark(BACKWARD)
        except Exception as error:  # noqa: BLE001
            loop = None
            patches.give_up(error)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            if loop is not None:
                loop.inside = inside
            without_this_frame(error)
            raise
        if loop is not None:
            loop.inside = inside
            if append is not None:
                append((BACK_DONE, monotonic_ns(), 0))
        return result

    return unseen(wraps(original)(backward))


def _watch_optimizers(timer: DeviceTimer, patches: Patches) -> None:
    known, timed = LOOPS.known, timer.possible

    def begin(optimizer: Any, _: Any, __: Any) -> None:
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None and not loop.light:
                append, now = loop.append, monotonic_ns()
                if loop.quiet and loop.trained:
                    append((BACK, now, 0))  # which was not looked at, but tells one step from the next
                append((OPTIMIZE, now, id(optimizer)))
            if timed and timer.active:
                timer.mark(OPTIMIZER)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    def end(optimizer: Any, *_: Any) -> None:
        try:
            loop = known.get(get_ident())
            if loop is not None:
                append, now, which = loop.append, monotonic_ns(), id(optimizer)
                append((STEPPED if loop.light else OPTIMIZED, now, which))
                if timed:
                    timer.end_step(now)
                loop.step_done(which, now)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    hooks: Any = sys.modules["torch.optim.optimizer"]
    patches.on_undo(hooks.register_optimizer_step_pre_hook(begin).remove)
    patches.on_undo(hooks.register_optimizer_step_post_hook(end).remove)


def _watch_ranks(patches: Patches) -> None:
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not hasattr(distributed, "init_process_group"):
        return

    def begin(_: Any, __: Any) -> Any:
        return lambda _, error: None if error else remark(about="rank", **ranks())

    def ranks() -> dict[str, int]:
        return {"rank": distributed.get_rank(), "world": distributed.get_world_size()}

    patches.replace(distributed, "init_process_group", lambda original: patches.around(original, begin))
