"""A micro set of galaxies, ready to be learned from, and the programs that learn from it."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from tests.workflows.modules import Modules

SIDE, BATCH, EPOCHS, TRIALS = 32, 8, 3, 2
COUNTS = {"train": 40, "val": 15, "test": 15}
drawing, programs = Modules("galaxy"), Modules("galaxy/bin")


class Killed(BaseException):
    """Stands for a kill: nothing in a program catches it."""


def draw(folder: Path) -> None:
    """Draw pictures that are as pre-processing leaves them, and list those of each split."""
    from PIL import Image

    for split, (name, count) in enumerate(COUNTS.items()):
        paths = [folder / f"{name}_class_{n % 5}_{n // 5}_proc.jpg" for n in range(count)]
        for n, path in enumerate(paths):
            pixels = drawing.synthetic.picture(np.random.default_rng((split, n)), n % 5, 53)
            rim = (53 - SIDE) // 2
            Image.fromarray(pixels[rim : rim + SIDE, rim : rim + SIDE]).save(path)
        folder.joinpath(f"{name}.list").write_text("".join(f"{path}\n" for path in paths))


def search_arguments(pictures: Path, folder: Path, **other: object) -> argparse.Namespace:
    """Return what the search is told, with its files in a folder."""
    told = {
        "train": pictures / "train.list", "val": pictures / "val.list", "checkpoint": folder / "hpo.json",
        "best": folder / "best.json", "trials": TRIALS, "epochs": EPOCHS, "batch": BATCH, "width": 0.125,
        "weights": None, "seed": 1, "workers": 0, "variant": "published", "device": "cpu",
        "cores": 1,
    }  # fmt: skip
    return argparse.Namespace(**{**told, **other})


def train_arguments(pictures: Path, folder: Path, **other: object) -> argparse.Namespace:
    """Return what the training is told, with its files in a folder."""
    told = {
        "train": pictures / "train.list", "val": pictures / "val.list", "test": pictures / "test.list",
        "parameters": folder / "best.json", "checkpoint": folder / "train.pt", "model": folder / "model.pth",
        "curve": folder / "curve.png", "epochs": EPOCHS, "weights": None, "seed": 1, "workers": 0,
        "variant": "published", "device": "cpu", "cores": 1,
    }  # fmt: skip
    return argparse.Namespace(**{**told, **other})
