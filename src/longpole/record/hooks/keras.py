"""Keras 3: fit, evaluate and predict as phases, with epochs and a step for every batch.

Where it looks: at the methods of ``CallbackList``, which every backend calls in the thread that trains,
whatever callbacks there are. (A callback of ours among the user's could be seen, and would be called from
other threads.) A step is one batch: the wait for it, and all up to the end of its callbacks. Its parts are in
``keras_parts``. JAX and TensorFlow run most of a step as one compiled function, whose parts cannot be seen;
TensorFlow fetches in there, too, so that no wait for data is seen. Steps that are executed several at a time
are taken as equally long.
"""

from __future__ import annotations

from _thread import get_ident
from functools import partial, wraps
from inspect import signature
from time import monotonic_ns

from longpole.record.client.phases import Phase
from longpole.record.hooks.keras_parts import owner, watch_parts
from longpole.record.hooks.led import AnnouncedLoop
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.noting import INFERENCE, TRAINING
from longpole.record.hooks.patches import unseen, without_this_frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches

_OLDEST = 3
# Method of a model: the kind of phase that it is, the kind of steps in it, and the arguments that are kept.
_RUNS = {
    "fit": ("fit", TRAINING, ("epochs", "batch_size")),
    "evaluate": ("validation", INFERENCE, ("batch_size",)),
    "predict": ("predict", INFERENCE, ("batch_size",)),
}
_STEPS = {"train_on_batch": TRAINING, "test_on_batch": INFERENCE, "predict_on_batch": INFERENCE}


def apply(keras: ModuleType, patches: Patches) -> None:
    """Watch what Keras does in this process."""
    if int(keras.__version__.split(".")[0]) < _OLDEST:
        raise NotImplementedError(f"Keras {keras.__version__} is older than {_OLDEST}")
    for method in _RUNS:
        patches.replace(owner(keras.Model, method), method, partial(_run, patches, method))
    if keras.backend.backend() != "torch":  # the hook for that sees more of these: the fetch before them
        for method in _STEPS:
            patches.replace(owner(keras.Model, method), method, partial(_step, patches, method))
    _watch_callbacks(keras.callbacks.CallbackList, patches)
    watch_parts(keras, patches)
    patches.on_undo(LOOPS.finish)


def _run(patches: Patches, method: str, original: Any) -> Any:
    purpose, steps, kept = _RUNS[method]
    parameters = signature(original).parameters
    places = [(name, list(parameters).index(name), parameters[name].default) for name in kept]

    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = [
            (name, args[at] if at < len(args) else kwargs.get(name, other)) for name, at, other in places
        ]
        attributes = {name: value for name, value in given if value is not None}
        loop = AnnouncedLoop.enter(Phase(f"{type(args[0]).__name__}.{method}", purpose, attributes))
        return _prepare(loop, args[0], steps)

    return patches.around(original, begin)


def _step(patches: Patches, method: str, original: Any) -> Any:
    def begin(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        loop = AnnouncedLoop.enter()
        end = _prepare(loop, args[0], _STEPS[method])
        if loop is not None:
            loop.begin_step(monotonic_ns())
        return end

    return patches.around(original, begin)


def _prepare(loop: AnnouncedLoop | None, model: Any, steps: int) -> Any:
    """Tell a loop whose it is; return what ends it."""
    if loop is None:
        return None
    loop.kind, loop.model = steps, type(model).__name__
    executed = getattr(model, "steps_per_execution", 1)
    loop.executed = executed if isinstance(executed, int) else 1

    def end(_: Any, error: BaseException | None) -> None:
        if error is None and not loop.purpose:
            loop.end_step(monotonic_ns())
        loop.leave(error)

    return end


def _watch_callbacks(kind: Any, patches: Patches) -> None:
    def tell(method: str, **when: Any) -> None:
        patches.replace(kind, method, partial(_telling, patches, **when))

    for run in ("train", "test", "predict"):
        tell(f"on_{run}_batch_begin", before=_begin_step)
        tell(f"on_{run}_batch_end", after=_end_step)
    for run in ("test", "predict"):
        tell(f"on_{run}_begin", after=_begin_wait)
    tell("on_epoch_begin", before=_begin_epoch, after=_begin_wait)
    tell("on_epoch_end", after=_end_epoch)


def _telling(
    patches: Patches,
    original: Any,
    before: Callable[[AnnouncedLoop, Any, tuple[Any, ...]], None] | None = None,
    after: Callable[[AnnouncedLoop], None] | None = None,
) -> Any:
    """Return a method of a list of callbacks that also tells the loop of this thread, if Keras leads it."""
    known = LOOPS.known

    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            loop = known.get(get_ident())
            if before is not None and loop.__class__ is AnnouncedLoop:
                before(loop, self, args)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)
        try:
            result = original(self, *args, **kwargs)
        except BaseException as error:
            without_this_frame(error)
            raise
        try:
            loop = known.get(get_ident())
            if after is not None and loop.__class__ is AnnouncedLoop:
                after(loop)
        except Exception as error:  # noqa: BLE001
            patches.give_up(error)
        return result

    return unseen(wraps(original)(told))


def _begin_epoch(fit: AnnouncedLoop, _: Any, args: tuple[Any, ...]) -> None:
    if fit.purpose == "fit":
        epoch = AnnouncedLoop.enter(Phase("epoch", "epoch", {"number": args[0] + 1} if args else {}))
        epoch.kind, epoch.model, epoch.executed = fit.kind, fit.model, fit.executed


def _end_epoch(loop: AnnouncedLoop) -> None:
    if loop.purpose == "epoch":
        loop.leave()


def _begin_wait(loop: AnnouncedLoop) -> None:
    loop.begin_wait(monotonic_ns())


def _begin_step(loop: AnnouncedLoop, callbacks: Any, args: tuple[Any, ...]) -> None:
    steps = loop.executed
    if steps > 1 and args and callbacks.params.get("steps"):
        steps = min(steps, callbacks.params["steps"] - args[0])
    loop.begin_step(monotonic_ns(), steps)


def _end_step(loop: AnnouncedLoop) -> None:
    loop.end_step(monotonic_ns())
