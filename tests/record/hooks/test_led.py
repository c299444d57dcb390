"""Loops that a framework leads: steps are where it says, and validation is never training."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from longpole.log.slots import PHASE, PHASE_LAYOUT, SLOT_BYTES, STEP, STEP_KINDS, STEP_LAYOUT, STEP_NONE
from longpole.record.client.phases import Phase, start_recording, this_ring
from longpole.record.hooks.led import AnnouncedLoop, LedLoop
from longpole.record.hooks.loop import Loop
from longpole.record.hooks.loops import LOOPS
from longpole.record.hooks.noting import INFERENCE
from longpole.record.rings import RingReader

LOADER, MODEL, MS = 7, 8, 1_000_000
Step = tuple[str, int, tuple[int, ...]]


@pytest.fixture(autouse=True)
def _recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("LONGPOLE_DETAIL", "high")
    start_recording(str(tmp_path))
    yield
    LOOPS.known.clear()
    start_recording("")


def slots() -> list[bytes]:
    """Return what is in the ring, with what waited to be written."""
    LOOPS.finish()
    ring = this_ring()
    assert ring is not None
    drained = RingReader(ring.memory).drain()
    return [drained[at : at + SLOT_BYTES] for at in range(0, len(drained), SLOT_BYTES)]


def steps() -> list[Step]:
    """Return kind, duration and the durations of the parts, in ms, of each step written in one slot."""
    fields = [STEP_LAYOUT.unpack(slot) for slot in slots() if slot[0] == STEP]
    return [
        (STEP_KINDS[step[5] & 255], step[7] // MS, tuple(_ms(step[at]) for at in (8, 10, 12, 14)))
        for step in fields
    ]


def _ms(duration_ns: int) -> int:
    return -1 if duration_ns == STEP_NONE else duration_ns // MS


def phases() -> int:
    return sum(slot[0] == PHASE for slot in slots())


def train(loop: Loop, at: int) -> None:
    """Let a loop see 1 ms of forward, 2 of backward, 3 of the optimizer; times in ms."""
    loop.begin_call(at * MS, training=True)
    loop.end_call((at + 1) * MS, gradients=True)
    loop.begin_backward((at + 1) * MS)
    loop.end_backward((at + 3) * MS)
    loop.begin_optimizer(MODEL, (at + 3) * MS)
    loop.end_optimizer((at + 6) * MS)


def test_announced_step_lasts_from_the_wait_to_its_end() -> None:
    loop = AnnouncedLoop.enter(Phase("epoch", "epoch", {}))

    loop.begin_wait(100 * MS)
    loop.begin_step(104 * MS)
    train(loop, 105)
    loop.end_step(115 * MS)

    assert steps() == [("step", 15, (4, 1, 2, 3))]


def test_announced_step_is_one_however_many_optimizers_step() -> None:
    loop = AnnouncedLoop.enter(Phase("epoch", "epoch", {}))

    loop.begin_step(100 * MS)
    train(loop, 100)
    train(loop, 110)
    loop.end_step(120 * MS)

    assert loop.counts == [1, 0, 0]
    assert (steps(), phases()) == ([], 7)  # the step apart, with two parts of each kind; the epoch is open


def test_what_is_seen_between_announced_steps_is_nothing() -> None:
    loop = AnnouncedLoop.enter(Phase("fit", "fit", {}))

    loop.begin_wait(90 * MS)
    loop.begin_fetch(LOADER, 91 * MS)
    loop.end_fetch(LOADER, 92 * MS)
    train(loop, 93)
    loop.begin_step(100 * MS)
    loop.end_step(101 * MS)

    assert steps() == [("step", 11, (10, -1, -1, -1))]


def test_wait_within_an_announced_step_is_counted_once() -> None:
    loop = AnnouncedLoop.enter(Phase("epoch", "epoch", {}))

    loop.begin_wait(100 * MS)
    loop.begin_step(101 * MS)
    loop.begin_fetch(LOADER, 102 * MS)
    loop.begin_fetch(LOADER + 1, 103 * MS)
    loop.end_fetch(LOADER + 1, 104 * MS)
    loop.end_fetch(LOADER, 106 * MS)
    loop.end_step(110 * MS)

    assert steps() == [("step", 10, (5, -1, -1, -1))]


def test_steps_executed_together_are_counted_one_by_one() -> None:
    loop = AnnouncedLoop.enter(Phase("epoch", "epoch", {}))

    loop.begin_wait(100 * MS)
    loop.begin_step(103 * MS, steps=3)
    loop.end_step(130 * MS)

    assert steps() == [("step", 10, (1, -1, -1, -1))] * 3


def test_steps_executed_together_are_no_more_than_batches_that_came() -> None:
    loop = AnnouncedLoop.enter(Phase("epoch", "epoch", {}))

    loop.begin_step(100 * MS, steps=4)
    for at in (101, 105):
        loop.begin_fetch(LOADER, at * MS)
        loop.end_fetch(LOADER, (at + 1) * MS)
    loop.end_step(120 * MS)

    assert [step[:2] for step in steps()] == [("step", 10)] * 2


def test_announced_step_of_inference_is_no_training() -> None:
    loop = AnnouncedLoop.enter(Phase("validation", "validation", {}))
    loop.kind = INFERENCE

    loop.begin_step(100 * MS)
    loop.begin_call(101 * MS, training=False)
    loop.end_call(103 * MS, gradients=False)
    loop.end_step(105 * MS)

    assert steps() == [("inference", 5, (-1, 2, -1, -1))]


def test_step_that_was_not_ended_is_none() -> None:
    loop = AnnouncedLoop.enter(Phase("epoch", "epoch", {}))

    loop.begin_step(100 * MS)
    train(loop, 100)
    loop.leave(ValueError("in the step"))

    assert steps() == []


def test_validation_amid_accumulation_is_not_in_the_step_of_training() -> None:
    training = LedLoop.enter(Phase("epoch", "epoch", {}))
    training.begin_fetch(LOADER, 100 * MS)
    training.end_fetch(LOADER, 101 * MS)
    training.begin_backward(101 * MS)
    training.end_backward(102 * MS)

    validation = LedLoop.enter(Phase("validation", "validation", {}))
    validation.begin_fetch(LOADER, 103 * MS)
    validation.end_fetch(LOADER, 104 * MS)
    validation.begin_call(104 * MS, training=False)
    validation.end_call(105 * MS, gradients=False)
    validation.leave()
    training.begin_optimizer(MODEL, 110 * MS)
    training.end_optimizer(111 * MS)

    assert (validation.counts, training.counts) == ([0, 1, 0], [0, 0, 0])
    training.leave()
    assert training.counts == [1, 0, 0]


def test_loop_over_a_loader_is_no_epoch_where_a_framework_leads() -> None:
    assert not LOOPS.led()

    loop = LedLoop.enter(Phase("epoch", "epoch", {}))
    loop.epoch = None  # what a loader does that has come to its end

    assert LOOPS.led()
    assert loop.epoch.identity == loop.identity != 0


def test_leaving_ends_what_an_exception_went_through() -> None:
    before = LOOPS.here()
    fit = LedLoop.enter(Phase("fit", "fit", {}))
    LedLoop.enter(Phase("epoch", "epoch", {}))

    fit.leave(ValueError("in the epoch"))

    statuses = [PHASE_LAYOUT.unpack(slot)[1] for slot in slots() if slot[0] == PHASE]
    assert statuses == [1, 1]
    assert before is not None


def test_thread_has_its_own_loop_back_afterwards() -> None:
    before = LOOPS.here()

    AnnouncedLoop.enter(Phase("predict", "predict", {})).leave()

    assert LOOPS.here() is before
