"""joblib: each call of ``Parallel`` is a phase, and so is each batch of its calls, where that runs.

Batches that run in threads are parts of the call they belong to, and inside the estimator that made it.
Those in other processes are phases of these: nothing of ours travels with what is sent there. A call that
returns a generator ends when the generator is there; what the caller runs one after the other has no batches.
"""

from __future__ import annotations

from _thread import get_ident
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType
from weakref import WeakKeyDictionary

from longpole.record.client.attributes import as_json
from longpole.record.hooks.nesting import INSIDE
from longpole.record.hooks.placed import place
from longpole.record.hooks.shorts import Shorts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches

_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodType)
# Whose objects may stand for a function that they hold.
_LIBRARIES = ("joblib.", "sklearn.")
_CALL = "_longpole_call"


def apply(joblib: ModuleType, patches: Patches) -> None:
    """Watch parallel calls and their batches."""
    calls: Any = WeakKeyDictionary()
    shorts = Shorts()
    parallel, batch = joblib.Parallel, joblib.parallel.BatchedCalls

    def begin(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        return _begin_call(calls, args[0])

    def begin_batch(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        return _begin_batch(shorts, args[0])

    def dispatching(args: tuple[Any, ...], _: dict[str, Any]) -> None:
        if getattr(args[0]._backend, "supports_sharedmem", False):
            setattr(args[1], _CALL, calls.get(args[0]))

    patches.replace(parallel, "__call__", lambda original: patches.around(original, begin))
    patches.replace(batch, "__call__", lambda original: patches.around(original, begin_batch))
    if hasattr(parallel, "_dispatch"):
        patches.replace(parallel, "_dispatch", lambda original: patches.around(original, dispatching))


def _begin_call(calls: Any, parallel: Any) -> Any:
    phase = place("joblib.Parallel", "parallel")
    if phase is None:
        return None
    calls[parallel] = phase.identity, get_ident() in INSIDE
    phase.enter()

    def end(_: Any, error: BaseException | None) -> None:
        phase.stop()
        attributes = _facts(parallel)
        if error is not None:
            attributes["error"] = type(error).__name__
        phase.write(as_json(attributes), failed=error is not None)

    return end


def _facts(parallel: Any) -> dict[str, Any]:
    jobs = getattr(parallel, "n_jobs", None)
    if jobs != 1:
        jobs = getattr(parallel, "_cached_effective_n_jobs", jobs)
    backend = type(getattr(parallel, "_backend", None)).__name__
    return {"n_jobs": jobs, "backend": backend.replace("Backend", "").lower()}


def _begin_batch(shorts: Shorts, batch: Any) -> Any:
    here = get_ident()
    parent, nested = getattr(batch, _CALL, None) or (-1, False)
    name = _name(batch)
    phase = place(name, "job", parent)
    if phase is None:
        return None
    nested = nested and here not in INSIDE
    if nested:
        INSIDE.add(here)
    phase.enter()

    def end(_: Any, error: BaseException | None) -> None:
        if nested:
            INSIDE.discard(here)
        phase.stop()
        if error is not None or not shorts.count(phase, name, "job"):
            tasks = getattr(batch, "_size", 1)
            phase.write(as_json({"tasks": tasks}) if tasks != 1 else "", failed=error is not None)

    return end


def _name(batch: Any) -> str:
    """Return the name of the function that a batch calls, without asking an object of the user's."""
    function = batch.items[0][0] if batch.items else None
    for _ in range(4):
        if isinstance(function, _FUNCTIONS) or type(function).__module__ == "numpy":
            return str(getattr(function, "__name__", "numpy"))
        if isinstance(function, partial):
            function = function.func
        elif type(function).__module__.startswith(_LIBRARIES):
            function = vars(function).get("function") or vars(function).get("_obj")
    return type(function).__name__
