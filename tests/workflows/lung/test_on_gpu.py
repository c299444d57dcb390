"""Steps on a GPU: a captured one leaves the model as it was, and learns as a plain one does."""

from __future__ import annotations

import pytest

from tests.parts import need
from tests.workflows.modules import Modules

need("cuda")

import torch  # noqa: E402

unet = Modules("lung/bin").unet
BATCH, PICTURES, SIDE, EPOCHS = 4, 10, 64, 3


class Pictures:
    """Squares of chance on the GPU; the last batch is smaller than the others."""

    def __init__(self) -> None:
        chance = torch.Generator().manual_seed(7)
        self._masks = (torch.rand(PICTURES, 1, 4, 4, generator=chance) > 0.5).repeat_interleave(16, 2)
        self._masks = self._masks.repeat_interleave(16, 3).to("cuda", torch.uint8)
        self._images = (self._masks * 200 + 20).to(torch.uint8)

    def __len__(self) -> int:
        return PICTURES

    def batches(self, order):
        for chosen in torch.tensor(order, device="cuda").split(BATCH):
            yield self._images[chosen], self._masks[chosen]


def learner_of(rate: float = 0.003):
    return unet.Learner(unet.build(0.25, 3), rate, unet.way_of("tuned", "cuda", 1))


def numbers_of(learner) -> list[torch.Tensor]:
    return [each.detach().clone() for each in learner.model.state_dict().values()]


def test_capturing_a_step_changes_nothing():
    learner = learner_of()
    before = numbers_of(learner)

    learner.prepare(Pictures())

    for now, then in zip(numbers_of(learner), before, strict=True):
        assert torch.equal(now, then)
    for state in learner.optimizer.state.values():
        assert all(not each.any() for each in state.values())


def test_captured_steps_learn_as_plain_ones_do():
    plain, captured, data = learner_of(), learner_of(), Pictures()
    captured.prepare(data)

    for _ in range(EPOCHS):
        one, other = plain.learn(data, 5), captured.learn(data, 5)
        assert other.dice == pytest.approx(one.dice, abs=0.05)

    assert captured.judge(data).dice == pytest.approx(plain.judge(data).dice, abs=0.1)
    steps = {int(state["step"]) for state in captured.optimizer.state.values()}
    assert steps == {EPOCHS * 3}


def test_captured_steps_go_on_from_what_was_left():
    whole, first, second, data = learner_of(), learner_of(), learner_of(), Pictures()
    for learner in (whole, first):
        learner.prepare(data)
    for _ in range(EPOCHS):
        whole.learn(data, 5)
    first.learn(data, 5)
    second.restore(first.state())
    second.prepare(data)
    while second.epochs < EPOCHS:
        second.learn(data, 5)

    assert second.judge(data).dice == pytest.approx(whole.judge(data).dice, abs=0.1)
