"""Galaxy from its data to its artefacts at scale tiny: three seeds, three placements, killed on its way."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.parts import need
from tests.running import Bench, bench_of
from tests.workflows.modules import WORKFLOWS, Modules

need("torch", "optuna", "sklearn", "pillow", "matplotlib")
pytestmark = pytest.mark.timeout(900)
GALAXY = WORKFLOWS / "galaxy"
dataset = Modules("galaxy").dataset
_LONGEST_S = 800.0
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
    launcher = bench.start(*arguments(bench, data, out), *options)
    assert launcher.wait(_LONGEST_S) == 0, (bench.folder / "said").read_text()
    return bench.folder / out


def arguments(bench: Bench, data: Path, out: str) -> list[str]:
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
    ("name", "left"),
    [("search", "trial_0.pt"), ("next trial", "trial_1.pt"), ("training", "checkpoint_train.pt")],
)
def test_a_run_that_is_killed_ends_as_if_it_had_not_been(bench, data, undisturbed, name, left):
    import torch

    out = f"killed in {name}".replace(" ", "-")
    launcher = bench.start(*arguments(bench, data, out), *MICRO)
    wait_for(bench.folder / f"scratch-{out}", left, launcher)
    kill_driver(bench)
    assert launcher.wait(_LONGEST_S) != 0
    assert not (bench.folder / out / "results.csv").exists()

    again = bench.start("run", "--resume", bench.runs()[-1].name.rpartition("-")[2])
    assert again.wait(_LONGEST_S) == 0, (bench.folder / "said").read_text()

    one, other = (
        torch.load(each / "model.pth", weights_only=True) for each in (undisturbed, bench.folder / out)
    )
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert results_in(bench.folder / out) == results_in(undisturbed)


def wait_for(folder: Path, name: str, launcher: subprocess.Popen[bytes]) -> None:
    """Wait until a job has written a file for its next attempt."""
    limit = time.monotonic() + _LONGEST_S
    while not any(name in files for _, _, files in os.walk(folder)):  # folders come and go meanwhile
        assert launcher.poll() is None, "the run has ended before it could be killed"
        assert time.monotonic() < limit
        time.sleep(0.01)


def kill_driver(bench: Bench) -> None:
    for pid in bench.processes():
        try:
            if b"longpole.app.driving" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(pid, signal.SIGKILL)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has just ended
