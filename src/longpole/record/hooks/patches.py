"""Patches: functions of a framework replaced by ones that also look at the clock, and put back again.

A replacement calls the original exactly once, with what it was given, and hands on what it returns or raises.
It leaves no trace: its frame is taken out of tracebacks (from Python 3.11 on; before, one line shows), and
``warnings`` does not count it. What fails in the looking makes the hook give up: the originals are put back,
and the run says which hook gave up, and why.
"""

from __future__ import annotations

import sys
from functools import wraps

from longpole.record.client.phases import Phase, recording, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# ``warnings`` passes over frames of files whose name holds both words when it counts levels of the stack.
UNSEEN_FILE = "<longpole, unseen as importlib._bootstrap is>"
_MISSING = object()
# Flags of a code object: a generator, a coroutine, both. A call of such a function only begins its work.
_BEGINS_ONLY = 0x20 | 0x80 | 0x200


class Patches:
    """What one hook has replaced."""

    def __init__(self, hook: str) -> None:
        """Name the hook, as the run will."""
        self.hook = hook
        self.given_up = False
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> Any:
        """Put ``make(original)`` in the place of an attribute; return what is there now.

        A static or class method stays one: ``original`` is the function in it. A function of a module is
        replaced in the module that defines it as well, where ``pickle`` looks for it by its name.

        Raises:
            AttributeError: There is no such attribute.
        """
        there = _look_up(owner, name)
        original = there.__func__ if isinstance(there, (staticmethod, classmethod)) else there
        replacement = _binding_as(there, owner, make(original))
        self._put(owner, name, replacement)
        home = _home(owner, original)
        if home is not None:
            self._put(home, original.__qualname__, replacement)
        return replacement

    def _put(self, owner: Any, name: str, replacement: Any) -> None:
        before = vars(owner).get(name, _MISSING)
        setattr(owner, name, replacement)

        def put_back() -> None:
            if vars(owner).get(name) is not replacement:
                return  # somebody else has replaced it since, and calls ours: that goes on to the original
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self._undo.append(put_back)

    def phase(self, owner: Any, name: str, kind: str, describe: Callable[..., Any] | None = None) -> None:
        """Make every call of a function a phase.

        Args:
            owner: Its module or class.
            name: What it is called there.
            kind: The kind of phase.
            describe: Called with the arguments of the call, returns the phase's name and its attributes.
        """
        self.replace(owner, name, lambda original: self.around(original, _marks(original, kind, describe)))

    def around(self, original: Any, begin: Callable[[tuple[Any, ...], dict[str, Any]], Any]) -> Any:
        """Return a function that calls the original between ``begin`` and what that returns.

        ``begin`` gets the arguments and returns what to call at the end with the result and the exception,
        one of which is None; or None, for a call that is to be left alone.

        Raises:
            TypeError: The original is a coroutine function or a generator: its calls only begin what it does.
        """
        if getattr(getattr(original, "__code__", None), "co_flags", 0) & _BEGINS_ONLY:
            raise TypeError(f"'{original.__qualname__}' is a coroutine function or a generator")

        def replacement(*args: Any, **kwargs: Any) -> Any:
            try:
                end = begin(args, kwargs) if recording() and not self.given_up else None
            except Exception as error:  # noqa: BLE001
                end = None
                self.give_up(error)
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                if end is not None:
                    self._finish(end, None, error)
                without_this_frame(error)
                raise
            if end is not None:
                self._finish(end, result, None)
            return result

        return unseen(wraps(original)(replacement))

    def on_undo(self, action: Callable[[], None]) -> None:
        """Do this, too, when the patches are taken back."""
        self._undo.append(action)

    def undo(self) -> None:
        """Put everything back as it was."""
        undo, self._undo = self._undo, []
        for action in reversed(undo):
            try:
                action()
            except Exception:  # noqa: BLE001  what cannot be put back calls the original anyway
                continue

    def give_up(self, error: BaseException) -> None:
        """Put everything back for good, and say so in the run."""
        if not self.given_up:
            self.given_up = True
            self.undo()
            remark(about="hook", hook=self.hook, why=f"{type(error).__name__}: {error}"[:500])

    def _finish(self, end: Callable[[Any, Any], None], result: Any, error: BaseException | None) -> None:
        try:
            end(result, error)
        except Exception as trouble:  # noqa: BLE001
            self.give_up(trouble)


def unseen(function: Any) -> Any:
    """Return the function such that ``warnings`` does not count its frames."""
    function.__code__ = function.__code__.replace(co_filename=UNSEEN_FILE)
    return function


def without_this_frame(error: BaseException) -> None:
    """Take the frame that calls this out of an exception's traceback, as it is about to be raised on."""
    trace = error.__traceback__
    if trace is not None:
        error.__traceback__ = trace.tb_next


def _marks(original: Any, kind: str, describe: Callable[..., Any] | None) -> Callable[..., Any]:
    def begin(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name, attributes = describe(*args, **kwargs) if describe else (original.__qualname__, {})
        phase = Phase(name, kind, attributes)
        phase.__enter__()
        return lambda _, error: phase.__exit__(None if error is None else type(error), error, None)

    return begin


def _look_up(owner: Any, name: str) -> Any:
    """Return an attribute as it is kept, not as it is handed out: a class method, and not what it binds."""
    for place in owner.__mro__ if isinstance(owner, type) else (owner,):
        if name in vars(place):
            return vars(place)[name]
    if isinstance(owner, type):  # a metaclass may have one of that name, which is no attribute of instances
        raise AttributeError(f"type object '{owner.__name__}' has no attribute '{name}'")
    return getattr(owner, name)


def _binding_as(there: Any, owner: Any, made: Any) -> Any:
    """Return what is to be kept in a class so that it is handed out as the original was."""
    if not isinstance(owner, type) or isinstance(made, (staticmethod, classmethod)):
        return made
    if isinstance(there, (staticmethod, classmethod)):
        return type(there)(made)
    return made if hasattr(there, "__get__") else staticmethod(made)


def _home(owner: Any, function: Any) -> Any:
    """Return the module in which a function of another module is found by its own name, or None."""
    home = sys.modules.get(getattr(function, "__module__", None) or "")
    if not isinstance(owner, type(sys)) or home is None:
        return None
    return home if vars(home).get(getattr(function, "__qualname__", "")) is function else None
