"""Crisis from its data to its artefacts at scale tiny: three seeds, three placements, killed on its way."""

from __future__ import annotations

import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need
from tests.running import Bench, bench_of
from tests.workflows.killing import finish, go_on, kill_when_there_is
from tests.workflows.modules import WORKFLOWS, Modules

need("torch", "optuna", "sklearn", "pillow", "matplotlib")
pytestmark = pytest.mark.timeout(900)
CRISIS = WORKFLOWS / "crisis"
dataset = Modules("crisis").dataset
cleaning = Modules("crisis/bin").preprocess_tweets
THUMBNAIL = 8
FUSIONS = ("mean_probability", "logistic_regression", "mlp")
# Placement, variant, seed of all jobs.
RUNS = [("baseline", "published", 10), ("clustering", "published", 11), ("links", "tuned", 12)]
MICRO = ("--set", "limit=180", "--set", "epochs=4")


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("posts")
    subprocess.run([sys.executable, CRISIS / "generate.py", "--out", folder, "--seed", "3"], check=True)
    return folder


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with bench_of(nobody=False) as made:
        yield made


def run(bench: Bench, data: Path, out: str, *options: str) -> Path:
    """Run the workflow, which must go well; return the folder of its results."""
    finish(bench, *arguments(data, out), *options)
    return bench.folder / out


def arguments(data: Path, out: str) -> list[str]:
    folders = ("--out", out, "--work", f"work-{out}", "--scratch", f"scratch-{out}")
    return ["run", str(CRISIS), "--set", f"data={data}", *folders]


def rows_of(folder: Path, fusion: str) -> dict[str, dict[str, str]]:
    with (folder / f"fusion_{fusion}.csv").open(newline="") as file:
        return {row["method"]: row for row in csv.DictReader(file)}


def accuracies(folder: Path) -> dict[str, float]:
    """Return the accuracy of the single models, and of the fusion that the training scores have chosen."""
    every = {name: rows_of(folder, name) for name in FUSIONS}
    (chosen,) = (name for name, rows in every.items() if rows[name]["chosen"] == "1")
    rows = every[chosen]
    return {"fusion": float(rows[chosen]["accuracy"])} | {
        name: float(rows[name]["accuracy"]) for name in ("text", "image")
    }


# ------------------------------------------------------------------------------------ trivial models


@pytest.fixture(scope="module")
def trivial(data) -> dict[str, float]:
    """The accuracy of logistic regressions: on counts of words, and on thumbnails of 8 times 8 points."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    pictures = dataset.read_posts(data, "tiny").pictures
    splits = [[each for each in pictures if each.name.startswith(split)] for split in ("train", "test")]
    labels = [np.array([each.label == "informative" for each in split]) for split in splits]
    texts = [[cleaning.clean(each.text) for each in split] for split in splits]
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    thumbnails = [np.array([thumbnail(each.path) for each in split]) for split in splits]
    return {
        "text": counted(texts, labels),
        "image": float(model.fit(thumbnails[0], labels[0]).score(thumbnails[1], labels[1])),
    }


def counted(texts: list[list[str]], labels: list[np.ndarray]) -> float:
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    words = CountVectorizer()
    train, test = words.fit_transform(texts[0]), words.transform(texts[1])
    return float(LogisticRegression(C=0.1, max_iter=1000).fit(train, labels[0]).score(test, labels[1]))


def thumbnail(path: Path) -> np.ndarray:
    from PIL import Image

    with Image.open(path) as picture:
        small = picture.convert("RGB").resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX)
    return np.asarray(small, float).ravel()


# ------------------------------------------------------------------------------------ whole runs


def check_pictures(folder: Path) -> None:
    from PIL import Image

    for name in FUSIONS:
        with Image.open(folder / f"fusion_{name}.png") as picture:
            picture.load()
            assert picture.format == "PNG"
            assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 10, "something is drawn"


@pytest.mark.parametrize(("placement", "variant", "seed"), RUNS)
def test_posts_are_judged_best_by_both_and_better_than_by_trivial_models(
    bench, data, trivial, placement, variant, seed
):
    options = ("--placement", placement, "--set", f"variant={variant}", "--set", f"seed={seed}")
    folder = run(bench, data, placement, *options)

    found = accuracies(folder)
    print(seed, variant, found, "trivial:", trivial)  # for the table of docs/workflows/crisis.md
    assert found["fusion"] >= max(found["text"], found["image"]), found
    for single, score in trivial.items():
        assert score <= found[single] - 0.15, (single, score, found)
    check_pictures(folder)


# ------------------------------------------------------------------------------------ killed on its way


@pytest.fixture(scope="module")
def undisturbed(bench, data) -> Path:
    return run(bench, data, "undisturbed", *MICRO)


@pytest.mark.parametrize("model", ["resnet", "bilstm"])
def test_a_run_that_is_killed_in_search_and_in_training_ends_as_if_it_had_not_been(
    bench, data, undisturbed, model
):
    out = f"killed-{model}"
    launcher = bench.start(*arguments(data, out), *MICRO)
    kill_when_there_is(bench, launcher, bench.folder / f"scratch-{out}", f"{model}_search.pt")
    launcher = bench.start("run", "--resume", bench.runs()[-1].name.rpartition("-")[2])
    kill_when_there_is(bench, launcher, bench.folder / f"scratch-{out}", f"{model}_training.pt")
    assert not (bench.folder / out / "fusion_mlp.csv").exists()

    printed = go_on(bench)

    assert len(re.findall(rf"{model}: going on after [1-9]\d* epochs", printed)) == 2, "search and training"
    for name in FUSIONS:
        assert rows_of(bench.folder / out, name) == rows_of(undisturbed, name)
    for name in ("best_bilstm.json", "best_resnet.json"):
        one, other = (bench.folder / f"work-{each}" / "files" / name for each in ("undisturbed", out))
        assert json.loads(one.read_text()) == json.loads(other.read_text())
