"""What epochs tell of the model that is trained, and of their batches."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from longpole.record.hooks.epochs import batch_size_of, model_in_training
from longpole.record.hooks.events import MODELS
from longpole.record.hooks.torch_models import note_size
from tests.parts import need

need("torch")
from torch import nn  # noqa: E402  it may be absent


@pytest.fixture(autouse=True)
def _alone() -> Iterator[None]:
    """Let a test begin and end with no model known."""
    before = dict(MODELS)
    MODELS.clear()
    yield
    MODELS.clear()
    MODELS.update(before)


class Net(nn.Module):  # type: ignore[misc]  # whose types are not looked at
    def __init__(self, width: int = 2) -> None:
        super().__init__()
        self.layer = nn.Linear(4, width)


def test_a_model_in_training_is_named_with_its_size():
    model = Net()

    note_size(model)

    assert model_in_training() == {"model": "Net", "parameters": 10, "model_bytes": 40}


def test_of_several_the_largest_in_training_counts():
    teacher, student, head = nn.Sequential(nn.Linear(50, 50)), Net(3), nn.Linear(2, 2)
    teacher.eval()
    for model in (teacher, student, head):
        note_size(model)

    assert model_in_training()["model"] == "Net"


def test_of_a_later_instance_only_the_name_is_known():
    note_size(Net())  # which nobody keeps

    assert model_in_training() == {"model": "Net"}


def test_what_wraps_a_model_is_not_its_name():
    model = nn.DataParallel(Net())

    note_size(model)

    assert model_in_training()["model"] == "Net"


def test_a_model_whose_size_is_not_known_yet_is_left_out():
    model = nn.Sequential(nn.LazyLinear(3))

    note_size(model)

    assert model_in_training() == {}


def test_nothing_is_known_of_no_model():
    assert model_in_training() == {}


@pytest.mark.parametrize(
    ("loader", "size"),
    [
        (SimpleNamespace(batch_size=32), 32),
        (SimpleNamespace(batch_size=None, batch_sampler=SimpleNamespace(batch_size=8)), 8),
        (SimpleNamespace(batch_size=None, batch_sampler=None), None),
        (SimpleNamespace(batch_size="many"), None),
        (SimpleNamespace(), None),
    ],
)
def test_a_loader_tells_its_batches_if_it_knows_them(loader: object, size: int | None):
    assert batch_size_of(loader) == size
