"""Calls of PyTorch's models: of the outermost modules, which nothing else marks.

Hooks on all modules would cost up to a tenth of a short step. So only the classes of outermost modules are
watched, and all modules for a few calls now and then, to find such classes: after two seconds, four, eight
and so on, since every change of a class costs Python its caches. A module without parameters (a loss) is no
model. What is being compiled by ``torch.compile`` is left alone.
"""

from __future__ import annotations

from _thread import get_ident
from _weakref import ref
from functools import wraps
from time import monotonic_ns

from longpole.record.hooks.events import (
    CALL,
    CALL_TO_INFER,
    CLOSELY,
    FAILED,
    INFERRED,
    MODELS,
    RETURN,
    RETURN_WITHOUT_GRADIENTS,
)
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import unseen, without_this_frame
from longpole.record.hooks.torch_aside import LIGHT, SKIPS, Place
from longpole.record.hooks.torch_device import FORWARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.hooks.loop import Loop
    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.torch_aside import Aside, Shorter
    from longpole.record.hooks.torch_device import DeviceTimer

_LOOK_AGAIN_NS = 2_000_000_000
_CALLS_TO_LOOK_AT = 8
_NEVER_NS = 1 << 62
# What wraps a model, and the attribute that has it.
_WRAPPERS = {"DistributedDataParallel": "module", "DataParallel": "module", "OptimizedModule": "_orig_mod"}
_LEAVE_ALONE, _LOOK, _LOOK_AT_END, _LOOK_INSIDE_NOT = range(4)


def _is_plain(kind: type) -> bool:
    """Return whether a module can be asked for parameters; a layer of Keras would begin to track them."""
    return not hasattr(kind, "_track_variables")


def compiling_in(torch: Any) -> Any:
    """Return the function that tells whether ``torch.compile`` is reading our code: it must find nothing."""
    return getattr(torch.compiler, "is_dynamo_compiling", None) or (lambda: False)


def note_size(model: Any) -> None:
    """Keep how large a model is, for the epochs that train it: once for each class, by its first instance."""
    inner = getattr(model, _WRAPPERS.get(type(model).__name__, ""), model)
    try:
        sizes = [(each.numel(), each.element_size()) for each in inner.parameters()]
    except Exception:  # noqa: BLE001  some have no size before they have seen data
        return
    bytes_ = sum(count * size for count, size in sizes)
    MODELS[type(inner).__name__] = ref(model), sum(count for count, _ in sizes), bytes_


class Models:
    """Finds the classes of outermost modules, and watches calls of their instances."""

    def __init__(self, torch: Any, timer: DeviceTimer, aside: Aside, patches: Patches) -> None:
        """Watch with these patches."""
        self._timer = timer
        self._aside = aside
        self._module = torch.nn.Module
        self._call = torch.nn.Module.__call__
        self._gradients = torch.is_grad_enabled
        self._compiling = compiling_in(torch)
        self._graph_task = getattr(torch._C, "_current_graph_task_id", None) or (lambda: -1)
        self._patches = patches
        self._is_model: dict[type, bool] = {}
        self._ours: list[Any] = []
        self._looking: Any = None
        self._left = 0
        self._look_again_ns = 0
        self._pause_ns = _LOOK_AGAIN_NS // 2
        patches.on_undo(self._end)

    def look(self) -> None:
        """Look at the calls of all modules for a few calls of outermost ones."""
        self._left = _CALLS_TO_LOOK_AT
        if self._looking is None:
            self._call = self._module.__call__  # which may be somebody else's by now
            self._looking = self._watched(self._call, "")
            self._module.__call__ = self._looking
            if self._is_model:  # else with the first call: a program may have none
                CLOSELY.append(True)

    def _end(self) -> None:
        self._stop_looking()
        self._look_again_ns = _NEVER_NS

    def _look_on(self) -> None:
        self._left -= 1
        if self._left <= 0:
            self._stop_looking()

    def _stop_looking(self) -> None:
        looking, self._looking = self._looking, None
        CLOSELY.clear()
        if looking is not None and self._module.__call__ is looking:
            self._module.__call__ = self._call
        self._pause_ns *= 2
        self._look_again_ns = monotonic_ns() + self._pause_ns

    def _classify(self, model: Any) -> bool:
        """Return whether an outermost module is a model; its class is watched from now on if it is."""
        kind = type(model)
        known = self._is_model.get(kind)
        if self._looking is not None and not CLOSELY:
            CLOSELY.append(True)
        if not known:
            self._look_on()
        if known is None:
            known = self._is_model[kind] = _is_plain(kind) and next(model.parameters(), None) is not None
            if known:
                note_size(model)
            call = kind.__call__
            if known and call not in self._ours:
                self._watch(kind, self._call if call is self._looking else call)
        return known

    def _watch(self, kind: type, original: Any) -> None:
        """Watch a class. What it inherits is looked up at each call: somebody may replace it, for a while."""
        above = [base for base in kind.__mro__[1:] if "__call__" in vars(base)]
        holder: Any = above[0] if above and "__call__" not in vars(kind) else None

        def inherited(call: Any) -> Any:
            return holder if holder is not None and call in (original, holder.__call__) else None

        place = Place(
            kind, "__call__", lambda call: self._watched(call, kind.__name__, inherited(call)), original
        )
        place.when(LIGHT, lambda call, full, one: self._watched_lightly(call, full, one, inherited(call)))
        self._ours.append(self._aside.add(place.when(SKIPS)).full)

    def _end_call(self, loop: Loop, now_ns: int) -> None:
        """Do what is not done after every call: look at what has happened, or at all modules for a while."""
        try:
            if self._looking is not None:
                self._look_on()
            if now_ns > loop.due_ns and not loop.led:
                loop.settle()
            if not CLOSELY and now_ns > self._look_again_ns:
                self.look()
                loop.look_at_all()
        except Exception as error:  # noqa: BLE001
            self._patches.give_up(error)

    def _new_loop(self) -> Loop | None:
        """Return a loop for this thread; none for those that run backward passes, and compute parts anew."""
        return None if self._graph_task() != -1 else LOOPS.here()

    def _begin_call(self, loop: Loop, model: Any, name: str) -> int:
        """Note that an outermost module is called; return how its return is to be looked at."""
        if loop.skips:
            return _LEAVE_ALONE
        if loop.quiet:
            if model.training and self._gradients():
                return _LEAVE_ALONE
            if loop.epoch is not None:
                loop.model = type(model).__name__
                fetched, loop.fetched = loop.fetched, False
                return _LOOK_AT_END if fetched else _LEAVE_ALONE
        if not (name or self._classify(model)):
            return _LEAVE_ALONE
        loop.inside = True
        loop.append((CALL if model.training else CALL_TO_INFER, monotonic_ns(), type(model).__name__))
        if self._timer.active:
            self._timer.mark(FORWARD)
        return _LOOK

    def _watched(self, original: Any, name: str, holder: Any = None) -> Any:  # noqa: C901
        """Return the call of a module with a look at the clock.

        Without a name, of a class not known yet; with a holder, what that one has in place of the original.
        """
        known, compiling, gradients, models = LOOPS.known, self._compiling, self._gradients, self
        timer, timed = self._timer, self._timer.possible

        # In one piece, as every function that is called from here costs a microsecond between two steps; what
        # is called is taken out of its object first, as Python has no short way to call what is in a slot.
        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807, C901, PLR0912
            if compiling():
                return original(self, *args, **kwargs)
            how = _LEAVE_ALONE
            try:
                loop: Any = known.get(get_ident()) or models._new_loop()
                if loop is not None and not loop.inside:
                    if loop.plain and name:
                        loop.inside, how = True, _LOOK
                        append = loop.append
                        what = CALL if self.training else CALL_TO_INFER
                        append((what, monotonic_ns(), type(self).__name__))
                        if timed and timer.active:
                            timer.mark(FORWARD)
                    elif loop.light and gradients() and self.training:
                        loop.inside, loop.trained, how = True, True, _LOOK_INSIDE_NOT
                        if timed and timer.active:
                            timer.mark(FORWARD)
                    else:
                        how = models._begin_call(loop, self, name)
            except Exception as error:  # noqa: BLE001
                models._patches.give_up(error)
            try:
                result = (holder.__call__ if holder else original)(self, *args, **kwargs)
            except BaseException as error:
                if how in (_LOOK, _LOOK_INSIDE_NOT):
                    loop.inside = False
                if how == _LOOK:
                    loop.append((FAILED, monotonic_ns(), 0))
                without_this_frame(error)
                raise
            if how == _LOOK_INSIDE_NOT:
                loop.inside = False
            elif how:
                append, now_ns = loop.append, monotonic_ns()
                if how == _LOOK_AT_END:
                    append((INFERRED, now_ns, type(self).__name__))
                else:
                    loop.inside = False
                    append((RETURN if gradients() else RETURN_WITHOUT_GRADIENTS, now_ns, 0))
                if now_ns > loop.due_ns or CLOSELY:
                    models._end_call(loop, now_ns)
            return result

        return unseen(wraps(original)(__call__))

    def _watched_lightly(self, original: Any, full: Any, one: Shorter, holder: Any) -> Any:
        """Return the shortest way to see that a model is called to be trained."""
        compiling, gradients = self._compiling, self._gradients
        on, loop, ident = one.on, one.loop, one.ident

        def __call__(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N807
            if compiling():
                return original(self, *args, **kwargs)
            mine = on and gradients() and get_ident() == ident and not loop.inside
            mine = mine and self.__dict__.get("training", True)
            try:
                if not mine:
                    return full(self, *args, **kwargs)
                loop.inside = loop.trained = True
                result = (holder.__call__ if holder else original)(self, *args, **kwargs)
                loop.inside = False
            except BaseException as error:
                if mine:
                    loop.inside = False
                without_this_frame(error)
                raise
            return result

        return unseen(wraps(original)(__call__))
