"""The final training: repeatable, resumable, equally good in both variants; and what its weights predict."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from tests.parts import need
from tests.workflows.lung.micro import WIDTH, programs

need("torch")

import torch  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

train, training, unet = programs.train, programs.training, programs.unet
VARIANTS = ("published", "tuned")


class BrokenOffError(Exception):
    """Stands for a kill in a test."""


def trained(micro, monkeypatch, **told):
    """Train in this process; return the weights."""
    monkeypatch.chdir(micro.folder)
    monkeypatch.setattr("sys.argv", ["train.py", *micro.training(**told)])
    train.main()
    return torch.load(micro.folder / "model.pth", weights_only=True)["state"]


def equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("variant", VARIANTS)
def test_two_trainings_give_the_same_weights(micro, monkeypatch, variant):
    one, same, other = (
        trained(micro, monkeypatch, variant=variant, seed=seed, unfinished=f"{number}.pth")
        for number, seed in enumerate((3, 3, 4))
    )

    assert equal(one, same)
    assert not equal(one, other)


@pytest.mark.parametrize(("variant", "after"), [("published", 1), ("published", 3), ("tuned", 2)])
def test_a_training_that_was_broken_off_ends_as_one_that_was_not(micro, monkeypatch, variant, after):
    undisturbed = trained(micro, monkeypatch, variant=variant, epochs=4, unfinished="none.pth")
    with monkeypatch.context() as disturbed:
        begun, learn = [], unet.Learner.learn
        monkeypatch.setattr(unet.Checkpoint, "is_due", property(lambda _: True))

        def learn_some(self, *given):
            begun.append(self)
            if len(begun) > after:
                raise BrokenOffError
            return learn(self, *given)

        disturbed.setattr(unet.Learner, "learn", learn_some)
        with pytest.raises(BrokenOffError):
            trained(micro, disturbed, variant=variant, epochs=4)

    assert torch.load(micro.folder / "left.pth", weights_only=True)["epochs"] == after
    assert equal(trained(micro, monkeypatch, variant=variant, epochs=4), undisturbed)


def test_what_was_left_by_another_setting_is_not_gone_on_from(micro, monkeypatch, capsys):
    wanted = trained(micro, monkeypatch, epochs=2, unfinished="none.pth")
    unet.save(str(micro.folder / "left.pth"), {"setting": {"epochs": 3}, "epochs": 1})

    assert equal(trained(micro, monkeypatch, epochs=2), wanted)
    assert "left.pth is of another setting: starting fresh" in capsys.readouterr().err


def test_both_variants_learn_equally_well(micro, monkeypatch):
    way = unet.way_of("published", "cpu", 1)
    monkeypatch.chdir(micro.folder)
    test = way.data(unet.pairs(micro.images("test"), micro.masks("test")), 4)
    dice = {}
    for variant in VARIANTS:
        learner = unet.Learner(unet.build(WIDTH, 3), 0.01, way)
        learner.model.load_state_dict(trained(micro, monkeypatch, variant=variant, epochs=12))
        dice[variant] = learner.judge(test).dice

    assert min(dice.values()) > 0.6
    assert dice["published"] == pytest.approx(dice["tuned"], abs=0.1)


@pytest.mark.parametrize("content", ["", "{}", '{"rate": "fast"}', "[1]"])
def test_parameters_without_a_rate_are_told_in_a_sentence(micro, content):
    arguments = micro.training()
    (micro.folder / "best.json").write_text(content)

    done = micro.call_here("train", *arguments)

    assert done.returncode == 1
    assert done.stderr.startswith("train: best.json has no learning rate")
    assert len(done.stderr.splitlines()) == 1


def test_operations_are_counted_as_pytorch_counts_them():
    picture = torch.zeros(1, 64, 64, dtype=torch.uint8)
    with FlopCounterMode(display=False) as counter:
        unet.build(WIDTH, 1)(picture[None]).sum().backward()

    assert training.flops_of(unet.build(WIDTH, 1), picture) == counter.get_total_flops()


# ------------------------------------------------------------------------------------------ prediction


def predict(micro, model="model.pth"):
    images = micro.listed("test-images", micro.images("test"))
    return micro.call_here(
        "predict", "--model", model, "--images", images, "--device", "cpu", "--out", "predicted"
    )


def test_predicted_masks_are_those_of_the_trained_weights(micro, monkeypatch):
    state = trained(micro, monkeypatch)
    model = unet.UNet(WIDTH)
    model.load_state_dict(state)
    assert predict(micro).returncode == 0

    for number in range(3):
        seen = unet.read_image(f"prepared/test{number}_norm.png")
        with Image.open(micro.folder / f"predicted/test{number}_pred.png") as picture, torch.inference_mode():
            wanted = (model.eval()(seen[None])[0, 0] > 0).numpy()
            assert np.array_equal(np.asarray(picture), np.where(wanted, 255, 0))


def test_a_model_that_is_none_is_told_in_a_sentence(micro):
    (micro.folder / "model.pth").write_bytes(b"\x89HDF\r\n\x1a\n")

    done = predict(micro)

    assert done.returncode == 1
    assert done.stderr.startswith("model.pth holds no trained model")
    assert len(done.stderr.splitlines()) == 1
