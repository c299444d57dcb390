"""Crisis' late fusion: it gains where models know different posts, and is chosen by unseen scores alone."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need
from tests.workflows.crisis.micro import programs
from tests.workflows.modules import WORKFLOWS

need("sklearn", "matplotlib", "pillow")
fusion = programs.late_fusion
WAYS = ("mean_probability", "logistic_regression", "mlp")
COUNT = 300


def score(chance: np.random.Generator, label: int, *, sure: float) -> float:
    """Return a score that is right if it is sure, and tells nothing else."""
    if chance.random() < sure:
        return float(np.clip(chance.normal(0.9 if label else 0.1, 0.05), 0, 1))
    return float(chance.uniform(0.3, 0.7))


def write(folder: Path, sure: tuple[float, float] = (0.7, 0.6)) -> None:
    """Write four files of scores, as the models do: two pictures for every second post."""
    chance = np.random.default_rng(1)
    for part, splits in (("train", ("train", "dev")), ("test", ("test",))):
        texts, images = [], []
        for split in splits:
            for n in range(COUNT):
                label, mark = int(chance.random() < 0.6), int(split == "train")
                word = "informative" if label else "not_informative"
                given = [score(chance, label, sure=each) for each in sure]
                texts.append([f"{split}{n}", split, word, given[0], mark])
                images += [[f"{split}{n}_{k}", split, word, given[1], mark] for k in range(1 + n % 2)]
        for name, first, rows in (("text", "tweet_id", texts), ("image", "image_id", images)):
            with (folder / f"{name}_{part}.csv").open("w", newline="") as file:
                csv.writer(file).writerows([[first, "split", "label", "score", "seen"], *rows])


def fuse(folder: Path) -> subprocess.CompletedProcess[str]:
    program = WORKFLOWS / "crisis" / "bin" / "late_fusion.py"
    files = [
        each for name in ("text", "image")
        for each in (f"--{name}", folder / f"{name}_train.csv", folder / f"{name}_test.csv")
    ]  # fmt: skip
    command = [sys.executable, program, *files, "--seed", "3", "--out", folder / "fusion"]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def tables(folder: Path) -> dict[str, list[dict[str, str]]]:
    found = {}
    for way in WAYS:
        with (folder / f"fusion_{way}.csv").open(newline="") as file:
            found[way] = list(csv.DictReader(file))
    return found


@pytest.fixture(scope="module")
def fused(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("fused")
    write(folder)
    done = fuse(folder)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


def test_each_way_has_a_table_beside_the_single_models(fused):
    for way, rows in tables(fused).items():
        assert [row["method"] for row in rows] == [way, "text", "image"]
        assert list(rows[0]) == [
            "method", "pictures", "accuracy", "precision", "recall", "f1", "train_accuracy", "chosen",
        ]  # fmt: skip
        assert {row["pictures"] for row in rows} == {str(COUNT * 3 // 2)}, "not posts: every second has two"


def test_fusion_gains_where_models_know_different_posts(fused):
    for way, (both, text, image) in tables(fused).items():
        singles = max(float(text["accuracy"]), float(image["accuracy"]))
        assert float(both["accuracy"]) > singles + 0.03, way


def test_one_way_is_chosen_and_it_is_the_best_by_training_scores(fused):
    rows = [rows[0] for rows in tables(fused).values()]
    chosen = [row for row in rows if row["chosen"] == "1"]

    assert len(chosen) == 1
    assert float(chosen[0]["train_accuracy"]) == max(float(row["train_accuracy"]) for row in rows)


def test_scores_of_posts_that_were_seen_have_no_say(fused, tmp_path):
    for path in fused.glob("[ti]*.csv"):
        lines = path.read_text().splitlines()
        wild = [
            ",".join([*line.split(",")[:3], "0.99", "1"]) if line.endswith(",1") else line for line in lines
        ]
        assert (wild != lines) == ("train" in path.name)
        (tmp_path / path.name).write_text("\n".join(wild))
    assert fuse(tmp_path).returncode == 0

    assert tables(tmp_path) == tables(fused)


def test_test_labels_do_not_choose(fused, tmp_path):
    for path in fused.glob("[ti]*.csv"):
        text = path.read_text()
        if path.name.endswith("test.csv"):
            text = text.replace("not_informative", "x").replace("informative", "not_informative")
            text = text.replace(",x,", ",informative,")
        (tmp_path / path.name).write_text(text)
    assert fuse(tmp_path).returncode == 0

    before, after = tables(fused), tables(tmp_path)
    for way in WAYS:
        for name in ("chosen", "train_accuracy"):
            assert after[way][0][name] == before[way][0][name]
        accuracy = float(after[way][0]["accuracy"])
        assert accuracy == pytest.approx(1 - float(before[way][0]["accuracy"]), abs=1e-3)


def test_measures_are_those_of_the_matrix(fused):
    row = tables(fused)["mean_probability"][1]
    with (fused / "text_test.csv").open(newline="") as file:
        texts = {each["tweet_id"]: each for each in csv.DictReader(file)}
    with (fused / "image_test.csv").open(newline="") as file:
        posts = [texts[each["image_id"].split("_")[0]] for each in csv.DictReader(file)]
    judged = [(post["label"] == "informative", float(post["score"]) > 0.5) for post in posts]
    hits = judged.count((True, True))

    assert float(row["accuracy"]) == pytest.approx(sum(a == b for a, b in judged) / len(judged), abs=1e-4)
    assert float(row["precision"]) == pytest.approx(hits / sum(b for _, b in judged), abs=1e-4)
    assert float(row["recall"]) == pytest.approx(hits / sum(a for a, _ in judged), abs=1e-4)


def test_each_way_has_a_picture(fused):
    from PIL import Image

    for way in WAYS:
        with Image.open(fused / f"fusion_{way}.png") as picture:
            picture.load()
            assert picture.format == "PNG"
            assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 10, "something is drawn"


def test_the_figure_counts_pictures(monkeypatch):
    drawn = []
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", lambda figure, _: drawn.append(figure))
    scores, labels = np.array([[1.0, 2.0], [1.0, -2.0], [-3.0, -1.0]]), np.array([1, 1, 0])
    pictures = fusion.Pictures(["1", "1", "2"], scores, labels)

    fusion.draw(Path("x.png"), "mean_probability", fusion.MeanProbability().fit(scores, labels), pictures)

    assert drawn[0].axes[1].get_title() == "3 test pictures", "of two posts"


HEAD = "image_id,split,label,score,seen"


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("text_test.csv", f"tweet_id{HEAD[8:]}\n1,test,informative,0.5,0\n", "has no score of the post"),
        ("text_train.csv", "a,b\n1,2\n", "has no rows with label, score and seen"),
        ("image_train.csv", f"{HEAD}\ntrain0_0,train,informative,0.5,1\n", "no score of the post of any"),
        ("image_train.csv", f"{HEAD}\ndev0_0,dev,informative,0.5,0\n", "too few to fit"),
    ],
)
def test_scores_that_cannot_be_used_are_told_in_one_sentence(tmp_path, name, text, complaint):
    write(tmp_path)
    (tmp_path / name).write_text(text)

    done = fuse(tmp_path)

    assert done.returncode == 1
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
