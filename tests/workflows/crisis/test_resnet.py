"""Crisis' model of pictures: torchvision's names, what is frozen, and that it goes on after a kill."""

from __future__ import annotations

import argparse
import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.crisis.micro import (
    COUNTS,
    DAMAGES,
    EPOCHS,
    IMAGE,
    LEARNING,
    TRIALS,
    Killed,
    damage,
    killed_at,
    programs,
    same,
)

need("torch", "optuna", "pillow", "matplotlib")
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def learning(prepared) -> list[str]:
    """What search and training are told."""
    return [f"--images={prepared / 'images.list'}", *LEARNING, *IMAGE]


def search(learning: list[str], folder: Path, *more: str) -> dict[str, object]:
    out = folder / "best.json"
    programs.resnet.main(["search", *learning, f"--unfinished={folder / 'search.pt'}", f"--out={out}", *more])
    return best_of(folder)


def train(learning: list[str], best: Path, folder: Path, *more: str):
    made = [f"--{name}={folder / name}.png" for name in ("loss", "accuracy")]
    left = [f"--unfinished={folder / 'train.pt'}", f"--model={folder / 'model.pth'}"]
    programs.resnet.main(["train", *learning, f"--parameters={best}", *left, *made, *more])
    return weights_of(folder)


def best_of(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "best.json").read_text())
    return found


def weights_of(folder: Path):
    import torch

    return torch.load(folder / "model.pth", weights_only=True)["weights"]


@pytest.fixture(scope="module")
def undisturbed(learning, tmp_path_factory) -> Path:
    """A folder with what search and training made."""
    import torch

    torch.set_num_threads(1)
    folder: Path = tmp_path_factory.mktemp("undisturbed")
    search(learning, folder)
    train(learning, folder / "best.json", folder)
    return folder


@pytest.fixture(scope="module")
def body(tmp_path_factory) -> Path:
    """A file as torchvision publishes it, of a network as narrow and shallow as the tests'."""
    import torch

    torch.manual_seed(5)
    weights = programs.resnet.ResNet50(0.0625, (1, 1, 1, 1)).state_dict()
    given = {name: weight for name, weight in weights.items() if not name.startswith("fc.")}
    given.update({"fc.weight": torch.zeros(1000, 128), "fc.bias": torch.zeros(1000)})
    path: Path = tmp_path_factory.mktemp("body") / "resnet50.pth"
    torch.save(given, path)
    return path


# ------------------------------------------------------------------------------------ model


def test_the_model_has_the_published_size():
    options = programs.resnet.options_of(["search", "--images=x", "--out=x"])

    assert programs.resnet.described(options) == {
        "model": "ResNet50",
        "parameters": 23_508_032 + 2048 * 1024 + 1024 + 1024 + 1,
        "model_bytes": 4 * 25_607_233,
        "batch_size": 8,
    }
    assert (options.epochs, options.trials, options.rate) == (5, 2, [1e-3, 1e-4, 1e-5])


def test_the_body_has_the_names_and_shapes_of_torchvision():
    import torch

    with torch.device("meta"):
        weights = programs.resnet.ResNet50().state_dict()
    shapes = {name: tuple(weight.shape) for name, weight in weights.items() if not name.startswith("fc.")}

    assert len(shapes) == 318
    assert shapes["conv1.weight"] == (64, 3, 7, 7)
    assert shapes["layer1.0.downsample.0.weight"] == (256, 64, 1, 1)
    assert shapes["layer2.3.conv2.weight"] == (128, 128, 3, 3)
    assert shapes["layer3.5.bn3.running_var"] == (1024,)
    assert shapes["layer4.2.conv3.weight"] == (2048, 512, 1, 1)
    assert weights["fc.0.weight"].shape == (1024, 2048)
    assert weights["fc.2.weight"].shape == (1, 1024)


def test_strides_are_torchvisions():
    import torch

    with torch.device("meta"):
        model = programs.resnet.ResNet50()
    strided = [name for name, part in model.named_modules() if getattr(part, "stride", 1) in (2, (2, 2))]

    assert strided == ["conv1", "maxpool"] + [
        name for layer in (2, 3, 4) for name in (f"layer{layer}.0.conv2", f"layer{layer}.0.downsample.0")
    ]


def test_operations_are_those_of_a_resnet50():
    options = argparse.Namespace(side=224, width=1.0, blocks=(3, 4, 6, 3), weights=None)
    scratch = programs.resnet.training_flops(options)
    frozen = programs.resnet.training_flops(argparse.Namespace(**{**vars(options), "weights": Path("x")}))

    assert scratch == pytest.approx(3 * 2 * 4.09e9, rel=0.01), "4.09 billion multiplications a picture"
    assert frozen == pytest.approx(scratch / 3, rel=0.01)


# ------------------------------------------------------------------------------------ pictures


def test_pieces_are_cut_where_they_should_be():
    import torch

    pictures = torch.arange(2 * 3 * 16 * 16).view(2, 3, 16, 16)
    pieces = programs.resnet.cut(pictures, torch.tensor([[0, 2, 0], [1, 0, 1]]), 14)

    assert torch.equal(pieces[0], pictures[0, :, 0:14, 2:16])
    assert torch.equal(pieces[1], pictures[1, :, 1:15, 0:14].flip(2))


def test_without_chance_pieces_are_from_the_middle():
    assert programs.resnet.cuts(2, 56, None).tolist() == [[4, 4, 0]] * 2


@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_pictures_come_in_order_with_their_labels(prepared, variant):
    import torch

    told = ["search", f"--images={prepared / 'images.list'}", "--out=x", "--side=28", f"--variant={variant}"]
    options = programs.resnet.options_of(told)
    options.device, paths = "cpu", programs.resnet.read_list(options.images)["dev"]
    source = programs.resnet.Source(paths, options)
    order, how = torch.tensor([3, 0, 2]), programs.resnet.cuts(3, 28, None)

    batches = list(source.batches(order, how, 2))

    assert [len(labels) for _, labels in batches] == [2, 1]
    for picture, label, n in zip(
        torch.cat([x for x, _ in batches]), torch.cat([y for _, y in batches]), order, strict=True
    ):
        assert torch.equal(picture, programs.resnet.decoded(paths[n], 28)[:, 2:30, 2:30])
        assert bool(label) == ("_not_" not in paths[n].name)


# ------------------------------------------------------------------------------------ search


@pytest.mark.parametrize("epoch", range(TRIALS * EPOCHS))
def test_a_search_goes_on_as_if_it_had_never_stopped(learning, undisturbed, tmp_path, capsys, epoch):
    with killed_at(programs.resnet, epoch):
        search(learning, tmp_path)

    assert search(learning, tmp_path) == best_of(undisturbed)
    assert (f"going on after {epoch} epochs" in capsys.readouterr().err) == (epoch > 0)


def test_what_was_learned_is_not_learned_again(learning, tmp_path):
    with killed_at(programs.resnet, EPOCHS + 1):
        search(learning, tmp_path)
    with killed_at(programs.resnet, TRIALS * EPOCHS - (EPOCHS + 1)):
        search(learning, tmp_path)
        raise Killed  # it has come to its end


@pytest.mark.parametrize("content", [b"", b"PK", bytes(99)])
def test_a_damaged_file_means_starting_fresh(learning, undisturbed, tmp_path, capsys, content):
    (tmp_path / "search.pt").write_bytes(content)

    assert search(learning, tmp_path) == best_of(undisturbed)
    assert capsys.readouterr().err.count("starting fresh") == 1


def test_a_flipped_bit_means_starting_fresh(learning, undisturbed, tmp_path, capsys):
    with killed_at(programs.resnet, 2):
        search(learning, tmp_path)
    damage(tmp_path / "search.pt", "flipped")

    assert search(learning, tmp_path) == best_of(undisturbed)
    assert "search.pt' cannot be read (ValueError): starting fresh" in capsys.readouterr().err


def test_the_tuned_search_tries_and_finds_the_same(learning, undisturbed, tmp_path):
    one, other = best_of(undisturbed)["trials"], search(learning, tmp_path, "--variant=tuned")["trials"]
    assert isinstance(one, list)
    assert isinstance(other, list)

    for published, tuned in zip(one, other, strict=True):
        assert tuned["parameters"] == published["parameters"]
        assert tuned["loss"] == pytest.approx(published["loss"], rel=0.05)


@pytest.mark.parametrize("epoch", range(EPOCHS))
def test_a_tuned_search_goes_on_too(learning, tmp_path, epoch):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    for folder in (whole, killed):
        folder.mkdir()
    expected = search(learning, whole, "--variant=tuned")
    with killed_at(programs.resnet, epoch):
        search(learning, killed, "--variant=tuned")

    assert search(learning, killed, "--variant=tuned") == expected


# ------------------------------------------------------------------------------------ train and infer


@pytest.mark.parametrize("epoch", range(EPOCHS))
def test_a_training_goes_on_as_if_it_had_never_stopped(learning, undisturbed, tmp_path, capsys, epoch):
    best = undisturbed / "best.json"
    with killed_at(programs.resnet, epoch):
        train(learning, best, tmp_path)

    assert same(train(learning, best, tmp_path), weights_of(undisturbed))
    assert (f"going on after {epoch} epochs" in capsys.readouterr().err) == (epoch > 0)


def test_the_tuned_training_learns_the_same(learning, undisturbed, tmp_path):
    one, other = (
        weights_of(undisturbed),
        train(learning, undisturbed / "best.json", tmp_path, "--variant=tuned"),
    )
    weights = [name for name in one if "num_batches" not in name]

    assert all(float((one[name] - other[name]).norm() / one[name].norm()) < 0.05 for name in weights)


def test_test_pictures_change_nothing_before_they_are_scored(learning, prepared, undisturbed, tmp_path):
    paths = (prepared / "images.list").read_text().splitlines()
    some = [path for path in paths if "/test_" not in path] + [path for path in paths if "/test_" in path][:1]
    (tmp_path / "list").write_text("\n".join(some))
    changed = [f"--images={tmp_path / 'list'}", *learning[1:]]

    assert search(changed, tmp_path) == best_of(undisturbed)
    assert same(train(changed, tmp_path / "best.json", tmp_path), weights_of(undisturbed))


@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_with_given_weights_the_head_alone_learns(learning, body, tmp_path, variant):
    import torch

    given = torch.load(body, weights_only=True)
    more = (f"--weights={body}", f"--variant={variant}")
    search(learning, tmp_path, *more)
    weights = train(learning, tmp_path / "best.json", tmp_path, *more)

    assert all(torch.equal(weights[name], given[name]) for name in given if not name.startswith("fc."))
    torch.manual_seed(1)
    assert not torch.equal(
        weights["fc.0.weight"], programs.resnet.ResNet50(0.0625, (1, 1, 1, 1)).fc[0].weight
    )


def test_both_variants_learn_the_same_head(learning, body, tmp_path):
    import torch

    (tmp_path / "best.json").write_text('{"rate": 0.003, "held_out": {}}')
    one, other = (
        train(learning, tmp_path / "best.json", tmp_path, f"--weights={body}", f"--variant={variant}")
        for variant in ("published", "tuned")
    )

    assert torch.allclose(one["fc.0.weight"], other["fc.0.weight"], atol=1e-4)


@pytest.mark.parametrize("wrong", [{"conv1.weight": 0}, {"conv1.weight": 7, "more": 1}, None])
def test_weights_of_another_network_are_refused_in_a_sentence(learning, body, tmp_path, wrong):
    import torch

    given = torch.load(body, weights_only=True)
    given.update({name: torch.zeros(size) for name, size in (wrong or {}).items()})
    torch.save(given if wrong else [1, 2], tmp_path / "wrong.pth")

    with pytest.raises(ValueError, match="does not hold torchvision's weights of a ResNet50 of this width"):
        search(learning, tmp_path, f"--weights={tmp_path / 'wrong.pth'}")


def infer(prepared: Path, model: Path, folder: Path, *more: str) -> dict[str, list[dict[str, str]]]:
    made = [f"--{name}={folder / name}.csv" for name in ("train", "test")]
    told = [f"--model={model}", *made, f"--matrix={folder / 'matrix.png'}", "--device=cpu", "--threads=1"]
    programs.resnet.main(["infer", f"--images={prepared / 'images.list'}", *told, *more])
    found = {}
    for name in ("train", "test"):
        with (folder / f"{name}.csv").open(newline="") as file:
            found[name] = list(csv.DictReader(file))
    return found


@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_all_pictures_are_scored_and_validation_ones_as_when_they_were_unseen(
    prepared, undisturbed, tmp_path, variant
):
    from PIL import Image

    found = infer(prepared, undisturbed / "model.pth", tmp_path, f"--variant={variant}")

    unseen = [row for row in found["train"] if row["seen"] == "0"]
    assert [len(found["train"]), len(unseen), len(found["test"])] == [COUNTS[0] + COUNTS[1], *COUNTS[1:]]
    assert {row["image_id"]: float(row["score"]) for row in unseen} == best_of(undisturbed)["held_out"]
    assert all(0 <= float(row["score"]) <= 1 for rows in found.values() for row in rows)
    for path in (tmp_path / "matrix.png", undisturbed / "loss.png", undisturbed / "accuracy.png"):
        with Image.open(path) as picture:
            assert (picture.format, min(picture.size) > 200) == ("PNG", True)


def test_scores_are_those_of_the_weights(prepared, undisturbed, tmp_path):
    import torch

    before = infer(prepared, undisturbed / "model.pth", tmp_path)["test"]
    saved = torch.load(undisturbed / "model.pth", weights_only=True)
    saved["weights"]["fc.2.bias"] += 3
    torch.save(saved, tmp_path / "model.pth")

    after = infer(prepared, tmp_path / "model.pth", tmp_path)["test"]

    assert all(float(new["score"]) > float(old["score"]) for old, new in zip(before, after, strict=True))


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"held_out": {}}', '{"rate": 0.1}', '{"rate": "fast", "held_out": {}}'],
)
def test_parameters_that_no_search_has_written_are_told_in_one_sentence(learning, tmp_path, text):
    (tmp_path / "best.json").write_text(text)

    with pytest.raises(ValueError, match=r"best.json' does not hold what a search has found") as caught:
        train(learning, tmp_path / "best.json", tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", DAMAGES)
def test_a_damaged_model_is_told_in_one_sentence(prepared, undisturbed, tmp_path, kind):
    model = tmp_path / "model.pth"
    shutil.copy(undisturbed / "model.pth", model)
    damage(model, kind)

    with pytest.raises(ValueError, match=r"model.pth' does not hold a trained model") as caught:
        infer(prepared, model, tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("train_1_0_informative.jpg\n", "should name pictures of each split"),
        (
            "train_1_0_informative.jpg\ndev_1_0_informative.jpg\ntest_1_0_informative.jpg\n",
            "cannot be read as a picture",
        ),
    ],
)
def test_a_list_that_cannot_be_used_is_told(learning, tmp_path, text, complaint):
    (tmp_path / "list").write_text(text)

    with pytest.raises(ValueError, match=complaint):
        search([f"--images={tmp_path / 'list'}", *learning[1:]], tmp_path)
