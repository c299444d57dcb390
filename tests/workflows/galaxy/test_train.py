"""Galaxy's training and evaluation: killed ones go on, useless ones stop early, artefacts are real."""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.galaxy.micro import BATCH, COUNTS, EPOCHS, SIDE, Killed, programs, train_arguments

need("torch", "optuna", "pillow", "matplotlib")
pytestmark = pytest.mark.usefixtures("one_thread")
BEST = {
    "body_rate": 1e-3,
    "head_rate": 1e-3,
    "transferred": 0,
    "decays": True,
    "width": 0.125,
    "batch": BATCH,
}


def trained(given: argparse.Namespace) -> dict[str, object]:
    """Train; return the weights."""
    import torch

    given.parameters.write_text(json.dumps(BEST))
    programs.train.train(given)
    weights: dict[str, object] = torch.load(given.model, weights_only=True)
    return weights


def same(one, other) -> bool:
    import torch

    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.fixture(scope="module")
def undisturbed(pictures, tmp_path_factory):
    import torch

    torch.set_num_threads(1)
    return trained(train_arguments(pictures, tmp_path_factory.mktemp("undisturbed")))


def killed_at(monkeypatch, given, epoch: int) -> None:
    original = programs.model.Learner.learn_epoch

    def learn_epoch(learner) -> float:
        if learner.epoch == epoch:
            raise Killed
        return float(original(learner))

    given.parameters.write_text(json.dumps(BEST))
    with monkeypatch.context() as patched:
        patched.setattr(programs.model.Learner, "learn_epoch", learn_epoch)
        with pytest.raises(Killed):
            programs.train.train(given)


@pytest.mark.parametrize("epoch", range(EPOCHS))
def test_a_training_goes_on_as_if_it_had_never_stopped(
    pictures, undisturbed, tmp_path, monkeypatch, capsys, epoch
):
    given = train_arguments(pictures, tmp_path)
    killed_at(monkeypatch, given, epoch)
    capsys.readouterr()

    assert same(trained(given), undisturbed)
    assert (f"going on after {epoch} of {EPOCHS} epochs" in said(capsys)) == (epoch > 0)


@pytest.mark.parametrize("content", [b"", b"PK", b"\x80\x04N."])
def test_a_damaged_checkpoint_means_starting_fresh(pictures, undisturbed, tmp_path, capsys, content):
    given = train_arguments(pictures, tmp_path)
    given.checkpoint.write_bytes(content)

    assert same(trained(given), undisturbed)
    assert "starting fresh" in capsys.readouterr().err


def test_a_flipped_bit_in_a_checkpoint_is_noticed(pictures, undisturbed, tmp_path, monkeypatch, capsys):
    given = train_arguments(pictures, tmp_path)
    killed_at(monkeypatch, given, 1)
    flip_in_the_middle(given.checkpoint)

    assert same(trained(given), undisturbed)
    assert "train.pt: it is damaged (BadZipFile): starting fresh" in said(capsys)


def flip_in_the_middle(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_a_checkpoint_of_another_seed_is_not_gone_on_from(
    pictures, undisturbed, tmp_path, monkeypatch, capsys
):
    killed_at(monkeypatch, train_arguments(pictures, tmp_path, seed=2), 1)

    assert same(trained(train_arguments(pictures, tmp_path)), undisturbed)
    assert "it is of other settings: starting fresh" in said(capsys)


def test_a_checkpoint_of_other_weights_is_not_gone_on_from(pictures, tmp_path, monkeypatch, capsys):
    import torch

    body = programs.model.VGG16(BEST["width"], SIDE).state_dict()
    given = train_arguments(pictures, tmp_path, weights=tmp_path / "vgg16.pth")
    torch.save(body, given.weights)
    killed_at(monkeypatch, given, 1)
    torch.save({name: each * 1.5 for name, each in body.items()}, given.weights)

    trained(given)

    assert "it is of other settings: starting fresh" in said(capsys)


@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_either_variant_learns(pictures, tmp_path, capsys, variant):
    trained(train_arguments(pictures, tmp_path, variant=variant, epochs=8))

    lines = said(capsys).splitlines()
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in lines if line.startswith("epoch")]
    assert losses[-1] < losses[0] - 0.5


def said(capsys) -> str:
    return str(capsys.readouterr().err)


def test_training_stops_when_validation_no_longer_gains():
    losses = [1.0, 0.5, 0.6, 0.7, 0.6, 0.55]

    assert [programs.train.stale([(0, loss) for loss in losses[:n]]) for n in range(7)] == [False] * 6 + [
        True
    ]


def test_test_pictures_change_nothing(pictures, undisturbed, tmp_path):
    given = train_arguments(pictures, tmp_path, test=pictures / "val.list")

    assert same(trained(given), undisturbed)


def evaluated(pictures, folder, variant: str = "published") -> argparse.Namespace:
    given = argparse.Namespace(
        test=pictures / "test.list", model=folder / "model.pth", parameters=folder / "best.json",
        matrix=folder / "matrix.png", results=folder / "results.csv", variant=variant, device="cpu",
        cores=1,
    )  # fmt: skip
    programs.evaluate.evaluate(given)
    return given


@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_the_evaluation_writes_a_table_and_a_picture(pictures, tmp_path, variant):
    from PIL import Image

    trained(train_arguments(pictures, tmp_path))
    given = evaluated(pictures, tmp_path, variant)

    (row,) = csv.DictReader(given.results.read_text().splitlines())
    assert list(row) == ["accuracy", "precision", "recall", "f1"]
    assert all(0 <= float(value) <= 1 for value in row.values())
    assert round(float(row["accuracy"]) * COUNTS["test"], 3) % 1 == 0
    for path in (given.matrix, tmp_path / "curve.png"):
        with Image.open(path) as picture:
            assert (picture.format, min(picture.size) > 200) == ("PNG", True)


@pytest.mark.parametrize("matrix", [[[3, 1], [0, 4]], [[2, 0, 1], [1, 5, 0], [0, 2, 3]], [[4, 0], [3, 0]]])
def test_results_are_those_of_scikit_learn(matrix):
    need("sklearn")
    import numpy as np
    from sklearn.metrics import accuracy_score, precision_recall_fscore_support

    actual = [row for row, counts in enumerate(matrix) for count in counts for _ in range(count)]
    taken = [column for counts in matrix for column, count in enumerate(counts) for _ in range(count)]
    expected = precision_recall_fscore_support(actual, taken, average="macro", zero_division=0)[:3]

    results = programs.evaluate.results_of(np.array(matrix))

    assert list(results.values()) == pytest.approx([accuracy_score(actual, taken), *expected])


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("model.pth", b"nothing", "does not hold the weights of this network"),
        ("best.json", b"{}", "does not hold the parameters of a search"),
        ("best.json", b"\xff", "does not hold the parameters of a search"),
    ],
)
def test_inputs_of_another_kind_are_refused_in_a_sentence(pictures, tmp_path, name, content, complaint):
    trained(train_arguments(pictures, tmp_path))
    tmp_path.joinpath(name).write_bytes(content)

    with pytest.raises(ValueError, match=complaint):
        evaluated(pictures, tmp_path)


def test_a_flipped_bit_in_the_model_is_refused_in_a_sentence(pictures, tmp_path):
    trained(train_arguments(pictures, tmp_path))
    flip_in_the_middle(tmp_path / "model.pth")

    with pytest.raises(ValueError, match=r"does not hold the weights of this network \(BadZipFile\)"):
        evaluated(pictures, tmp_path)


def test_a_training_uses_the_cores_that_it_was_given(pictures, tmp_path, monkeypatch):
    import torch

    decoded = monkeypatched_decoding(monkeypatch)
    trained(train_arguments(pictures, tmp_path, variant="tuned", cores=2))

    assert (torch.get_num_threads(), set(decoded)) == (2, {2})


def test_there_are_no_more_workers_than_cores(pictures, tmp_path):
    names = {"train": programs.data.names_in(pictures / "train.list")}

    for workers, used in ((0, 0), (1, 1), (5, 2)):
        given = train_arguments(pictures, tmp_path, workers=workers, cores=2)
        assert programs.train.batches_of(given, names, BATCH)["train"].workers == used


def monkeypatched_decoding(monkeypatch) -> list[int]:
    """Return where the number of cores of each decoding will stand."""
    original, found = programs.train.decoded, []

    def decoded(names, cores):
        found.append(cores)
        return original(names, cores)

    monkeypatch.setattr(programs.train, "decoded", decoded)
    return found


@pytest.mark.parametrize("cores", [0, -1])
def test_no_work_is_done_without_a_core(pictures, tmp_path, cores):
    with pytest.raises(ValueError, match=f"--cores is {cores}; it must be above zero"):
        trained(train_arguments(pictures, tmp_path, cores=cores))


def test_a_gpu_that_is_not_there_is_missed_in_a_sentence(pictures, tmp_path):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(ValueError, match="there is no GPU that PyTorch can use"):
        trained(train_arguments(pictures, tmp_path, device="cuda"))
