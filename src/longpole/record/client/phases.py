"""Phases as users mark them: ``with longpole.phase("clean", rows=n):`` and ``@longpole.phase``.

In a process that is not recorded a phase does nothing but test one name. In a recorded one it notes its
beginning, so that a kill shows what was going on, and writes one record when it ends. Nothing in here may
raise into the user's code.
"""

from __future__ import annotations

import itertools
import os
import sys
from _thread import get_ident  # ``threading`` would cost its import in every user's program
from contextvars import ContextVar
from time import monotonic_ns

from longpole.log.slots import FAILED, OK, PHASE, PHASE_LAYOUT, REMARK, REMARK_LAYOUT
from longpole.record.client.attributes import as_json
from longpole.record.client.ring import Ring, create_ring, note_loss

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextvars import Token
    from types import TracebackType
    from typing import Any, TypeVar, overload

    Function = TypeVar("Function", bound=Callable[..., Any])

RINGS_VARIABLE = "LONGPOLE_RINGS"

RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
WORLDS = ("WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS")

_DESCRIPTORS = (staticmethod, classmethod, property)

# The folder rings go to: '' in a process that is not recorded.
_folder = ""
_ring: Ring | None = None
_forked_from = (0, 0)
_ids = itertools.count(1)
_lanes: dict[int, int] = {}
_current: ContextVar[int] = ContextVar("longpole_phase", default=0)


class Phase:
    """An interval of the user's own, from ``with`` to its end. One object marks one interval at a time."""

    __slots__ = (
        "_attributes",
        "_id",
        "_lane",
        "_names",
        "_parent",
        "_place",
        "_ring",
        "_start",
        "_token",
        "kind",
        "name",
    )

    _names: tuple[int, int]
    _parent: int
    _lane: int
    _place: int
    _start: int
    _ring: Ring
    _token: Token[int]

    def __init__(self, name: str, kind: str, attributes: dict[str, Any]) -> None:
        """Name the phase; attributes are kept with it, ``kind`` groups it with others of its kind."""
        self.name = name
        self.kind = kind
        self._attributes = attributes
        self._id = 0

    def note(self, /, **attributes: object) -> None:
        """Add attributes that are known only now."""
        self._attributes.update(attributes)

    def __enter__(self) -> Phase:
        """Begin."""
        if _folder:
            _begin(self)
        return self

    def __exit__(
        self, failure: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End; a failing block is marked as failed and its exception goes on untouched."""
        if self._id:
            _end(self, failure)

    def __call__(self, function: Function) -> Function:
        """Use as a decorator: every call of the function is one phase."""
        wrapped: Function = _decorated(function, self.name, self.kind, self._attributes)
        return wrapped


if TYPE_CHECKING:

    @overload
    def phase(name: Function, /) -> Function: ...
    @overload
    def phase(name: str, /, kind: str = ..., **attributes: object) -> Phase: ...


def phase(name: Any, /, kind: str = "phase", **attributes: object) -> Any:
    """Mark a part of the program, as a ``with`` block or as a decorator.

    Examples:
        >>> with phase("clean", rows=3):
        ...     pass
        >>> @phase
        ... def train():
        ...     return "done"
        >>> train()
        'done'
    """
    if name.__class__ is not str and (callable(name) or isinstance(name, _DESCRIPTORS)):
        function = getattr(name, "__func__", None) or getattr(name, "fget", None) or name
        return _decorated(name, getattr(function, "__qualname__", "?"), kind, attributes)
    return Phase(name, kind, attributes)


def start_recording(folder: str) -> None:
    """Let this process's phases go to rings in ``folder``; '' stops it."""
    global _folder, _ring
    if _ring is not None:
        _ring.close()
    _folder, _ring = folder, None


def recording() -> bool:
    """Return whether this process's phases are recorded."""
    return bool(_folder)


def this_ring() -> Ring | None:
    """Return the ring of this process, made now if need be; None where nothing is recorded."""
    return (_ring or _open_ring()) if _folder else None


def new_identity() -> int:
    """Return a number for a phase whose parts are written before it."""
    return next(_ids)


def current() -> int:
    """Return the number of the phase this code runs in, or 0."""
    return _current.get()


def lane() -> int:
    """Return the number of this thread."""
    return _lane()


class Past:
    """A phase that has ended: what is known of it, for whoever finds out only then."""

    __slots__ = ("attributes", "device", "failed", "identity", "kind", "lane", "name", "parent", "times")

    def __init__(self, name: str, kind: str, times: tuple[int, int]) -> None:
        """Take its name and kind, and when it began and ended on the monotonic clock, in ns."""
        self.name = name
        self.kind = kind
        self.times = times
        self.parent = -1
        self.identity = 0
        self.attributes: dict[str, Any] = {}
        self.failed = False
        self.device = 0
        self.lane = -1


def write_past(past: Past) -> None:
    """Write a phase that has ended; its parent, if not said, is the phase this code runs in."""
    ring = this_ring()
    if ring is None:
        return
    names = ring.text(past.name), ring.text(past.kind)
    attributes = ring.once(as_json(past.attributes)) if past.attributes else 0
    place = past.lane if past.lane >= 0 else _lane()
    who = past.identity or next(_ids), past.parent if past.parent >= 0 else _current.get()
    status = FAILED if past.failed else OK
    fields = (*who, *names, attributes, *past.times, past.device, 0, 0)
    ring.slot(PHASE_LAYOUT, PHASE, status, place, *fields)


def remark(**facts: object) -> None:
    """Leave a word in the run about the recording of this process."""
    ring = this_ring()
    if ring is not None:
        ring.slot(REMARK_LAYOUT, REMARK, 0, 0, ring.once(as_json(facts)), monotonic_ns(), b"")


def _decorated(function: Any, name: str, kind: str, attributes: dict[str, Any]) -> Any:
    from longpole.record.client.decorate import decorate

    return decorate(function, lambda: Phase(name, kind, dict(attributes)))


def _begin(phase: Phase) -> None:
    ring = _ring or _open_ring()
    if ring is None:
        return
    try:
        name, kind = ring.text(phase.name), ring.text(phase.kind)
    except Exception:  # noqa: BLE001  a name that is no text must not stop the user's code
        return
    lane, parent, identity = _lane(), _current.get(), next(_ids)
    phase._names = name, kind
    phase._ring, phase._lane, phase._parent, phase._id = ring, lane, parent, identity
    phase._token = _current.set(identity)
    phase._start = monotonic_ns()
    phase._place = ring.open_phase(lane, identity, parent, name, kind, phase._start)


def _end(phase: Phase, failure: type[BaseException] | None) -> None:
    end = monotonic_ns()
    identity, phase._id = phase._id, 0
    try:
        _current.reset(phase._token)
    except (ValueError, RuntimeError):
        pass  # ended in another context than it began in, or one object used by several threads
    ring = phase._ring
    if ring is not _ring:
        return  # begun before a fork: the parent ends it
    if failure is not None:
        phase._attributes.setdefault("error", failure.__name__)
    attributes = ring.once(as_json(phase._attributes)) if phase._attributes else 0
    status = OK if failure is None else FAILED
    times = phase._start, end
    ring.slot(
        PHASE_LAYOUT,
        PHASE,
        status,
        phase._lane,
        identity,
        phase._parent,
        *phase._names,
        attributes,
        *times,
        0,
        0,
        0,
    )
    ring.close_phase(phase._place)


def _open_ring() -> Ring | None:
    """Make this process's ring at its first phase; without room, leave word once and record no more."""
    global _folder, _ring  # noqa: PLW0603
    try:
        ring = create_ring(_folder, parent=_forked_from)
        ring.once(_hello())
    except OSError:
        note_loss(_folder)
        _folder = ""
        return None
    _ring = ring
    import atexit

    atexit.register(ring.close)
    return ring


def _after_fork() -> None:
    """Give a forked child a ring of its own, under the phase it was forked in."""
    global _ring, _forked_from  # noqa: PLW0603
    if _ring is not None:
        _forked_from = (_ring.tag, _current.get())
        _ring = None
    _current.set(0)
    _lanes.clear()


def _lane() -> int:
    ident = get_ident()
    lane = _lanes.get(ident)
    if lane is None:
        lane = _lanes[ident] = min(len(_lanes), 65535)
    return lane


def _hello() -> str:
    facts: dict[str, Any] = {"python": sys.version.split()[0]}
    for key, names in (("rank", RANKS), ("world", WORLDS)):
        found = [os.environ[name] for name in names if os.environ.get(name, "").isdigit()]
        if found:
            facts[key] = int(found[0])
    return as_json(facts)


start_recording(os.environ.get(RINGS_VARIABLE, ""))
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
