"""The hook on backward passes: there whenever a loop of the process looks at them, else out of the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from longpole.record.hooks.events import LISTENERS, tell_listeners
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import Patches
from longpole.record.hooks.torch_parts import BackwardHook


def original() -> None:
    pass


def make(wrapped: Callable[[], None]) -> Any:
    """Return what stands in for a function."""
    return SimpleNamespace(__wrapped__=wrapped)


class Desk:
    """The hook, and a timer of a device."""

    def __init__(self) -> None:
        self.autograd = SimpleNamespace(backward=original)
        self.on_device = False
        self.patches = Patches("torch")
        timer: Any = SimpleNamespace(in_use=lambda: self.on_device)
        BackwardHook(self.autograd, timer, make).follow(self.patches)

    def there(self, *lights: bool) -> bool:
        """Let there be loops, light or not; return whether the hook is there."""
        loops: dict[int, Any] = {at: SimpleNamespace(light=light) for at, light in enumerate(lights)}
        LOOPS.known.clear()
        LOOPS.known.update(loops)
        tell_listeners()
        return self.autograd.backward is not original


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    before = list(LISTENERS)
    monkeypatch.setattr(LOOPS, "known", {})
    yield Desk()
    LISTENERS[:] = before


def test_it_is_away_while_the_only_loop_is_light(desk: Desk) -> None:
    assert desk.there()
    assert desk.there(False)
    assert not desk.there(True)
    assert desk.there(True, True)
    assert not desk.there(True)
    assert desk.there()


def test_times_on_a_device_need_it_always(desk: Desk) -> None:
    desk.on_device = True

    assert desk.there(True)


def test_what_was_put_over_it_stays(desk: Desk) -> None:
    desk.autograd.backward = theirs = make(desk.autograd.backward)
    desk.there(True)
    desk.there(False)

    assert desk.autograd.backward is theirs


def test_what_was_put_in_place_while_it_was_away_is_watched(desk: Desk) -> None:
    desk.there(True)
    desk.autograd.backward = theirs = make(original)
    desk.there(False)

    assert desk.autograd.backward.__wrapped__ is theirs
    desk.patches.undo()
    assert desk.autograd.backward is theirs


@pytest.mark.parametrize("light", [False, True])
def test_it_is_gone_once_the_patches_are_taken_back(desk: Desk, light: bool) -> None:
    desk.there(light)
    desk.patches.undo()
    desk.there(False)

    assert desk.autograd.backward is original


def test_a_listener_that_raises_does_no_harm(desk: Desk) -> None:
    LISTENERS.insert(0, lambda: 1 / 0)  # type: ignore[arg-type]

    assert not desk.there(True)
