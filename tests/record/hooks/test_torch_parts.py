"""Hooks that only parts need: there whenever a loop of the process looks at parts, else out of the way."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from longpole.record.hooks.events import LISTENERS, tell_listeners
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.patches import Patches
from longpole.record.hooks.torch_parts import PartHooks


def original() -> None:
    pass


def ours() -> None:
    original()


ours.__wrapped__ = original  # type: ignore[attr-defined]


class Desk:
    """The hooks, a timer of a device, and the hooks on optimizers that are registered."""

    def __init__(self) -> None:
        self.autograd = SimpleNamespace(backward=ours)
        self.registered: list[str] = []
        self.on_device = False
        self.patches = Patches("torch")
        timer: Any = SimpleNamespace(in_use=lambda: self.on_device)
        PartHooks(self.autograd, timer, self._register).follow(self.patches)

    def _register(self) -> Any:
        self.registered.append("begin")
        return SimpleNamespace(remove=self.registered.clear)

    def there(self, *lights: bool) -> bool:
        """Let there be loops, light or not; return whether the hooks are there."""
        loops: dict[int, Any] = {at: SimpleNamespace(light=light) for at, light in enumerate(lights)}
        LOOPS.known.update(loops)
        tell_listeners()
        assert (self.autograd.backward is ours) == bool(self.registered)
        return self.autograd.backward is ours


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    before = list(LISTENERS)
    monkeypatch.setattr(LOOPS, "known", {})
    yield Desk()
    LISTENERS[:] = before


def test_they_are_there_until_every_loop_is_light(desk: Desk) -> None:
    assert desk.there()
    assert desk.there(True, False)
    assert not desk.there(True, True)
    assert desk.there(False, True)


def test_times_on_a_device_need_them_always(desk: Desk) -> None:
    desk.on_device = True

    assert desk.there(True)


def test_what_somebody_else_has_put_in_place_stays(desk: Desk) -> None:
    desk.autograd.backward = theirs = SimpleNamespace()
    LOOPS.known[0] = SimpleNamespace(light=True)  # type: ignore[assignment]
    tell_listeners()
    LOOPS.known[0].light = False
    tell_listeners()

    assert desk.autograd.backward is theirs


def test_they_are_not_put_back_once_the_patches_are_taken_back(desk: Desk) -> None:
    assert not desk.there(True)
    desk.patches.undo()
    LOOPS.known[0].light = False
    tell_listeners()

    assert desk.autograd.backward is original
    assert desk.registered == []
