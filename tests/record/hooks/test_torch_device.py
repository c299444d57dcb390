"""Times on a GPU: steps of one thread are never mixed with those of another. A made-up device stands in."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace

import pytest

from longpole.record.client.phases import Past
from longpole.record.hooks import torch_device
from longpole.record.hooks.budget import DETAIL_VARIABLE
from longpole.record.hooks.torch_device import BACKWARD, FORWARD, OPTIMIZER, DeviceTimer

SECOND = 1_000_000_000


@dataclass
class Device:
    """A GPU that does what it is given when its clock is moved on."""

    now_ms: float = 0.0
    number: int = 0
    events: list[Event] = field(default_factory=list)

    def as_torch(self) -> SimpleNamespace:
        cuda = SimpleNamespace(
            Event=lambda enable_timing: Event(self),
            is_initialized=lambda: True,
            is_current_stream_capturing=lambda: False,
            current_device=lambda: self.number,
        )
        built = SimpleNamespace(cuda=SimpleNamespace(is_built=lambda: True))
        return SimpleNamespace(cuda=cuda, backends=built)


class Event:
    """What PyTorch's events do, as far as it is used."""

    def __init__(self, device: Device) -> None:
        self.device, self.number, self.at_ms, self.passed = device, device.number, 0.0, True
        device.events.append(self)

    def record(self) -> None:
        self.at_ms = self.device.now_ms

    def synchronize(self) -> None:
        """Nothing is ever late here."""

    def query(self) -> bool:
        return self.passed

    def elapsed_time(self, other: Event) -> float:
        if not (self.passed and other.passed):
            raise RuntimeError("Both events must be completed before calculating elapsed time.")
        assert self.number == other.number, "events of different devices"
        return other.at_ms - self.at_ms


@pytest.fixture
def device() -> Device:
    return Device()


@pytest.fixture
def timer(device: Device, monkeypatch: pytest.MonkeyPatch) -> DeviceTimer:
    monkeypatch.setenv(DETAIL_VARIABLE, "high")
    made = DeviceTimer(device.as_torch())
    for number in range(torch_device._LOOK_FOR_DEVICE_EVERY):
        made.end_step(number * SECOND)
    return made


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[Past]:
    found: list[Past] = []
    monkeypatch.setattr(torch_device, "write_past", found.append)
    return found


def step(timer: DeviceTimer, device: Device, between: Callable[[], object] = lambda: None) -> None:
    for place in (FORWARD, BACKWARD, OPTIMIZER):
        if timer.active:
            timer.mark(place)
        device.now_ms += 1
        between()
    timer.end_step(0)


def test_parts_of_a_step_follow_each_other(timer, device, written):
    step(timer, device)
    step(timer, device)

    spans = {each.name: each.times[1] - each.times[0] for each in written[:4]}
    assert spans == {"forward": 1e6, "backward": 1e6, "optimizer": 1e6, "step": 3e6}


def test_a_step_of_another_thread_leaves_the_timed_one_alone(timer, device, written):
    with ThreadPoolExecutor(1) as other:
        step(timer, device, between=lambda: other.submit(step, timer, device).result())

    assert len(written) == 4
    steps = [each.times[1] - each.times[0] for each in written if each.name == "step"]
    assert steps == [12e6]  # its own 3 ms, and 9 of the other's


def test_what_the_device_has_not_passed_waits(timer, device, written):
    timer.mark(FORWARD)
    late = device.events[-1]
    late.passed = False
    step(timer, device)
    step(timer, device)
    assert written == []

    late.passed = True
    step(timer, device)
    assert [each.name for each in written].count("step") == 3


def test_a_step_whose_thread_ended_in_it_is_given_up(timer, device, written):
    with ThreadPoolExecutor(1) as other:
        for _ in range(torch_device._MOST_STEPS_OF_OTHERS + 3):
            other.submit(step, timer, device).result()

    assert [each.name for each in written].count("step") >= 1


def test_each_device_is_dated_by_itself(timer, device, written):
    for number in (0, 1, 0, 1):
        device.number = number
        timer.active = False
        timer.end_step(0)
        step(timer, device)

    assert {each.device for each in written} == {1, 2}


def test_parts_in_streams_that_do_not_follow_each_other_are_left_out(timer, device, written):
    timer.mark(FORWARD)
    device.now_ms -= 5
    timer.mark(BACKWARD)
    timer.mark(OPTIMIZER)
    timer.end_step(0)
    timer.end_step(0)

    assert written == []
