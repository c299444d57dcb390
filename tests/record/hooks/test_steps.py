"""Steps: put together from events, whatever the loop looks like; every one is counted once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longpole.log.slots import (
    OWED_WORDS,
    PHASE,
    PHASE_LAYOUT,
    SLOT_BYTES,
    STEP,
    STEP_KINDS,
    STEP_LAYOUT,
    STEP_NONE,
    STEP_PARTS,
    TALLY_COUNT,
)
from longpole.record.client import phases
from longpole.record.client.ring import Ring, private_ring
from longpole.record.hooks import budget
from longpole.record.hooks.events import (
    BACK,
    BACK_DONE,
    CALL,
    CALL_TO_INFER,
    ENTER,
    EPOCHS,
    FAILED,
    FETCH,
    FETCHED,
    INFERRED,
    OPTIMIZE,
    OPTIMIZED,
    RETURN,
    RETURN_WITHOUT_GRADIENTS,
    SAVED,
    STEPPED,
)
from longpole.record.hooks.loop import Loop
from longpole.record.rings import RingReader

LOADER, OTHER_LOADER = 11, 12
ADAM, SGD = 21, 22
MS = 1_000_000


class Clockwork:
    """A loop whose events take the times they are given, in ms."""

    def __init__(self, ring: Ring) -> None:
        self.ring = ring
        self.loop = Loop(ring)
        self.now = 1_000_000 * MS
        self.epochs: list[SimpleNamespace] = []

    def passes(self, ms: float) -> int:
        self.now += round(ms * MS)
        return self.now

    def fetch(self, ms: float, loader: int = LOADER) -> None:
        if self.loop.skips:
            self.count_fetch(loader)
            self.passes(ms)
        elif self.loop.quiet:
            self.loop.fetched = True
            if self.loop.source != loader:
                self.loop.source = loader
                self.loop.append((ENTER, self.now, loader))
            self.passes(ms)
        else:
            self.loop.append((FETCH, self.now, loader))
            self.loop.append((FETCHED, self.passes(ms), loader))

    def count_fetch(self, loader: int) -> None:
        if self.loop.began_by == loader:
            self.loop.append_fetch(self.now)
        self.settle_when_due()

    def call(self, ms: float, *, gradients: bool = True, training: bool = True) -> None:
        if self.loop.skips or (gradients and (self.loop.quiet or (self.loop.light and training))):
            self.loop.trained |= self.loop.light
            self.passes(ms)
            return
        if not gradients and self.loop.quiet and self.loop.epoch is not None:
            fetched, self.loop.fetched = self.loop.fetched, False
            self.passes(ms)
            if fetched:
                self.loop.append((INFERRED, self.now, 0))
                self.settle_when_due()
            return
        self.loop.append((CALL if training else CALL_TO_INFER, self.now, "model"))
        self.loop.append((RETURN if gradients else RETURN_WITHOUT_GRADIENTS, self.passes(ms), 0))
        self.settle_when_due()

    def settle_when_due(self) -> None:
        if self.now > self.loop.due_ns:
            self.loop.settle()

    def backward(self, ms: float) -> None:
        looked_at = not (self.loop.quiet or self.loop.light or self.loop.skips)
        self.loop.trained |= not self.loop.light
        if looked_at:
            self.loop.append((BACK, self.now, 0))
        self.passes(ms)
        if looked_at:
            self.loop.append((BACK_DONE, self.now, 0))

    def optimizer(self, ms: float, which: int = ADAM) -> None:
        if self.loop.light:
            self.loop.append((STEPPED, self.passes(ms), which))
        else:
            if self.loop.skips:
                self.loop.settle()
                self.loop.look_in_full(self.now)
            if self.loop.quiet and self.loop.trained:
                self.loop.append((BACK, self.now, 0))
            self.loop.append((OPTIMIZE, self.now, which))
            self.loop.append((OPTIMIZED, self.passes(ms), which))
        self.loop.step_done(which, self.now)

    def begin_loop(self, loader: int = LOADER) -> None:
        self.loop.settle()
        self.loop.leave_loop()
        EPOCHS[loader] = SimpleNamespace(identity=77, counts=[0, 0, 0], last_ns=0)
        self.epochs.append(EPOCHS[loader])
        self.loop.begin_epoch(loader, self.now)

    def end_loop(self, loader: int = LOADER) -> None:
        if self.loop.skips:
            self.count_fetch(loader)
        elif self.loop.quiet:
            self.loop.fetched = True
        else:
            self.loop.append((FETCH, self.now, loader))
        self.loop.settle()
        self.loop.end_epoch(self.now)
        EPOCHS.pop(loader, None)

    def train(self) -> None:
        self.call(2)
        self.backward(3)
        self.optimizer(1)

    def written(self) -> list[tuple[str, float, dict[str, float]]]:
        """Return kind, duration and parts of each step that is in the ring, in ms."""
        self.loop.finish()
        slots = RingReader(self.ring.memory).drain()
        every = [slots[at : at + SLOT_BYTES] for at in range(0, len(slots), SLOT_BYTES)]
        return [_step(slot) for slot in every if slot[0] == STEP]

    def apart(self) -> list[tuple[float, float]]:
        """Return start and duration of each phase in the ring, in ms from the first."""
        self.loop.finish()
        slots = RingReader(self.ring.memory).drain()
        fields = [PHASE_LAYOUT.unpack(slots[at : at + SLOT_BYTES]) for at in range(0, len(slots), SLOT_BYTES)]
        found = [(field[8], field[9]) for field in fields if field[0] == PHASE]
        return [((start - found[0][0]) / MS, (end - start) / MS) for start, end in found]


def _step(slot: bytes) -> tuple[str, float, dict[str, float]]:
    fields = STEP_LAYOUT.unpack(slot)
    durations = fields[8], fields[10], fields[12], fields[14]
    parts = {name: took / MS for name, took in zip(STEP_PARTS, durations, strict=True) if took != STEP_NONE}
    return STEP_KINDS[fields[5] & 255], fields[7] / MS, parts


@pytest.fixture
def clockwork(monkeypatch: pytest.MonkeyPatch) -> Clockwork:
    monkeypatch.setenv("LONGPOLE_DETAIL", "high")
    monkeypatch.setattr(phases, "this_ring", lambda: None)
    return Clockwork(private_ring(8192))


def test_step_over_a_loader_lasts_from_fetch_to_fetch(clockwork: Clockwork) -> None:
    for _ in range(2):
        clockwork.fetch(1)
        clockwork.train()
        clockwork.passes(0.5)  # logging
    clockwork.end_loop()

    parts = {"data": 1, "forward": 2, "backward": 3, "optimizer": 1}
    assert clockwork.written() == [("step", 7.5, parts)] * 2


def test_step_without_a_loader_lasts_from_end_to_end(clockwork: Clockwork) -> None:
    clockwork.train()
    clockwork.passes(4)  # the program makes its own batch
    clockwork.train()

    parts = {"forward": 2, "backward": 3, "optimizer": 1}
    assert clockwork.written() == [("step", 6, parts), ("step", 10, parts)]


def test_forward_reaches_to_the_backward_pass(clockwork: Clockwork) -> None:
    clockwork.call(2)
    clockwork.passes(1)  # the loss
    clockwork.backward(3)
    clockwork.optimizer(1)

    assert clockwork.written()[0][2]["forward"] == 3


def test_accumulated_gradients_make_one_step_with_parts_apart(clockwork: Clockwork) -> None:
    for _ in range(2):
        clockwork.fetch(1)
        clockwork.call(2)
        clockwork.backward(3)
    clockwork.optimizer(1)

    step, *parts = clockwork.apart()
    assert step == (0.0, 13.0)
    assert sum(took for _, took in parts) == 13
    assert len(parts) == 7


def test_optimizers_that_step_together_make_one_step(clockwork: Clockwork) -> None:
    for _ in range(3):
        clockwork.fetch(1)
        clockwork.train()
        clockwork.optimizer(2, SGD)

    steps = [took for start, took in clockwork.apart() if took > 3]
    assert steps == [9, 9, 9]


def test_each_backward_pass_with_an_optimizer_is_a_step(clockwork: Clockwork) -> None:
    clockwork.fetch(1)
    clockwork.train()
    clockwork.call(2)
    clockwork.backward(3)
    clockwork.optimizer(1, SGD)

    assert [kind for kind, _, _ in clockwork.written()] == ["step", "step"]


def test_optimizer_that_steps_again_is_a_new_step(clockwork: Clockwork) -> None:
    clockwork.fetch(1)
    clockwork.train()
    clockwork.optimizer(1)

    assert [kind for kind, _, _ in clockwork.written()] == ["step", "step"]


def test_calls_after_fetches_without_training_are_inference(clockwork: Clockwork) -> None:
    for _ in range(3):
        clockwork.fetch(1)
        clockwork.call(2, gradients=False, training=False)
    clockwork.end_loop()

    assert clockwork.written() == [("inference", 3, {"data": 1, "forward": 2})] * 3


def test_call_without_gradients_is_a_step_of_inference(clockwork: Clockwork) -> None:
    clockwork.call(2, gradients=False, training=False)
    clockwork.passes(50)  # the program waits for a request
    clockwork.call(2, gradients=False, training=False)

    assert clockwork.written() == [("inference", 2, {"forward": 2})] * 2


def test_calls_with_needless_gradients_are_inference_too(clockwork: Clockwork) -> None:
    for _ in range(3):
        clockwork.call(2, training=False)
        clockwork.passes(5)

    assert clockwork.written() == [("inference", 2, {"forward": 2})] * 3


def test_fetches_alone_are_batches(clockwork: Clockwork) -> None:
    for _ in range(3):
        clockwork.fetch(1)
        clockwork.passes(2)
    clockwork.end_loop()

    assert [kind for kind, _, _ in clockwork.written()] == ["batch"] * 3


def test_two_loaders_side_by_side_feed_one_step(clockwork: Clockwork) -> None:
    for _ in range(2):
        clockwork.fetch(1)
        clockwork.fetch(1, OTHER_LOADER)
        clockwork.train()

    steps = [took for _, took in clockwork.apart() if took > 3]
    assert steps == [8, 8]


def test_evaluation_between_steps_is_apart_from_them(clockwork: Clockwork) -> None:
    clockwork.fetch(1)
    clockwork.train()
    clockwork.fetch(1, OTHER_LOADER)
    clockwork.call(2, gradients=False, training=False)
    clockwork.fetch(1)
    clockwork.train()

    kinds = [(kind, took) for kind, took, _ in clockwork.written()]
    assert kinds == [("step", 7), ("inference", 3), ("step", 7)]


def test_checkpoint_within_a_step_leaves_its_parts_apart(clockwork: Clockwork) -> None:
    clockwork.fetch(1)
    clockwork.train()
    clockwork.loop.append((SAVED, clockwork.now, clockwork.passes(5)))
    clockwork.fetch(1)

    assert clockwork.apart()[0] == (0, 12)


def test_step_that_failed_before_its_optimizer_is_none(clockwork: Clockwork) -> None:
    clockwork.fetch(1)
    clockwork.call(2)
    clockwork.backward(3)

    assert clockwork.written() == []


_MAKES = {
    "step": 3,
    "plain step": 1,
    "evaluate": 3,
    "evaluate for long": 150,
    "leave for training": 153,
    "serve": 1,
}


@given(st.lists(st.sampled_from(sorted(_MAKES)), max_size=100))
def test_every_step_is_counted_once(script: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGPOLE_DETAIL", "low")
        patch.setattr(phases, "this_ring", lambda: None)
        clockwork = Clockwork(private_ring(8192))
        total = _perform(clockwork, script)

    counted = [words[TALLY_COUNT] for words in RingReader(clockwork.ring.memory).tallies()]
    assert len(clockwork.written()) + sum(counted) == total
    assert not any(clockwork.ring.words[word] for word in OWED_WORDS)


def test_steps_that_wait_to_be_written_are_known_to_the_ring(clockwork: Clockwork) -> None:
    clockwork.loop.due_ns = 1 << 62
    for _ in range(4):
        clockwork.fetch(1)
        clockwork.train()

    owed = clockwork.ring.words[OWED_WORDS[0]]
    assert (owed & 0xFFFF, owed >> 16) == (4, 0)


def _perform(clockwork: Clockwork, script: list[str]) -> int:
    """Let these things happen; return how many steps that makes."""
    for what in script:
        if what == "step":
            _over_loader(clockwork, LOADER, clockwork.train)
        elif what == "plain step":
            clockwork.train()
        elif what == "serve":
            clockwork.call(1, gradients=False, training=False)
        else:
            leaves = what == "leave for training"  # the last batch would belong to a step without a loader
            batches = _MAKES[what] - 3 * leaves
            _over_loader(clockwork, OTHER_LOADER, partial(_infer, clockwork), batches, leaves=leaves)
            if leaves:
                _over_loader(clockwork, LOADER, clockwork.train)
    clockwork.loop.finish()
    return sum(_MAKES[what] for what in script)


def _infer(clockwork: Clockwork) -> None:
    clockwork.call(1, gradients=False, training=False)


def _over_loader(
    clockwork: Clockwork, loader: int, body: Callable[[], None], batches: int = 3, *, leaves: bool = False
) -> None:
    """Loop over a loader of so many batches, to its end or not."""
    clockwork.begin_loop(loader)
    for _ in range(batches):
        clockwork.fetch(1, loader)
        body()
    if not leaves:
        clockwork.end_loop(loader)


def test_call_that_failed_is_neither_inference_nor_a_forward_pass(clockwork: Clockwork) -> None:
    for _ in range(3):
        clockwork.train()
        clockwork.loop.append((CALL, clockwork.now, "model"))
        clockwork.loop.append((FAILED, clockwork.passes(1), 0))
        clockwork.optimizer(1)

    assert [kind for kind, _, _ in clockwork.written()] == ["step"] * 6


def test_two_optimizers_with_a_backward_pass_each_are_two_steps_at_low_detail() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LONGPOLE_DETAIL", "low")
        patch.setattr(phases, "this_ring", lambda: None)
        clockwork = Clockwork(private_ring(8192))
        for _ in range(200):
            clockwork.call(1)
            clockwork.backward(1)
            clockwork.optimizer(1)
            clockwork.call(1)
            clockwork.backward(1)
            clockwork.optimizer(1, SGD)
        clockwork.loop.finish()

    counted = [words[TALLY_COUNT] for words in RingReader(clockwork.ring.memory).tallies()]
    assert sum(counted) + len(clockwork.written()) == 400


def test_steps_told_without_events_do_not_pile_up(clockwork: Clockwork) -> None:
    for _ in range(40):
        clockwork.loop.settle()
        clockwork.loop.begin_call(clockwork.now, training=False)
        clockwork.loop.end_call(clockwork.passes(1), gradients=False)

    assert len(clockwork.loop.notebook._waiting) <= 16


class Lightly:
    """A loop at detail auto, after so many alike steps of 5 ms that it goes light."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        patch.setenv("LONGPOLE_DETAIL", "auto")
        patch.setattr(phases, "this_ring", lambda: None)
        patch.setattr(budget, "_time_a_look", lambda: 50.0)
        self.clockwork = Clockwork(private_ring(8192))
        self.clockwork.begin_loop()
        self.steps = 0
        while not self.clockwork.loop.light:
            self.step()

    def step(self) -> None:
        self.clockwork.fetch(0.5)
        self.clockwork.call(1.5)
        self.clockwork.backward(2)
        self.clockwork.optimizer(1)
        self.steps += 1


_WHAT_MAY_COME = (
    *("alike", "accumulated", "two optimizers", "adversaries", "rarely another", "validated", "skipped"),
    *("evaluated", "evaluated shortly", "evaluated on the same"),
)


@pytest.fixture
def lightly(monkeypatch: pytest.MonkeyPatch) -> Lightly:
    return Lightly(monkeypatch)


def test_of_alike_steps_of_middling_length_each_is_a_step_and_some_are_in_full(lightly: Lightly) -> None:
    begun = lightly.steps
    for _ in range(500):
        lightly.step()

    written = lightly.clockwork.written()
    assert len(written) == lightly.steps
    assert {(kind, took) for kind, took, _ in written[:-1]} == {("step", 5.0)}
    parts = [tuple(parts.items()) for _, _, parts in written[begun + 2 : -1]]
    alone, whole = (("data", 0.5),), (("data", 0.5), ("forward", 1.5), ("backward", 2.0), ("optimizer", 1.0))
    assert 500 / 100 <= parts.count(whole) <= 500 / 30
    assert set(parts) <= {alone, whole, ()}
    assert parts.count(()) < 30


@given(st.lists(st.sampled_from(_WHAT_MAY_COME), max_size=6), st.integers(1, 90))
def test_every_step_is_counted_whatever_comes_while_a_loop_is_light(script: list[str], many: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        lightly = Lightly(patch)
        inferences = sum(_LIGHT_SCRIPTS[what](lightly, many) for what in script)
        held = len(lightly.clockwork.loop.events)

    lightly.clockwork.loop.finish()
    counts = [epoch.counts for epoch in lightly.clockwork.epochs]
    assert sum(training for training, _, _ in counts) == lightly.steps
    assert sum(inference for _, inference, _ in counts) >= inferences
    assert held < 2000


def _alike(lightly: Lightly, many: int) -> int:
    for _ in range(many):
        lightly.step()
    return 0


def _accumulated(lightly: Lightly, many: int) -> int:
    for _ in range(many):
        lightly.clockwork.fetch(0.5)
        lightly.clockwork.call(1.5)
        lightly.clockwork.backward(2)
        lightly.step()
    return 0


def _two_optimizers(lightly: Lightly, many: int) -> int:
    for _ in range(many):
        lightly.step()
        lightly.clockwork.optimizer(1, SGD)
    return 0


def _adversaries(lightly: Lightly, many: int) -> int:
    for _ in range(many):
        lightly.step()
        lightly.clockwork.call(1)
        lightly.clockwork.backward(1)
        lightly.clockwork.optimizer(1, SGD)
        lightly.steps += 1
    return 0


def _rarely_another(lightly: Lightly, many: int) -> int:
    _alike(lightly, many)
    _adversaries(lightly, 1)
    return 0


def _validated(lightly: Lightly, many: int) -> int:
    for _ in range(many):
        lightly.step()
        lightly.clockwork.call(2, gradients=False, training=False)
    return 0


def _skipped(lightly: Lightly, many: int) -> int:
    for _ in range(many):
        lightly.clockwork.fetch(0.5)
        lightly.step()
    return 0


def _evaluated(lightly: Lightly, many: int, loader: int = OTHER_LOADER, took_ms: float = 3) -> int:
    clockwork = lightly.clockwork
    clockwork.end_loop()
    clockwork.begin_loop(loader)
    for _ in range(many):
        clockwork.fetch(took_ms / 3, loader)
        clockwork.call(took_ms, gradients=False, training=False)
    clockwork.end_loop(loader)
    clockwork.begin_loop()
    return many


def _evaluated_shortly(lightly: Lightly, many: int) -> int:
    return _evaluated(lightly, 20 * many, took_ms=0.5)


def _evaluated_on_the_same(lightly: Lightly, many: int) -> int:
    return _evaluated(lightly, many, loader=LOADER)


_LIGHT_SCRIPTS = {
    "alike": _alike,
    "accumulated": _accumulated,
    "two optimizers": _two_optimizers,
    "adversaries": _adversaries,
    "rarely another": _rarely_another,
    "validated": _validated,
    "skipped": _skipped,
    "evaluated": _evaluated,
    "evaluated shortly": _evaluated_shortly,
    "evaluated on the same": _evaluated_on_the_same,
}
