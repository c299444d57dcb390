"""Galaxy from its data to its artefacts at scale tiny: three seeds, three placements, killed on its way."""

from __future__ import annotations

import csv
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
GALAXY = WORKFLOWS / "galaxy"
dataset = Modules("galaxy").dataset
CROP, THUMBNAIL = 64, 8
# Placement, variant, seed of the split and of all jobs.
RUNS = [("baseline", "published", 10), ("clustering", "published", 11), ("links", "tuned", 12)]
MICRO = ("--set", "limit=120", "--set", "epochs=5")


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("galaxies")
    subprocess.run([sys.executable, GALAXY / "generate.py", "--out", folder, "--seed", "3"], check=True)
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
    return ["run", str(GALAXY), "--set", f"data={data}", *folders]


def results_in(folder: Path) -> dict[str, float]:
    (row,) = csv.DictReader((folder / "results.csv").read_text().splitlines())
    return {name: float(value) for name, value in row.items()}


def trivial_score(data: Path, seed: int) -> float:
    """Return the accuracy of a logistic regression on thumbnails of eight times eight pixels."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    galaxies = dataset.read_galaxies(data, "tiny")
    dealt = dataset.split(tuple(map(len, galaxies.by_class)), seed)
    sets = {name: thumbnails(galaxies, dealt[name]) for name in ("train", "test")}
    model = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=1000))
    return float(model.fit(*sets["train"]).score(*sets["test"]))


def thumbnails(galaxies, dealt: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    from PIL import Image

    found, labels = [], []
    for label, members in enumerate(dealt):
        for n in members:
            with Image.open(galaxies.path(galaxies.by_class[label][n])) as picture:
                rim = (picture.width - CROP) // 2
                middle = picture.crop((rim, rim, rim + CROP, rim + CROP))
            found.append(np.asarray(middle.resize((THUMBNAIL, THUMBNAIL), Image.Resampling.BOX)).ravel())
            labels.append(label)
    return np.array(found, float), np.array(labels)


def check_pictures(folder: Path) -> None:
    from PIL import Image

    for name in ("confusion_matrix.png", "loss_curve.png"):
        with Image.open(folder / name) as picture:
            picture.load()
            assert picture.format == "PNG"
            assert len(np.unique(np.asarray(picture.convert("L")))) > 10, "something is drawn"


@pytest.mark.parametrize(("placement", "variant", "seed"), RUNS)
def test_galaxies_are_told_apart_better_than_by_a_trivial_model(bench, data, placement, variant, seed):
    import torch

    options = ("--placement", placement, "--set", f"variant={variant}", "--set", f"seed={seed}")
    folder = run(bench, data, placement, *options)

    results = results_in(folder)
    assert list(results) == ["accuracy", "precision", "recall", "f1"]
    assert results["accuracy"] >= 0.8
    assert trivial_score(data, seed) <= results["accuracy"] - 0.15
    check_pictures(folder)
    assert "features.28.weight" in torch.load(folder / "model.pth", weights_only=True)


@pytest.fixture(scope="module")
def undisturbed(bench, data) -> Path:
    return run(bench, data, "undisturbed", *MICRO)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ("trial_0.pt", "trial 0: going on after"),
        ("trial_1.pt", "trial 1: going on after"),
        ("checkpoint_train.pt", "training: going on after"),
    ],
)
def test_a_run_that_is_killed_ends_as_if_it_had_not_been(bench, data, undisturbed, left, said):
    import torch

    out = f"killed-{Path(left).stem}"
    launcher = bench.start(*arguments(data, out), *MICRO)
    kill_when_there_is(bench, launcher, bench.folder / f"scratch-{out}", left)
    assert not (bench.folder / out / "results.csv").exists()

    assert said in go_on(bench)
    one, other = (
        torch.load(each / "model.pth", weights_only=True) for each in (undisturbed, bench.folder / out)
    )
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert results_in(bench.folder / out) == results_in(undisturbed)
