"""scikit-learn: each call of an outermost estimator's fit, predict, transform or score is a phase.

Method: the methods that a class defines itself are wrapped when the class is made, or at once if it is there
already, and those of the mixins it has; so a class has what it had, in the same places. Classes that may be
pickled by value, as those of ``__main__`` are, stay as they are, lest a wrapper get into a file.
Short calls of which there are many are only counted.
"""

from __future__ import annotations

from _thread import get_ident
from functools import wraps
from types import FunctionType

from longpole.record.client.attributes import as_json
from longpole.record.client.phases import recording
from longpole.record.hooks.nesting import INSIDE
from longpole.record.hooks.patches import UNSEEN_FILE, unseen, without_this_frame
from longpole.record.hooks.placed import Placed, place
from longpole.record.hooks.shorts import Shorts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, ModuleType
    from typing import Any

    from longpole.record.hooks.patches import Patches

KINDS = {
    **dict.fromkeys(("fit", "partial_fit", "fit_transform", "fit_predict"), "fit"),
    **dict.fromkeys(("predict", "predict_proba", "decision_function", "score"), "predict"),
    "transform": "transform",
}
_BY_VALUE = ("__main__", "__mp_main__")
# Their classes have hooks of their own, or none of these methods.
_OTHERS = ("builtins", "abc", "typing", "torch", "keras", "tensorflow", "lightning", "pytorch_lightning")


def apply(base: ModuleType, patches: Patches) -> None:
    """Watch the estimators that are there, and those to come."""
    watch = Watch(base.BaseEstimator, patches)
    patches.replace(base.BaseEstimator, "__init_subclass__", watch.subclassing)
    watch.take_all(base.BaseEstimator)


class Watch:
    """The estimators of this process; what all wrappers have in common."""

    def __init__(self, base: Any, patches: Patches) -> None:
        """Begin with none."""
        self._base = base
        self._patches = patches
        self._taken: set[type] = set()
        self._code: CodeType | None = None
        self._shorts = Shorts()

    def __reduce__(self) -> tuple[type, tuple[()]]:
        """Leave nothing but False where a wrapper is pickled by value after all: it does nothing then."""
        return bool, ()

    def subclassing(self, _: object) -> Any:
        """Return what is called for each new class below the base."""
        base, watch = self._base, self
        own = vars(base).get("__init_subclass__")

        def __init_subclass__(cls: Any, **kwargs: Any) -> None:  # noqa: N807
            try:
                inherited = super(base, cls).__init_subclass__ if own is None else own.__get__(None, cls)
                inherited(**kwargs)
            except BaseException as error:
                without_this_frame(error)
                raise
            watch.take(cls)

        return classmethod(unseen(__init_subclass__))

    def take_all(self, base: type) -> None:
        """Watch a class and all below it."""
        waiting: list[type] = [base]
        met = {base}
        while waiting:
            estimator = waiting.pop()
            self.take(estimator)
            below: set[type] = set(type.__subclasses__(estimator)) - met
            met |= below
            waiting += below

    def take(self, estimator: type) -> None:
        """Watch a class and its mixins; never raises."""
        try:
            for owner in estimator.__mro__:
                if owner not in self._taken and self._may_take(owner) and not self._patches.given_up:
                    self._taken.add(owner)
                    for name in KINDS:
                        self._wrap(owner, name)
        except Exception as error:  # noqa: BLE001
            self._patches.give_up(error)

    def _may_take(self, owner: type) -> bool:
        module = str(owner.__module__)
        if module in _BY_VALUE or "<locals>" in owner.__qualname__:
            return False
        return issubclass(owner, self._base) or module.partition(".")[0] not in _OTHERS

    def _wrap(self, owner: type, name: str) -> None:
        found = vars(owner).get(name)
        if type(found) is FunctionType:
            self._patches.replace(owner, name, lambda function: self._watched(function, name))
        elif type(found).__module__.startswith("sklearn.") and isinstance(
            vars(found).get("fn"), FunctionType
        ):
            # a method that is there only for some instances: a descriptor holds the function
            self._patches.replace(found, "fn", lambda function: self._watched(function, name))

    def _watched(self, original: Any, name: str) -> Any:
        """Return a method in the place of another; it uses nothing of ours but this watch."""
        watch: Any = self
        inside, here = INSIDE, get_ident

        def method(*args: Any, **kwargs: Any) -> Any:
            call = watch.begin(name, args) if watch and here() not in inside else None
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                if call is not None:
                    watch.end(call, (args, kwargs), error)
                if error.__traceback__ is not None:
                    error.__traceback__ = error.__traceback__.tb_next
                raise
            if call is not None:
                watch.end(call, (args, kwargs), None)
            return result

        # one code for all: a copy for each would take more memory than all else here
        self._code = self._code or method.__code__.replace(co_filename=UNSEEN_FILE)
        method.__code__ = self._code
        return wraps(original)(method)

    def begin(self, method: str, args: tuple[Any, ...]) -> Call | None:
        """Begin a call of an outermost estimator; never raises."""
        try:
            if not args or not isinstance(args[0], self._base) or not recording():
                return None
            name = f"{type(args[0]).__name__}.{method}"
            phase = None if self._patches.given_up else place(name, KINDS[method])
            if phase is None:
                return None
            INSIDE.add(get_ident())
            phase.enter()
            return Call(phase, name, KINDS[method])
        except Exception as error:  # noqa: BLE001
            INSIDE.discard(get_ident())
            self._patches.give_up(error)
            return None

    def end(
        self, call: Call, given: tuple[tuple[Any, ...], dict[str, Any]], error: BaseException | None
    ) -> None:
        """End it; never raises."""
        try:
            INSIDE.discard(get_ident())
            call.phase.stop()
            if error is not None or not self._shorts.count(call.phase, call.name, call.kind):
                attributes = size_of(*given)
                if error is not None:
                    attributes["error"] = type(error).__name__
                call.phase.write(as_json(attributes) if attributes else "", failed=error is not None)
        except Exception as trouble:  # noqa: BLE001
            self._patches.give_up(trouble)


class Call:
    """A call of an outermost estimator that is under way."""

    __slots__ = ("kind", "name", "phase")

    def __init__(self, phase: Placed, name: str, kind: str) -> None:
        """Keep its phase, and what it is called."""
        self.phase = phase
        self.name = name
        self.kind = kind


def size_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return how many samples and features the data of a call has, as far as that can be seen without a look.

    Examples:
        >>> size_of(("estimator", [[1, 2, 3], [4, 5, 6]]), {})
        {'samples': 2, 'features': 3}
        >>> size_of(("estimator",), {"X": ["a text", "another"]})
        {'samples': 2}
    """
    data: Any = args[1] if len(args) > 1 else kwargs.get("X")
    try:
        if type(data) in (list, tuple):
            row: Any = data[0] if data else None
            shape = (len(data), len(row)) if type(row) in (list, tuple) else (len(data),)
        else:
            shape = tuple(getattr(data, "shape", ()))[:2]
        return dict(zip(("samples", "features"), map(int, shape)))
    except Exception:  # noqa: BLE001  data of an unknown kind
        return {}
