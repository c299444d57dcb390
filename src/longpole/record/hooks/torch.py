"""PyTorch: steps and their parts, epochs, checkpoints, ranks.

Where it looks: the iterator of a DataLoader, ``torch.autograd.backward``, the hooks of PyTorch for all optimizers,
and calls of the outermost modules. Hooks on all modules would cost a tenth of a short step: only the classes
of outermost modules are watched, and all modules for one step in two seconds, to find such classes.
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
from longpole.record.hooks.steps import LOOPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches

_LOOK_EVERY_NS = 2_000_000_000
_CALLS_TO_LOOK_AT = 8


def apply(torch: ModuleType, patches: Patches) -> None:
    """Watch what PyTorch does in this process."""
    epochs = Epochs()
    loading = torch.utils.data.dataloader
    patches.replace(loading._BaseDataLoaderIter, "__next__", lambda next_: _fetching(next_, epochs, patches))
    patches.replace(loading.DataLoader, "__iter__", lambda iter_: _iterating(iter_, epochs, patches))
    patches.replace(torch.autograd, "backward", lambda backward: _backward(backward, patches))
    _watch_optimizers(patches)
    _Models(torch, patches).look()
    watch_checkpoints(torch, patches)
    _watch_ranks(torch, patches)
    patches.on_undo(LOOPS.finish)


def _fetching(original: Any, epochs: Epochs, patches: Patches) -> Any:
    known = LOOPS.known

    def __next__(self: Any) -> Any:  # noqa: N807
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                loop.begin_fetch(id(self), monotonic_ns())
                epochs.enter(loop, self)
        except Exception as error:  # noqa: BLE001
            loop = patches.give_up(error)
        try:
            batch = original(self)
        except BaseException as error:
            if loop is not None:
                epochs.leave(loop, self, error)
            without_this_frame(error)
            raise
        if loop is not None:
            loop.end_fetch(id(self), monotonic_ns())  # appends to a list: nothing that could fail
        return batch

    return unseen(wraps(original)(__next__))


def _iterating(original: Any, epochs: Epochs, patches: Patches) -> Any:
    def begin(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        start_ns = monotonic_ns()
        return lambda iterator, error: epochs.begin(args[0], iterator, start_ns) if error is None else None

    return patches.around(original, begin)


def _backward(original: Any, patches: Patches) -> Any:
    known = LOOPS.known

    def backward(*args: Any, **kwargs: Any) -> Any:
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                loop.begin_backward(monotonic_ns())
        except Exception as error:  # noqa: BLE001
            loop = patches.give_up(error)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            without_this_frame(error)
            raise
        if loop is not None:
            loop.end_backward(monotonic_ns())
        return result

    return unseen(wraps(original)(backward))


def _watch_optimizers(patches: Patches) -> None:
    known = LOOPS.known

    def begin(optimizer: Any, _: Any, __: Any) -> None:
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                loop.begin_optimizer(id(optimizer), monotonic_ns())
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    def end(*_: Any) -> None:
        try:
            loop = known.get(get_ident())
            if loop is not None:
                loop.end_optimizer(monotonic_ns())
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)

    hooks: Any = sys.modules["torch.optim.optimizer"]
    patches.on_undo(hooks.register_optimizer_step_pre_hook(begin).remove)
    patches.on_undo(hooks.register_optimizer_step_post_hook(end).remove)


class _Models:
    """Finds the classes of outermost modules, and watches calls of their instances."""

    def __init__(self, torch: Any, patches: Patches) -> None:
        self._module = torch.nn.Module
        self._call = torch.nn.Module.__call__
        self._gradients = torch.is_grad_enabled
        self._compiling = getattr(torch.compiler, "is_dynamo_compiling", None) or (lambda: False)
        self._patches = patches
        self._is_model: dict[type, bool] = {}
        self._ours: list[Any] = []
        self._looking: Any = None
        self._left = 0
        self._look_again_ns = 0
        patches.on_undo(self._stop_looking)

    def look(self) -> None:
        """Look at the calls of all modules for a few calls of outermost ones."""
        self._left = _CALLS_TO_LOOK_AT
        if self._looking is None:
            self._looking = self._watched(self._call, "")
            self._module.__call__ = self._looking

    def _stop_looking(self) -> None:
        looking, self._looking = self._looking, None
        if looking is not None and self._module.__call__ is looking:
            self._module.__call__ = self._call
        self._look_again_ns = monotonic_ns() + _LOOK_EVERY_NS

    def _classify(self, model: Any) -> bool:
        """Return whether an outermost module is a model; its class is watched from now on if it is."""
        kind = type(model)
        known = self._is_model.get(kind)
        if known is None:
            known = self._is_model[kind] = next(model.parameters(), None) is not None
            call = kind.__call__
            if known and call not in self._ours:
                original = self._call if call is self._looking else call
                self._ours.append(
                    self._patches.replace(kind, "__call__", lambda _: self._watched(original, kind.__name__))
                )
        return known

    def _after_call(self, now_ns: int) -> None:
        if self._looking is not None:
            self._left -= 1
            if self._left <= 0:
                self._stop_looking()
        elif now_ns > self._look_again_ns:
            self.look()

    def _watched(self, original: Any, name: str) -> Any:
        """Return the call of a module with a look at the clock; without a name, of a class not known yet."""
        known, gradients, compiling, models = LOOPS.known, self._gradients, self._compiling, self

        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
            if compiling():
                return original(self, *args, **kwargs)
            try:
                loop = known.get(get_ident()) or LOOPS.here()
                if loop is None or loop.inside or not (name or models._classify(self)):
                    loop = None
                else:
                    loop.model = name or type(self).__name__
                    loop.begin_call(monotonic_ns(), training=self.training)
            except Exception as error:  # noqa: BLE001
                loop = models._patches.give_up(error)
            if loop is None:
                return original(self, *args, **kwargs)
            try:
                result = original(self, *args, **kwargs)
            except BaseException as error:
                loop.inside = False
                without_this_frame(error)
                raise
            try:
                now_ns = monotonic_ns()
                loop.end_call(now_ns, gradients=gradients())
                models._after_call(now_ns)
            except Exception as error:  # noqa: BLE001
                models._patches.give_up(error)
            return result

        return unseen(wraps(original)(__call__))


def _watch_ranks(torch: Any, patches: Patches) -> None:
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not hasattr(distributed, "init_process_group"):
        return

    def begin(_: Any, __: Any) -> Any:
        return lambda _, error: None if error else remark(about="rank", **ranks())

    def ranks() -> dict[str, int]:
        return {"rank": distributed.get_rank(), "world": distributed.get_world_size()}

    patches.replace(distributed, "init_process_group", lambda original: patches.around(original, begin))
