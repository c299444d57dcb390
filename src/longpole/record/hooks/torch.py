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
from longpole.record.hooks.checkpoints import watch_checkpoints
from longpole.record.hooks.epochs import Epochs
from longpole.record.hooks.events import BACK, BACK_DONE
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import unseen, without_this_frame
from longpole.record.hooks.torch_aside import LIGHT, SKIPS, SKIPS_AMONG_THREADS, Aside, Place
from longpole.record.hooks.torch_device import BACKWARD, DeviceTimer
from longpole.record.hooks.torch_fetches import watch_fetches
from longpole.record.hooks.torch_models import Models, compiling_in
from longpole.record.hooks.torch_optimizers import watch_optimizers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches


def apply(torch: ModuleType, patches: Patches) -> None:
    """Watch what PyTorch does in this process."""
    epochs, timer = Epochs(), DeviceTimer(torch)
    aside = Aside(timer, patches)
    watch_fetches(torch.utils.data.dataloader, epochs, aside, patches)
    make = partial(_backward, compiling=compiling_in(torch), timer=timer, patches=patches)
    aside.add(Place(torch.autograd, "backward", make).when(LIGHT).when(SKIPS).when(SKIPS_AMONG_THREADS))
    watch_optimizers(torch, timer, aside.lightly, patches)
    Models(torch, timer, aside, patches).look()
    watch_checkpoints(torch, patches)
    _watch_ranks(patches)
    _watch_threads(aside, patches)
    patches.on_undo(epochs.finish)
    patches.on_undo(LOOPS.finish)
    patches.on_undo(aside.end)


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
                append = None if loop.quiet or loop.light or loop.skips else loop.append
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


def _watch_ranks(patches: Patches) -> None:
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not hasattr(distributed, "init_process_group"):
        return

    def begin(_: Any, __: Any) -> Any:
        return lambda _, error: None if error else remark(about="rank", **ranks())

    def ranks() -> dict[str, int]:
        return {"rank": distributed.get_rank(), "world": distributed.get_world_size()}

    patches.replace(distributed, "init_process_group", lambda original: patches.around(original, begin))


def _watch_threads(aside: Aside, patches: Patches) -> None:
    """Hear of threads that are started, as they may call models, too."""
    threads = sys.modules.get("threading")
    if threads is None:
        return

    def begin(_: Any, __: Any) -> None:
        aside.expect_threads()

    patches.replace(threads.Thread, "start", lambda original: patches.around(original, begin))
