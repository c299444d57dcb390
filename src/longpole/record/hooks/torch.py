"""PyTorch: steps and their parts, epochs, checkpoints, ranks.

Where it looks: the iterator of a DataLoader, ``torch.autograd.backward``, the hooks that PyTorch has for all
optimizers, and calls of the outermost modules.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from functools import wraps
from time import monotonic_ns

from longpole.record.client.phases import remark
from longpole.record.hooks.checkpoints import watch_checkpoints
from longpole.record.hooks.epochs import Epochs
from longpole.record.hooks.patches import unseen, without_this_frame
from longpole.record.hooks.steps import BACK, BACK_DONE, ENTER, FETCH, FETCHED, LOOPS, OPTIMIZE, OPTIMIZED
from longpole.record.hooks.torch_device import BACKWARD, OPTIMIZER, DeviceTimer
from longpole.record.hooks.torch_models import Models, compiling_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches


def apply(torch: ModuleType, patches: Patches) -> None:
    """Watch what PyTorch does in this process."""
    epochs, timer = Epochs(), DeviceTimer(torch)
    loading = torch.utils.data.dataloader
    patches.replace(loading._BaseDataLoaderIter, "__next__", lambda next_: _fetching(next_, epochs, patches))
    patches.replace(loading.DataLoader, "__iter__", lambda iter_: _iterating(iter_, epochs, patches))
    compiling = compiling_in(torch)
    patches.replace(torch.autograd, "backward", lambda way: _backward(way, compiling, timer, patches))
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
                if loop.plain or not (loop.quiet or loop.skips):
                    loop.append((FETCH, monotonic_ns(), id(self)))
                else:
                    loop.fetched = True
                    if loop.source != id(self):
                        loop.source = id(self)
                        loop.append((ENTER, monotonic_ns(), id(self)))
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
        if loop is not None and (loop.plain or not (loop.quiet or loop.skips)):
            loop.append((FETCHED, monotonic_ns(), id(self)))
        return batch

    return unseen(wraps(original)(__next__))


def _iterating(original: Any, epochs: Epochs, patches: Patches) -> Any:
    def begin(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        start_ns = monotonic_ns()
        return lambda iterator, error: epochs.begin(args[0], iterator, start_ns) if error is None else None

    return patches.around(original, begin)


def _backward(original: Any, compiling: Any, timer: DeviceTimer, patches: Patches) -> Any:  # noqa: C901
    known = LOOPS.known

    def backward(*args: Any, **kwargs: Any) -> Any:
        if compiling():
            return original(*args, **kwargs)
        inside = False
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                loop.trained = True
                if not loop.quiet:
                    loop.append((BACK, monotonic_ns(), 0))
                inside, loop.inside = loop.inside, True  # what is computed anew is part of the way back
            if timer.active:
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
            if not loop.quiet:
                loop.append((BACK_DONE, monotonic_ns(), 0))
        return result

    return unseen(wraps(original)(backward))


def _watch_optimizers(timer: DeviceTimer, patches: Patches) -> None:
    known = LOOPS.known

    def begin(optimizer: Any, _: Any, __: Any) -> None:
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                now = monotonic_ns()
                if loop.quiet and loop.trained:
                    loop.append((BACK, now, 0))  # which was not looked at, but tells one step from the next
                loop.append((OPTIMIZE, now, id(optimizer)))
            if timer.active:
                timer.mark(OPTIMIZER)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    def end(optimizer: Any, *_: Any) -> None:
        try:
            loop = known.get(get_ident())
            if loop is not None:
                now = monotonic_ns()
                loop.append((OPTIMIZED, now, 0))
                timer.end_step(now)
                loop.step_done(id(optimizer), now)
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
