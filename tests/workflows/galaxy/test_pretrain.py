"""Galaxy's stand-in for pretrained weights: a body that the workflow's own programs can load."""

from __future__ import annotations

import argparse

import pytest

from tests.parts import need
from tests.workflows.galaxy.micro import programs
from tests.workflows.modules import Modules

need("torch", "pillow")
pytestmark = pytest.mark.usefixtures("one_thread")
galaxy = Modules("galaxy")


@pytest.fixture
def pretrain():
    with programs.found():  # it looks for these by itself, and must find the same ones
        return galaxy.pretrain


def given(out, **other: object) -> argparse.Namespace:
    told = {
        "images": 320,
        "side": 32,
        "epochs": 1,
        "width": 0.125,
        "seed": 1,
        "processes": 1,
        "device": "cpu",
    }
    return argparse.Namespace(out=out, **{**told, **other})


def test_the_body_can_be_loaded(pretrain, tmp_path):
    import torch

    with galaxy.found():
        pretrain.pretrain(given(tmp_path / "body.pth"))
    model = programs.model.VGG16(0.125, 64)
    before = model.features[28].weight.clone()
    model.load_body(tmp_path / "body.pth")

    loaded = torch.load(tmp_path / "body.pth", weights_only=True)
    assert all(name.startswith("features.") for name in loaded)
    assert not torch.equal(model.features[28].weight, before)


def test_no_picture_is_one_of_a_data_set(pretrain):
    assert pretrain._SEED > 2**32


@pytest.mark.parametrize("wrong", [{"side": 33}, {"images": 100}, {"epochs": 0}, {"processes": 0}])
def test_what_cannot_be_is_refused_in_a_sentence(pretrain, tmp_path, wrong):
    with pytest.raises(ValueError, match="--side is a multiple of 32"):
        pretrain.pretrain(given(tmp_path / "body.pth", **wrong))
