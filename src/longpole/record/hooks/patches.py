"""Patches: functions of a framework replaced by ones that also look at the clock, and put back again.

A replacement calls the original exactly once, with what it was given, and hands on what it returns or raises.
It leaves no trace: its frame is taken out of tracebacks (from Python 3.11 on; before, one line shows), and
``warnings`` does not count it. What fails in the looking makes the hook give up: the originals are put back,
and the run says which hook gave up, and why.
"""

from __future__ import annotations

from functools import wraps

from longpole.record.client.phases import Phase, recording, remark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# ``warnings`` passes over frames of files whose name holds both words when it counts levels of the stack.
UNSEEN_FILE = "<longpole, unseen as importlib._bootstrap is>"
_MISSING = object()


class Patches:
    """What one hook has replaced."""

    def __init__(self, hook: str) -> None:
        """Name the hook, as the run will."""
        self.hook = hook
        self.given_up = False
        self._undo: list[Callable[[], None]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> Any:
        """Put ``make(original)`` in the place of an attribute; return it.

        Raises:
            AttributeError: There is no such attribute.
        """
        own = vars(owner).get(name, _MISSING)
        original = own if own is not _MISSING else getattr(owner, name)
        replacement = make(original)
        setattr(owner, name, replacement)

        def put_back() -> None:
            if vars(owner).get(name) is not replacement:
                return  # somebody else has replaced it since, and calls ours: that goes on to the original
            if own is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, own)

        self._undo.append(put_back)
        return replacement

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
        """

        def replacement(*args: Any, **kwargs: Any) -> Any:
            try:
                end = begin(args, kwargs) if recording() else None
            except Exception as error:  # noqa: BLE001
                end = self.give_up(error)
            if end is None:
                return original(*args, **kwargs)
            try:
                result = original(*args, **kwargs)
            except BaseException as error:
                self._finish(end, None, error)
                without_this_frame(error)
                raise
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
            except Exception:  # noqa: BLE001, S112  what cannot be put back calls the original anyway
                continue

    def give_up(self, error: Exception) -> None:
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
        return lambda _, error: phase.__exit__(type(error) if error else None, error, None)

    return begin
