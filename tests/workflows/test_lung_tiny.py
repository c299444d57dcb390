"""The whole lung workflow at scale tiny: from X-rays to a report, under three placements and seeds."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from tests.parts import need
from tests.running import Bench, bench_of
from tests.workflows.lung.micro import LUNG, own, programs
from tests.workflows.lung.thresholds import best_threshold_dice

WANTED_DICE, MARGIN = 0.85, 0.15
_LONGEST_S = 280


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    need("torch", "optuna", "matplotlib")
    with bench_of(nobody=False) as made:
        command = [sys.executable, str(LUNG / "generate.py"), "--out", str(made.folder / "data")]
        subprocess.run(command, check=True, timeout=100, capture_output=True)
        yield made


def read(path: Path, size: tuple[int, int] = (64, 64)) -> NDArray[np.uint8]:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("L").resize(size, Image.Resampling.BOX))


def predicted_in(results: Path) -> dict[str, NDArray[np.bool_]]:
    paths = sorted((results / "predicted").glob("*.png"))
    return {path.stem.removesuffix("_pred"): read(path) >= 128 for path in paths}


def true_masks(data: Path, stems: list[str]) -> dict[str, NDArray[np.bool_]]:
    scans = {scan.stem: scan for scan in own.dataset.read_scans(data, "tiny")}
    return {stem: read(scans[stem].mask) >= 128 for stem in stems}


def mean_dice(predicted: dict[str, NDArray[np.bool_]], true: dict[str, NDArray[np.bool_]]) -> float:
    each = [
        2 * (predicted[stem] & true[stem]).sum() / (predicted[stem].sum() + true[stem].sum()) for stem in true
    ]
    return float(np.mean(each))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("placement", "variant", "seed"),
    [("baseline", "published", 10), ("clustering", "published", 11), ("links", "tuned", 12)],
)
def test_x_rays_become_a_report(bench, placement, variant, seed):
    results = bench.folder / placement
    chosen = (f"data={bench.folder / 'data'}", f"seed={seed}", f"variant={variant}", "device=cpu")
    told = [text for each in chosen for text in ("--set", each)]
    run = bench.start("run", str(LUNG), "--placement", placement, "--out", str(results), *told)
    assert run.wait(_LONGEST_S) == 0, (bench.folder / "said").read_text()

    predicted = predicted_in(results)
    true = true_masks(bench.folder / "data", list(predicted))
    dice = mean_dice(predicted, true)
    assert len(predicted) == 8
    assert dice >= WANTED_DICE
    check_report(results / "evaluation.pdf", dice)
    check_model(results / "model.pth")
    assert trivial_dice(bench.folder / "data", true) <= dice - MARGIN


def check_report(path: Path, dice: float) -> None:
    report = path.read_bytes()
    said = re.search(rb"dice ([0-9.]+), iou ([0-9.]+), accuracy ([0-9.]+)", report)

    assert report.startswith(b"%PDF-")
    assert report.rstrip().endswith(b"%%EOF")
    assert said is not None
    assert float(said[1]) == pytest.approx(dice, abs=1e-3)
    assert len(re.findall(rb"/Type /Page\b", report)) == 4
    assert report.count(b"/Subtype /Image") >= 4 * 8


def check_model(path: Path) -> None:
    import torch

    found = torch.load(path, weights_only=True)
    with torch.device("meta"):
        wanted = programs.unet.UNet(found["width"]).state_dict()
    assert found["state"].keys() == wanted.keys()


def trivial_dice(data: Path, true: dict[str, NDArray[np.bool_]]) -> float:
    """Return the best that brightness alone reaches on the same X-rays, as they lie and once prepared."""
    even = programs.preprocess.even
    raw = np.stack([read(data / "CXR_png" / f"{stem}.png") for stem in true])
    prepared = np.stack([np.asarray(even(Image.fromarray(image))) for image in raw])
    masks = np.stack(list(true.values()))
    return max(best_threshold_dice(images, masks) for images in (raw, prepared))
