"""Fetches: how long a loop over a DataLoader waits for its batches, and where loops begin and end."""

from __future__ import annotations

from _thread import get_ident
from functools import wraps
from time import monotonic_ns

from longpole.record.hooks.budget import LONGEST_WAIT_NS
from longpole.record.hooks.events import ENTER, FETCH, FETCHED
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import unseen, without_this_frame
from longpole.record.hooks.torch_aside import LIGHT, SKIPS, SKIPS_AMONG_THREADS, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from longpole.record.hooks.epochs import Epochs
    from longpole.record.hooks.loop import Loop
    from longpole.record.hooks.patches import Patches
    from longpole.record.hooks.torch_aside import Aside, Shorter


def watch_fetches(loading: Any, epochs: Epochs, aside: Aside, patches: Patches) -> None:
    """Watch the iterators of all loaders."""
    place = Place(loading._BaseDataLoaderIter, "__next__", lambda next_: _fetching(next_, epochs, patches))
    place.when(LIGHT, lambda next_, full, one: _fetching_lightly(next_, full, one, epochs, patches))
    for how in (SKIPS, SKIPS_AMONG_THREADS):
        place.when(how, lambda next_, full, one: _counting(next_, full, one, epochs, patches))
    aside.add(place)
    patches.replace(loading.DataLoader, "__iter__", lambda iter_: _iterating(iter_, epochs, patches))


def _fetching(original: Any, epochs: Epochs, patches: Patches) -> Any:
    known = LOOPS.known

    def __next__(self: Any) -> Any:  # noqa: N807
        inside = False
        try:
            loop = known.get(get_ident()) or LOOPS.here()
            if loop is not None:
                if loop.plain or loop.light:
                    append, now = loop.append, monotonic_ns()
                    append((FETCH, now, id(self)))
                    if now - loop.due_ns > LONGEST_WAIT_NS:  # nothing but fetches has come for long
                        loop.settle()
                else:
                    _fetch(loop, id(self))
                inside, loop.inside = loop.inside, True  # a model that is called in here is part of the wait
        except Exception as error:  # noqa: BLE001
            loop = None
            patches.give_up(error)
        try:
            batch = original(self)
        except BaseException as error:
            if loop is not None:
                loop.inside = inside
                epochs.leave(loop, self, error)
            without_this_frame(error)
            raise
        if loop is not None:
            loop.inside = inside
            if loop.plain or not (loop.quiet or loop.skips):
                append = loop.append
                append((FETCHED, monotonic_ns(), id(self)))
        return batch

    return unseen(wraps(original)(__next__))


def _fetch(loop: Loop, source: int) -> None:
    """Note that a batch is fetched in a loop of which not all is looked at, or that a framework leads."""
    if loop.skips:
        _count(loop, source, monotonic_ns())
    elif not loop.quiet:
        loop.append((FETCH, monotonic_ns(), source))
    else:
        if loop.source != source and not loop.fetched:
            loop.source = source
            loop.append((ENTER, monotonic_ns(), source))
        loop.fetched = True


def _count(loop: Loop, source: int, now: int) -> None:
    if source == loop.began_by:
        loop.append_fetch(now)
    if now > loop.due_ns:
        loop.settle()


def _fetching_lightly(original: Any, full: Any, one: Shorter, epochs: Epochs, patches: Patches) -> Any:
    """Return the shortest way to note the wait for a batch."""
    on, loop, ident, append = one.on, one.loop, one.ident, one.loop.append

    def __next__(self: Any) -> Any:  # noqa: N807
        mine, inside = on and get_ident() == ident, False
        try:
            if not mine:
                return full(self)
            now = monotonic_ns()
            append((FETCH, now, id(self)))
            if now - loop.due_ns > LONGEST_WAIT_NS:
                _settle(loop, patches)
            inside, loop.inside = loop.inside, True
            batch = original(self)
            loop.inside = inside
            append((FETCHED, monotonic_ns(), id(self)))
        except BaseException as error:
            if mine:
                loop.inside = inside
                epochs.leave(loop, self, error)
            without_this_frame(error)
            raise
        return batch

    return unseen(wraps(original)(__next__))


def _counting(original: Any, full: Any, one: Shorter, epochs: Epochs, patches: Patches) -> Any:
    """Return the shortest way to count a batch."""
    on, loop, ident = one.on, one.loop, one.ident
    append, source = loop.append_fetch, loop.began_by

    def __next__(self: Any) -> Any:  # noqa: N807
        mine = on and get_ident() == ident
        try:
            if not mine:
                return full(self)
            now = monotonic_ns()
            if id(self) == source:
                append(now)
            if now > loop.due_ns:
                _settle(loop, patches)
            return original(self)
        except BaseException as error:
            if mine:
                epochs.leave(loop, self, error)
            without_this_frame(error)
            raise

    return unseen(wraps(original)(__next__))


def _settle(loop: Loop, patches: Patches) -> None:
    try:
        loop.settle()
    except Exception as error:  # noqa: BLE001
        patches.give_up(error)


def _iterating(original: Any, epochs: Epochs, patches: Patches) -> Any:
    def begin(args: tuple[Any, ...], _: dict[str, Any]) -> Any:
        start_ns = monotonic_ns()
        return lambda iterator, error: epochs.begin(args[0], iterator, start_ns) if error is None else None

    return patches.around(original, begin)
