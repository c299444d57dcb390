"""Crisis' model of texts: what it reads, that it goes on from where it was killed, and what it hands on."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.parts import need
from tests.workflows.crisis.micro import (
    COUNTS,
    DAMAGES,
    EPOCHS,
    LEARNING,
    TEXT,
    TRIALS,
    Killed,
    damage,
    killed_at,
    own,
    programs,
    same,
    texts_in,
)
from tests.workflows.modules import WORKFLOWS

need("torch", "optuna", "pillow", "matplotlib")
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def learning(data, prepared) -> list[str]:
    """What search and training are told."""
    return [*texts_in(prepared), f"--vectors={data / own.dataset.VECTORS}", *LEARNING, *TEXT]


def search(learning: list[str], folder: Path, *more: str) -> dict[str, object]:
    out = folder / "best.json"
    programs.bilstm.main(["search", *learning, f"--unfinished={folder / 'search.pt'}", f"--out={out}", *more])
    found: dict[str, object] = json.loads(out.read_text())
    return found


def train(learning: list[str], best: Path, folder: Path, *more: str) -> dict[str, object]:
    import torch

    made = [f"--{name}={folder / name}.png" for name in ("loss", "accuracy")]
    left = [f"--unfinished={folder / 'train.pt'}", f"--model={folder / 'model.pth'}"]
    programs.bilstm.main(["train", *learning, f"--parameters={best}", *left, *made, *more])
    saved: dict[str, object] = torch.load(folder / "model.pth", weights_only=True)
    return saved


@pytest.fixture(scope="module")
def undisturbed(learning, tmp_path_factory) -> Path:
    """A folder with what search and training made."""
    import torch

    torch.set_num_threads(1)
    folder: Path = tmp_path_factory.mktemp("undisturbed")
    search(learning, folder)
    train(learning, folder / "best.json", folder)
    return folder


def best_of(folder: Path) -> dict[str, object]:
    found: dict[str, object] = json.loads((folder / "best.json").read_text())
    return found


def weights_of(folder: Path):
    import torch

    return torch.load(folder / "model.pth", weights_only=True)["weights"]


# ------------------------------------------------------------------------------------ words and model


def test_the_model_has_the_published_shape():
    import torch

    model = programs.bilstm.BiLSTM(torch.zeros(1002, 200), 128, 64, 0.1)
    options = programs.bilstm.options_of(["search", "--texts", "a", "b", "c", "--vectors=v", "--out=o"])

    assert programs.bilstm.described(model, options) == {
        "model": "BiLSTM",
        "parameters": 1002 * 200 + 2 * (4 * 128 * (200 + 128) + 2 * 4 * 128) + 256 * 64 * 3 + 64 + 64 + 1,
        "model_bytes": 4 * 587_601,
        "batch_size": 128,
    }
    assert (options.words, options.length, options.hidden, options.filters) == (1000, 150, 128, 64)
    assert (options.epochs, options.trials, options.rate) == (10, 2, [1e-3, 1e-4, 1e-5])
    assert options.dropout == [0.1, 0.2, 0.4]


def test_what_is_beyond_a_text_has_no_effect():
    import torch

    torch.manual_seed(0)
    model = programs.bilstm.BiLSTM(torch.randn(9, 5), 4, 3, 0.0).eval()
    words, lengths = torch.tensor([[2, 3, 4, 0], [5, 6, 0, 0]]), torch.tensor([3, 2])
    longer = torch.cat([words, torch.full((2, 9), 7)], 1)

    assert torch.equal(model(longer, lengths), model(words, lengths))
    assert not torch.equal(model(words.flip(1), torch.tensor([4, 4])), model(words, torch.tensor([4, 4])))


def test_both_ways_to_read_vectors_find_the_same(data):
    words = {"flood", "bridge", "bababa", "notaword"}
    one, other = (
        find(data / own.dataset.VECTORS, words)
        for find in (programs.bilstm.all_vectors, programs.bilstm.known_vectors)
    )

    assert one.keys() == other.keys() == words - {"notaword"}
    assert all((one[word] == other[word]).all() for word in one)


def test_words_are_numbered_by_how_often_they_come_and_texts_cut_or_filled():
    posts = [{"text": text, "label": "informative"} for text in ("b a b", "c", "", "a b c d e")]
    words = programs.bilstm.frequent_words(posts, 3)
    rows, lengths, labels = programs.bilstm.numbered(posts, words, 4)

    assert words == ["b", "a", "c"]
    assert rows.tolist() == [[2, 3, 2, 0], [4, 0, 0, 0], [1, 0, 0, 0], [3, 2, 4, 1]]
    assert lengths.tolist() == [3, 1, 1, 4]
    assert labels.tolist() == [1.0] * 4


# ------------------------------------------------------------------------------------ search


def test_the_best_trial_has_the_smallest_validation_loss(undisturbed):
    best = best_of(undisturbed)
    trials = best["trials"]
    assert isinstance(trials, list)

    assert len(trials) == TRIALS
    assert trials[0]["parameters"] != trials[1]["parameters"]
    first = min(trials, key=lambda trial: trial["loss"])
    assert first["parameters"] == {"rate": best["rate"], "dropout": best["dropout"]}


@pytest.mark.parametrize("epoch", range(TRIALS * EPOCHS))
def test_a_search_goes_on_as_if_it_had_never_stopped(learning, undisturbed, tmp_path, capsys, epoch):
    with killed_at(programs.bilstm, epoch):
        search(learning, tmp_path)

    assert search(learning, tmp_path) == best_of(undisturbed)
    assert (f"going on after {epoch} epochs" in capsys.readouterr().err) == (epoch > 0)


def test_what_was_learned_is_not_learned_again(learning, tmp_path):
    with killed_at(programs.bilstm, EPOCHS + 1):
        search(learning, tmp_path)

    with killed_at(programs.bilstm, TRIALS * EPOCHS - (EPOCHS + 1)):
        search(learning, tmp_path)
        raise Killed  # it has come to its end


@pytest.mark.parametrize("content", [b"", b"PK", bytes(99), b"{}"])
def test_a_damaged_file_means_starting_fresh(learning, undisturbed, tmp_path, capsys, content):
    (tmp_path / "search.pt").write_bytes(content)

    assert search(learning, tmp_path) == best_of(undisturbed)
    said = capsys.readouterr().err
    assert said.count("starting fresh") == 1
    assert "Traceback" not in said


def test_a_file_of_other_settings_means_starting_fresh(learning, undisturbed, tmp_path, capsys):
    with killed_at(programs.bilstm, 2):
        search(learning, tmp_path, "--seed=2")

    assert search(learning, tmp_path) == best_of(undisturbed)
    assert "was left by other settings: starting fresh" in capsys.readouterr().err


def test_more_trials_than_the_grid_has_points_are_as_many_as_it_has(learning, tmp_path):
    tried = search(learning, tmp_path, "--trials=9", "--epochs=1")["trials"]
    assert isinstance(tried, list)

    assert len({json.dumps(trial["parameters"]) for trial in tried}) == len(tried) == 4


def test_a_flipped_bit_means_starting_fresh(learning, undisturbed, tmp_path, capsys):
    with killed_at(programs.bilstm, 2):
        search(learning, tmp_path)
    damage(tmp_path / "search.pt", "flipped")

    assert search(learning, tmp_path) == best_of(undisturbed)
    assert "search.pt' cannot be read (ValueError): starting fresh" in capsys.readouterr().err


def test_the_tuned_search_tries_the_same(learning, undisturbed, tmp_path):
    one, other = best_of(undisturbed)["trials"], search(learning, tmp_path, "--variant=tuned")["trials"]
    assert isinstance(one, list)
    assert isinstance(other, list)

    for published, tuned in zip(one, other, strict=True):
        assert tuned["parameters"] == published["parameters"]
        assert tuned["loss"] == pytest.approx(published["loss"], rel=0.1)


@pytest.mark.parametrize("epoch", range(EPOCHS))
def test_a_tuned_search_goes_on_too(learning, tmp_path, epoch):
    undisturbed, killed = tmp_path / "undisturbed", tmp_path / "killed"
    for folder in (undisturbed, killed):
        folder.mkdir()
    expected = search(learning, undisturbed, "--variant=tuned")
    with killed_at(programs.bilstm, epoch):
        search(learning, killed, "--variant=tuned")

    assert search(learning, killed, "--variant=tuned") == expected


# ------------------------------------------------------------------------------------ train and infer


@pytest.mark.parametrize("epoch", range(EPOCHS))
def test_a_training_goes_on_as_if_it_had_never_stopped(learning, undisturbed, tmp_path, capsys, epoch):
    best = undisturbed / "best.json"
    with killed_at(programs.bilstm, epoch):
        train(learning, best, tmp_path)
    train(learning, best, tmp_path)

    assert same(weights_of(tmp_path), weights_of(undisturbed))
    assert (tmp_path / "loss.png").read_bytes() == (undisturbed / "loss.png").read_bytes()
    assert (f"going on after {epoch} epochs" in capsys.readouterr().err) == (epoch > 0)


def test_training_learns_the_embedding_too(learning, undisturbed):
    import torch

    options = programs.bilstm.options_of(["search", *learning, "--out=x"])
    words = torch.load(undisturbed / "model.pth", weights_only=True)["words"]

    assert len(words) == 60
    assert not torch.equal(
        weights_of(undisturbed)["embedding.weight"], programs.bilstm.vectors_of(words, options)
    )


def test_without_dropout_the_tuned_training_learns_the_same(learning, undisturbed, tmp_path):
    best = tmp_path / "best.json"
    best.write_text(json.dumps({**best_of(undisturbed), "dropout": 0.0}))
    learned = []
    for variant in ("published", "tuned"):
        train(learning, best, tmp_path, f"--variant={variant}")
        learned.append(weights_of(tmp_path))

    one, other = learned
    assert all(float((one[name] - other[name]).norm() / one[name].norm()) < 0.001 for name in one)


def test_test_posts_change_nothing_before_they_are_scored(learning, prepared, undisturbed, tmp_path):
    clean = tmp_path / "clean"
    shutil.copytree(prepared / "clean", clean)
    (clean / "test.csv").write_text("tweet_id,text,label\n1,flood flood flood,informative\n")
    changed = [*texts_in(tmp_path), *learning[4:]]

    assert search(changed, tmp_path) == best_of(undisturbed)
    train(changed, tmp_path / "best.json", tmp_path)
    assert same(weights_of(tmp_path), weights_of(undisturbed))


def infer(prepared: Path, model: Path, folder: Path, *more: str) -> dict[str, list[dict[str, str]]]:
    made = [f"--{name}={folder / name}.csv" for name in ("train", "test")]
    told = [f"--model={model}", *made, f"--matrix={folder / 'matrix.png'}", "--device=cpu", "--threads=1"]
    programs.bilstm.main(["infer", *texts_in(prepared), *told, *more])
    found = {}
    for name in ("train", "test"):
        with (folder / f"{name}.csv").open(newline="") as file:
            found[name] = list(csv.DictReader(file))
    return found


@pytest.mark.parametrize("variant", ["published", "tuned"])
def test_all_posts_are_scored_and_validation_posts_as_when_they_were_unseen(
    prepared, undisturbed, tmp_path, variant
):
    found = infer(prepared, undisturbed / "model.pth", tmp_path, f"--variant={variant}")
    held_out = best_of(undisturbed)["held_out"]
    assert isinstance(held_out, dict)

    unseen = [row for row in found["train"] if row["seen"] == "0"]
    assert list(found["test"][0]) == ["tweet_id", "split", "label", "score", "seen"]
    assert {row["split"] for row in unseen} == {"dev"}
    assert {row["tweet_id"]: float(row["score"]) for row in unseen} == held_out
    assert {row["seen"] for row in found["test"]} == {"0"}
    assert len(found["train"]) - len(unseen) <= COUNTS[0]
    assert all(0 <= float(row["score"]) <= 1 for row in found["test"])


def test_scores_are_those_of_the_weights(prepared, undisturbed, tmp_path):
    import torch

    before = infer(prepared, undisturbed / "model.pth", tmp_path)["test"]
    saved = torch.load(undisturbed / "model.pth", weights_only=True)
    saved["weights"]["output.bias"] += 3
    torch.save(saved, tmp_path / "model.pth")

    after = infer(prepared, tmp_path / "model.pth", tmp_path)["test"]

    assert all(float(new["score"]) > float(old["score"]) for old, new in zip(before, after, strict=True))


def test_pictures_are_drawn(prepared, undisturbed, tmp_path):
    from PIL import Image

    infer(prepared, undisturbed / "model.pth", tmp_path)
    for path in (tmp_path / "matrix.png", undisturbed / "loss.png", undisturbed / "accuracy.png"):
        with Image.open(path) as picture:
            assert (picture.format, min(picture.size) > 200) == ("PNG", True)


# ------------------------------------------------------------------------------------ what goes wrong


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"dropout": 0, "held_out": {}}', '{"rate": 1, "held_out": {}}', '{"rate": 1, "dropout": 0}'],
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
    ("change", "complaint"),
    [
        (lambda folder: (folder / "clean" / "dev.csv").unlink(), "No such file or directory"),
        (
            lambda folder: (folder / "clean" / "dev.csv").write_text("a,b\n1,2\n"),
            "has no posts with tweet_id",
        ),
        (lambda folder: (folder / "glove.txt").write_text("x 1 2\n"), "has no vector of any word"),
        (
            lambda folder: (folder / "glove.txt").write_text("flood 1 b\n"),
            "could not convert string to float",
        ),
    ],
)
def test_what_cannot_be_used_is_told_in_one_sentence(prepared, tmp_path, change, complaint):
    shutil.copytree(prepared / "clean", tmp_path / "clean")
    (tmp_path / "glove.txt").write_text("flood 1 2\n")
    change(tmp_path)
    program = WORKFLOWS / "crisis" / "bin" / "bilstm.py"
    told = [*texts_in(tmp_path), f"--vectors={tmp_path / 'glove.txt'}", *LEARNING, f"--out={tmp_path / 'o'}"]

    done = subprocess.run(
        [sys.executable, program, "search", *told], capture_output=True, text=True, timeout=100, check=False
    )

    assert done.returncode == 1
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
