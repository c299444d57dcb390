"""Hooks that step aside: in full whenever a loop is looked at in full, else as short as may be."""

from __future__ import annotations

from _thread import get_ident
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from longpole.record.hooks import torch_aside
from longpole.record.hooks.events import LISTENERS, tell_listeners
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import Patches
from longpole.record.hooks.torch_aside import FULL, LIGHT, SKIPS, Aside, Place, Shorter

ELSEWHERE = -1
IN_FULL, LIGHTLY, SKIPPED = "in full", "lightly", "skipped"


def original() -> str:
    return "original"


def _full(wrapped: Callable[[], str]) -> Callable[[], str]:
    return lambda: f"{IN_FULL} {wrapped()}"


def _lightly(wrapped: Callable[[], str], full: Callable[[], str], one: Shorter) -> Callable[[], str]:
    return lambda: f"{LIGHTLY} {wrapped()}" if one.on else full()


class Desk:
    """A place, and a timer of a device."""

    def __init__(self) -> None:
        self.module = SimpleNamespace(backward=original)
        self.on_device = False
        self.patches = Patches("torch")
        timer: Any = SimpleNamespace(in_use=lambda: self.on_device)
        self.aside = Aside(timer, self.patches)
        self.aside.add(Place(self.module, "backward", _full).when(LIGHT, _lightly).when(SKIPS))

    def called(self, *states: str, ident: int | None = None) -> str:
        """Let there be loops that are looked at so; return what a call does."""
        loops: dict[int, Any] = {
            (get_ident() if ident is None else ident) - at: SimpleNamespace(
                light=state == LIGHTLY, skips=state == SKIPPED
            )
            for at, state in enumerate(states)
        }
        LOOPS.known.clear()
        LOOPS.known.update(loops)
        tell_listeners()
        return str(self.module.backward())


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    before = list(LISTENERS)
    monkeypatch.setattr(LOOPS, "known", {})
    monkeypatch.setattr(torch_aside, "count_threads", lambda: 0)
    yield Desk()
    LISTENERS[:] = before


def test_what_stands_there_is_as_short_as_the_only_loop_allows(desk: Desk) -> None:
    assert desk.called() == "in full original"
    assert desk.called(IN_FULL) == "in full original"
    assert desk.called(LIGHTLY) == "lightly original"
    assert desk.called(SKIPPED) == "original"
    assert desk.called(LIGHTLY, LIGHTLY) == "in full original"
    assert desk.called(LIGHTLY) == "lightly original"
    assert desk.called() == "in full original"


def test_a_loop_that_changes_while_another_thread_is_told_is_looked_at_in_full(desk: Desk) -> None:
    assert desk.called(LIGHTLY, ident=ELSEWHERE) == "in full original"


def test_optimizers_hear_whether_a_loop_is_looked_at_lightly(desk: Desk) -> None:
    heard = []
    for state in (IN_FULL, LIGHTLY, SKIPPED, LIGHTLY, IN_FULL):
        desk.called(state)
        heard.append(bool(desk.aside.lightly))

    assert heard == [False, True, False, True, False]


def test_times_on_a_device_need_it_in_full_where_there_is_training(desk: Desk) -> None:
    desk.on_device = True

    assert desk.called(LIGHTLY) == "in full original"
    assert desk.called(SKIPPED) == "original"


@pytest.mark.parametrize("state", [IN_FULL, LIGHTLY])
def test_what_was_put_over_it_stays_and_goes_through_it_in_full(desk: Desk, state: str) -> None:
    desk.called(state)
    ours = desk.module.backward
    desk.module.backward = theirs = lambda: f"theirs {ours()}"

    assert desk.called(SKIPPED) == "theirs in full original"
    assert desk.called(IN_FULL) == "theirs in full original"
    assert desk.module.backward is theirs


def test_what_was_put_in_place_while_it_was_away_is_watched(desk: Desk) -> None:
    desk.called(SKIPPED)
    desk.module.backward = theirs = lambda: "theirs"

    assert desk.called(IN_FULL) == "in full theirs"
    assert desk.called(SKIPPED) == "theirs"
    desk.patches.undo()
    assert desk.module.backward is theirs


@pytest.mark.parametrize("state", [IN_FULL, LIGHTLY, SKIPPED])
def test_it_is_gone_once_the_patches_are_taken_back(desk: Desk, state: str) -> None:
    desk.called(state)
    desk.patches.undo()
    desk.called(IN_FULL)

    assert desk.module.backward is original


class Parent:
    def call(self) -> str:
        return "inherited"


@pytest.fixture
def child() -> type[Parent]:
    return type("Child", (Parent,), {})


def _watched(kind: type[Parent]) -> Place:
    return Place(kind, "call", lambda call: lambda self: f"{IN_FULL} {call(self)}").when(SKIPS)


def _one() -> Shorter:
    loop: Any = SimpleNamespace()
    return Shorter(loop, 0)


def test_a_method_that_was_inherited_is_inherited_while_nothing_stands_there_and_in_the_end(
    child: type[Parent],
) -> None:
    place = _watched(child)

    assert (child().call(), Parent().call()) == ("in full inherited", "inherited")
    place.turn(SKIPS, _one())
    assert "call" not in vars(child)
    place.turn(FULL, None)
    assert child().call() == "in full inherited"
    place.end()
    assert "call" not in vars(child)


@pytest.mark.parametrize("how", [FULL, SKIPS])
def test_nothing_is_put_there_once_it_has_ended(child: type[Parent], how: int) -> None:
    place = _watched(child)
    place.turn(how, _one())
    place.end()
    place.turn(FULL, None)

    assert child().call() == "inherited"
    assert "call" not in vars(child)


@pytest.mark.parametrize("how", [FULL, SKIPS])
def test_a_method_that_somebody_put_there_and_took_away_again_is_watched_anew(
    child: type[Parent], how: int
) -> None:
    place = _watched(child)
    place.turn(how, _one())
    child.call = lambda _: "theirs"  # type: ignore[assignment,method-assign]
    del child.call
    place.turn(FULL, None)
    place.turn(SKIPS, _one())
    place.turn(FULL, None)

    assert child().call() == "in full inherited"


def test_a_class_that_has_been_changed_often_is_changed_no_more(
    child: type[Parent], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_aside, "_MOST_TURNS", 4)
    place = _watched(child)
    for _ in range(5):
        place.turn(SKIPS, _one())
        place.turn(FULL, None)
    place.turn(SKIPS, _one())

    assert child().call() == "in full inherited"


def test_calls_are_looked_at_where_other_threads_may_make_them(desk: Desk) -> None:
    assert desk.called(SKIPPED) == "original"
    desk.aside.expect_threads()

    assert desk.module.backward() == "in full original"


def test_a_listener_that_raises_does_no_harm(desk: Desk) -> None:
    LISTENERS.insert(0, lambda: 1 / 0)  # type: ignore[arg-type]

    assert desk.called(LIGHTLY) == "lightly original"
