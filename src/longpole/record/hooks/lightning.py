"""PyTorch Lightning: fit, validate, test and predict as phases, with the epochs and validations of a fit.

Where it looks: at the methods of ``Trainer``, and of its loops. (A callback of ours would stand among the
user's, in the reports of Lightning's profilers, and in what is sent to other processes.) Steps are those that
the hook for PyTorch sees: as many as optimizers have stepped, which Lightning counts as its ``global_step``.
"""

from __future__ import annotations

import sys
from _thread import get_ident
from functools import partial

from longpole.record.client.phases import Phase
from longpole.record.hooks.led import LedLoop
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.noting import INFERENCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches

# Method of a trainer: the kind of phase that it is.
_RUNS = {"fit": "fit", "validate": "validation", "test": "test", "predict": "predict"}


def apply(lightning: ModuleType, patches: Patches) -> None:
    """Watch what Lightning does in this process; it has two names, one module each."""
    loops: Any = sys.modules[f"{lightning.__name__}.loops"]
    for method in _RUNS:
        patches.replace(lightning.Trainer, method, partial(patches.around, begin=_running(method)))
    for loop in (loops._FitLoop, loops._PredictionLoop):
        patches.replace(loop, "run", partial(patches.around, begin=_launched))
    patches.replace(loops._EvaluationLoop, "run", partial(patches.around, begin=_evaluating))
    patches.replace(loops._FitLoop, "on_advance_start", partial(patches.around, begin=_begin_epoch))
    patches.replace(loops._FitLoop, "on_advance_end", partial(patches.around, begin=_end_epoch))
    patches.on_undo(LOOPS.finish)


def _running(method: str) -> Any:
    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        trainer, model = args[0], kwargs.get("model", args[1] if len(args) > 1 else None)
        attributes = {} if model is None else {"model": type(model).__name__}
        if method == "fit" and trainer.max_epochs is not None:
            attributes["epochs"] = trainer.max_epochs
        return _enter(f"{type(trainer).__name__}.{method}", _RUNS[method], attributes)

    return begin


def _enter(name: str, kind: str, attributes: dict[str, Any]) -> Any:
    """Begin a phase; return what ends it."""
    loop = LedLoop.enter(Phase(name, kind, attributes))
    if loop is None:
        return None
    if kind != "fit":
        loop.kind = INFERENCE
    return lambda _, error: loop.leave(error)


def _launched(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
    """Begin a phase in a process that Lightning has started: no method of a trainer is called there."""
    if LOOPS.led():
        return None
    trainer = args[0].trainer
    method = trainer.state.fn.value
    return _enter(f"{type(trainer).__name__}.{method}", _RUNS[method], {})


def _evaluating(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    trainer = args[0].trainer
    if trainer.state.fn != "fit":
        return _launched(args, kwargs)
    return _enter("sanity check" if trainer.sanity_checking else "validation", "validation", {})


def _begin_epoch(args: tuple[Any, ...], _: dict[str, Any]) -> None:
    _leave_epoch(None)  # one that was broken off
    LedLoop.enter(Phase("epoch", "epoch", {"number": args[0].trainer.current_epoch + 1}))


def _end_epoch(_: tuple[Any, ...], __: dict[str, Any]) -> Any:
    return lambda _, error: _leave_epoch(error)


def _leave_epoch(error: BaseException | None) -> None:
    loop = LOOPS.known.get(get_ident())
    if isinstance(loop, LedLoop) and loop.purpose == "epoch":
        loop.leave(error)
