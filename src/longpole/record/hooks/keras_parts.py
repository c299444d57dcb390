"""Parts of the steps of Keras, where its backend runs them one after another and not as compiled code.

Forward is seen at calls of models, the optimizer where it applies gradients: with PyTorch, whose own hook
sees backward, and with NumPy. The wait for data that JAX has within its steps is seen where it takes batches.
"""

from __future__ import annotations

import sys
from functools import wraps
from time import monotonic_ns

from longpole.record.hooks.led import AnnouncedLoop
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import unseen, without_this_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.hooks.loop import Loop
    from longpole.record.hooks.patches import Patches


def watch_parts(keras: Any, patches: Patches) -> None:
    """Watch what the backend lets be seen."""
    backend = keras.backend.backend()
    if backend in ("torch", "numpy"):
        eager = _Eager(keras, sys.modules["torch"] if backend == "torch" else None)
        patches.replace(keras.Model, "__call__", lambda original: _calling(original, eager, patches))
        optimizer = owner(keras.Optimizer, "apply")
        patches.replace(optimizer, "apply", lambda original: _optimizing(original, eager, patches))
    elif backend == "jax":
        batches = sys.modules["keras.src.backend.jax.trainer"].JAXEpochIterator
        patches.replace(batches, "_get_iterator", lambda original: _iterating(original, patches))


def owner(kind: Any, name: str) -> Any:
    """Return the class that gives this one a method.

    Raises:
        AttributeError: None does.
    """
    for ancestor in kind.__mro__:
        if name in vars(ancestor):
            return ancestor
    raise AttributeError(f"{kind.__name__} has no {name}")


class _Eager:
    """A backend that does what it is told at once, except where a model is only traced for its shapes."""

    def __init__(self, keras: Any, torch: Any) -> None:
        self._symbol = keras.KerasTensor
        self._traced = sys.modules["keras.src.backend.common.stateless_scope"].in_stateless_scope
        self.gradients = torch.is_grad_enabled if torch else lambda: False
        self.compiling = torch.compiler.is_dynamo_compiling if torch else lambda: False

    def loop(self, args: tuple[Any, ...] = ()) -> Loop | None:
        """Return the loop in which a call with these arguments is to be noted, if any."""
        loop = LOOPS.settled()
        if loop is None or loop.inside or self._traced() or (args and isinstance(args[0], self._symbol)):
            return None
        return None if loop.quiet and self.gradients() else loop


def _calling(original: Any, eager: _Eager, patches: Patches) -> Any:
    compiling = eager.compiling

    def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
        if compiling():
            return original(self, *args, **kwargs)
        try:
            loop = eager.loop(args)
            if loop is not None:
                loop.model = type(self).__name__
                loop.begin_call(monotonic_ns(), training=getattr(self, "training", False))
        except Exception as error:  # noqa: BLE001
            loop = None
            patches.give_up(error)
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            if loop is not None:
                loop.inside = False
            without_this_frame(error)
            raise
        try:
            if loop is not None:
                loop.end_call(monotonic_ns(), gradients=eager.gradients())
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)
        return result

    return unseen(wraps(original)(__call__))


def _optimizing(original: Any, eager: _Eager, patches: Patches) -> Any:
    compiling = eager.compiling

    def apply(self: Any, *args: Any, **kwargs: Any) -> Any:
        if compiling():
            return original(self, *args, **kwargs)
        try:
            loop = LOOPS.settled()
            if loop is not None:
                loop.begin_optimizer(id(self), monotonic_ns())
        except Exception as error:  # noqa: BLE001
            loop = None
            patches.give_up(error)
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            without_this_frame(error)
            raise
        try:
            if loop is not None:
                loop.end_optimizer(monotonic_ns())
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)
        return result

    return unseen(wraps(original)(apply))


def _iterating(original: Any, patches: Patches) -> Any:
    def _get_iterator(self: Any) -> Any:
        try:
            iterator = original(self)
        except BaseException as error:
            without_this_frame(error)
            raise
        return iterator if patches.given_up else _Batches(iterator)

    return unseen(wraps(original)(_get_iterator))


class _Batches:
    """An iterator over batches that lets the loop of Keras know how long it waits for each."""

    __slots__ = ("_batches",)

    def __init__(self, iterator: Any) -> None:
        self._batches = iter(iterator)

    def __iter__(self) -> _Batches:
        return self

    def __next__(self) -> Any:
        loop = LOOPS.settled()
        if not isinstance(loop, AnnouncedLoop):
            loop = None
        else:
            loop.begin_fetch(id(self), monotonic_ns())
        try:
            batch = next(self._batches)
        except BaseException as error:
            if loop is not None:
                loop.end_loop()
            without_this_frame(error)
            raise
        if loop is not None:
            loop.end_fetch(id(self), monotonic_ns())
        return batch


_Batches.__next__ = unseen(_Batches.__next__)  # type: ignore[method-assign]
