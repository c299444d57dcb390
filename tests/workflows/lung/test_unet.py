"""The U-Net and what all jobs share: torchvision's names, its size, scores, masks, orders and checkpoints."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from tests.parts import need
from tests.workflows.lung.micro import WIDTH, programs

need("torch")

import torch  # noqa: E402

unet = programs.unet
SETTING = {"seed": 1, "rates": [0.1, 0.2]}


def names_of_torchvision() -> dict[str, tuple[int, ...]]:
    """Return names and shapes of ResNet34 as torchvision 0.29 has them, but for its last layer."""
    found = {"conv1.weight": (64, 3, 7, 7), **batch_norm("bn1", 64)}
    before = 64
    for layer, (blocks, channels) in enumerate(((3, 64), (4, 128), (6, 256), (3, 512)), 1):
        for block in range(blocks):
            name = f"layer{layer}.{block}"
            found[f"{name}.conv1.weight"] = (channels, before, 3, 3)
            found.update(batch_norm(f"{name}.bn1", channels))
            found[f"{name}.conv2.weight"] = (channels, channels, 3, 3)
            found.update(batch_norm(f"{name}.bn2", channels))
            if before != channels:
                found[f"{name}.downsample.0.weight"] = (channels, before, 1, 1)
                found.update(batch_norm(f"{name}.downsample.1", channels))
            before = channels
    return found


def batch_norm(name: str, channels: int) -> dict[str, tuple[int, ...]]:
    each = ("weight", "bias", "running_mean", "running_var")
    return {**{f"{name}.{one}": (channels,) for one in each}, f"{name}.num_batches_tracked": ()}


def weights_of(width: float) -> dict[str, torch.Tensor]:
    found = unet.build(width, 5).encoder.state_dict()
    return {**found, "fc.weight": torch.zeros(1000, 512), "fc.bias": torch.zeros(1000)}


# ------------------------------------------------------------------------------------------ the model


def test_the_model_has_the_parameters_of_the_paper():
    with torch.device("meta"):
        model = unet.UNet(1.0)

    assert sum(each.numel() for each in model.parameters()) == 24_436_369
    assert sum(each.numel() for each in model.encoder.parameters()) == 21_284_672


def test_the_encoder_has_the_names_and_shapes_of_torchvision():
    with torch.device("meta"):
        found = unet.UNet(1.0).encoder.state_dict()

    assert {name: tuple(value.shape) for name, value in found.items()} == names_of_torchvision()
    assert len(found) == 216


def test_a_pixel_comes_out_for_each_that_goes_in():
    assert unet.build(WIDTH, 1)(torch.zeros(2, 1, 64, 96, dtype=torch.uint8)).shape == (2, 1, 64, 96)


def test_the_same_seed_gives_the_same_weights():
    one, same, other = (unet.build(WIDTH, seed).head.weight for seed in (1, 1, 2))

    assert torch.equal(one, same)
    assert not torch.equal(one, other)


def test_published_weights_are_taken_for_the_encoder(tmp_path):
    weights = weights_of(1.0)
    torch.save(weights, tmp_path / "resnet34.pth")

    model = unet.build(1.0, 1, str(tmp_path / "resnet34.pth"))

    assert all(torch.equal(value, weights[name]) for name, value in model.encoder.state_dict().items())


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b"nothing of the kind"),
        lambda path: torch.save(weights_of(WIDTH), path),
        lambda path: torch.save({**weights_of(1.0), "layer5.weight": torch.zeros(1)}, path),
        lambda path: torch.save([1, 2], path),
        lambda path: torch.save({"conv1.weight": Path()}, path),
    ],
)
def test_weights_that_do_not_fit_are_refused_in_a_sentence(tmp_path, spoil):
    spoil(tmp_path / "weights.pth")

    with pytest.raises(SystemExit, match=r"weights.pth does not hold torchvision's weights of ResNet34"):
        unet.build(1.0, 1, str(tmp_path / "weights.pth"))


# ------------------------------------------------------------------------------------------ what it reads


def test_each_picture_has_its_own_mask():
    images = ["p/A_0_norm.png", "p/A_0_flip.png", "p/A_0_rot.png", "p/B_mask_1_norm.png"]
    masks = ["m/B_mask_1_mask.png", "p/A_0_mask_rot.png", "m/A_0_mask.png", "p/A_0_mask_flip.png"]

    assert [mask for _, mask in unet.pairs(images, masks)] == [
        "m/A_0_mask.png", "p/A_0_mask_flip.png", "p/A_0_mask_rot.png", "m/B_mask_1_mask.png",
    ]  # fmt: skip


def test_a_picture_without_a_mask_is_told_in_a_sentence():
    with pytest.raises(SystemExit, match=r"p/A_flip.png has no mask among those given"):
        unet.pairs(["p/A_flip.png"], ["m/A_mask.png"])


def test_masks_are_zero_and_one_however_large_they_lie_there(tmp_path):
    lies = np.zeros((300, 280), np.uint8)
    lies[:150] = 255
    Image.fromarray(lies).save(tmp_path / "mask.png")

    mask = unet.read_mask(str(tmp_path / "mask.png"), (32, 64))

    assert mask.shape == (1, 32, 64)
    assert (mask[0, :16] == 1).all()
    assert (mask[0, 16:] == 0).all()


@given(number=st.integers(1, 300), epoch=st.integers(0, 50), size=st.integers(1, 40))
def test_every_picture_is_seen_once_in_an_epoch(number, epoch, size):
    order = unet.order_of(number, 10, epoch)

    assert sorted(order) == list(range(number))
    assert [each for part in unet.chunks(order, size) for each in part] == order


def test_epochs_have_orders_of_their_own():
    assert unet.order_of(50, 10, 0) == unet.order_of(50, 10, 0)
    assert unet.order_of(50, 10, 0) != unet.order_of(50, 10, 1)
    assert unet.order_of(50, 10, 0) != unet.order_of(50, 11, 0)


@pytest.mark.parametrize("split", ["train", "val"])
def test_both_ways_of_reading_give_the_same(micro, monkeypatch, split):
    monkeypatch.chdir(micro.folder)
    pairs = unet.pairs(micro.images(split), micro.masks(split))
    read = [
        list(unet.way_of(variant, "cpu", 1).data(pairs, 4).batches(unet.order_of(len(pairs), 1, 0)))
        for variant in unet.Variant
    ]

    assert len(read[0]) == len(read[1])
    for (image, mask), (other_image, other_mask) in zip(*read, strict=True):
        assert torch.equal(image, other_image)
        assert torch.equal(mask, other_mask)


# ------------------------------------------------------------------------------------------ how it is judged


def test_scores_are_as_worked_out_by_hand():
    predicted = torch.tensor([[[1, 1, 0, 0]], [[0, 0, 0, 0]], [[1, 1, 1, 1]]])
    truth = torch.tensor([[[1, 0, 1, 0]], [[0, 0, 0, 0]], [[1, 1, 0, 0]]])

    assert unet.scores_of(predicted, truth).tolist() == [
        pytest.approx([1 / 2, 1 / 3, 1 / 2]),
        pytest.approx([1, 1, 1]),
        pytest.approx([2 / 3, 1 / 2, 1 / 2]),
    ]


@given(seed=st.integers(0, 10_000), share=st.floats(0, 1))
def test_dice_and_iou_belong_together(seed, share):
    chance = torch.Generator().manual_seed(seed)
    ours, true = torch.rand(2, 3, 16, generator=chance) < share
    for dice, iou, accuracy in unet.scores_of(ours, true).tolist():
        assert dice == pytest.approx(2 * iou / (1 + iou))
        assert 0 <= iou <= dice <= 1
        assert 0 <= accuracy <= 1


def test_the_loss_is_lowest_for_the_true_mask():
    truth = torch.tensor([[[[1, 1, 0, 0]]]])
    sure = torch.where(truth == 1, 20.0, -20.0)

    assert unet.negative_dice(sure, truth) == pytest.approx(-1)
    assert unet.negative_dice(-sure, truth) > unet.negative_dice(torch.zeros(1, 1, 1, 4), truth) > -0.8


# ------------------------------------------------------------------------------------------ what it keeps


def test_a_checkpoint_of_the_same_setting_is_gone_on_from(tmp_path):
    path = str(tmp_path / "left.pth")
    learner = unet.Learner(unet.build(WIDTH, 1), 0.01, unet.way_of("published", "cpu", 1))
    unet.Checkpoint(path, SETTING, unet.Variant.PUBLISHED).save(learner.state())

    found = unet.Checkpoint(path, SETTING, unet.Variant.PUBLISHED).load()

    assert found["epochs"] == 0
    assert torch.equal(found["model"]["head.weight"], learner.model.head.weight)
    assert list(tmp_path.iterdir()) == [tmp_path / "left.pth"]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_a_damaged_checkpoint_means_to_start_fresh(seed, tmp_path_factory):
    path = tmp_path_factory.mktemp("left") / "left.pth"
    checkpoint = unet.Checkpoint(str(path), SETTING, unet.Variant.PUBLISHED)
    checkpoint.save({"tensor": torch.arange(1000), "number": 7})
    path.write_bytes(damaged(path.read_bytes(), random.Random(seed)))

    found = checkpoint.load()

    assert found == {} or (torch.equal(found["tensor"], torch.arange(1000)) and found["number"] == 7)


def damaged(content: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(content))
    if chance.random() < 0.5:
        return content[:at]
    return content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.unlink(), "there is no .*left.pth: starting fresh"),
        (lambda path: path.write_bytes(b""), "left.pth cannot be read .*: starting fresh"),
        (lambda path: torch.save({"setting": {"seed": 2}}, path), "of another setting: starting fresh"),
        (lambda path: torch.save([1], path), "left.pth cannot be read .*: starting fresh"),
    ],
)
def test_one_line_says_why_it_starts_fresh(tmp_path, capsys, spoil, said):
    path = tmp_path / "left.pth"
    checkpoint = unet.Checkpoint(str(path), SETTING, unet.Variant.PUBLISHED)
    checkpoint.save({"number": 7})
    spoil(path)

    assert checkpoint.load() == {}
    (line,) = capsys.readouterr().err.splitlines()
    assert re.search(said, line)


def test_the_tuned_way_spends_little_of_its_time_on_checkpoints(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(unet.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(unet, "save", lambda *_: now.__setitem__(0, now[0] + 1))
    published, tuned = (unet.Checkpoint("left", {}, variant) for variant in unet.Variant)
    for checkpoint in (published, tuned):
        assert checkpoint.is_due
        checkpoint.save({})

    assert (published.is_due, tuned.is_due) == (True, False)
    now[0] += 20
    assert tuned.is_due
