"""Writes how well predicted lungs fit the true ones: a PDF with scores, and pictures from worst to best.

Scores are those of masks as large as the prepared X-rays. Pictures of the training set serve two checks:
whether those of the test set are as bright, and whether any of them is in both.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("pdf")

import numpy as np
import torch
import unet
from matplotlib import pyplot as plt
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

Picture = NDArray[np.uint8]
_PAPER = (8.27, 11.69)
_EXAMPLES = 12
_ROWS = 6
_LINES = 48
# So many grey values are counted together.
_GREYS = 8
# Right, missed and invented pixels of the lungs.
_COLOURS = ((0.2, 0.7, 0.3), (0.9, 0.2, 0.2), (0.2, 0.4, 0.9))


@dataclass(frozen=True)
class Case:
    """An X-ray of the test set with its two masks, and how well they fit."""

    name: str
    image: Picture
    true: Picture
    predicted: Picture
    scores: unet.Scores


@dataclass(frozen=True)
class Greys:
    """How often each grey value occurs in a set of pictures, and what the pictures are."""

    shares: NDArray[np.float64]
    known: frozenset[bytes]


def main() -> None:
    """Write the report."""
    asked = _arguments()
    try:
        tested = unet.names_in(asked.images)
        cases = cases_of(tested, unet.names_in(asked.masks), unet.names_in(asked.predicted))
        write(asked.report, cases, greys_of(unet.names_in(asked.train)), greys_of(tested))
    except (OSError, ValueError) as error:
        sys.exit(f"evaluate: {error}")


def cases_of(images: Sequence[str], masks: Sequence[str], predicted: Sequence[str]) -> list[Case]:
    """Return all X-rays of the test set, the worst first."""
    ours = {Path(name).stem.removesuffix("_pred"): name for name in predicted}
    cases = []
    for image, mask in unet.pairs(images, masks):
        stem = Path(image).stem.removesuffix("_norm")
        if stem not in ours:
            sys.exit(f"{image} has no predicted mask among those given.")
        seen, true = unet.read_pair((image, mask))
        guess = unet.read_mask(ours[stem], (seen.shape[1], seen.shape[2]))
        scores = unet.mean_of([unet.scores_of(guess, true)])
        cases.append(Case(stem, seen[0].numpy(), true[0].numpy(), guess[0].numpy(), scores))
    return sorted(cases, key=lambda case: (case.scores.dice, case.name))


def greys_of(names: Sequence[str]) -> Greys:
    """Return how often each grey value occurs in some pictures."""
    counts, known = torch.zeros(256, dtype=torch.int64), set()
    for name in names:
        picture = unet.read_image(name)
        counts += torch.bincount(picture.flatten(), minlength=256)
        known.add(picture.numpy().tobytes())
    return Greys((counts / counts.sum()).double().numpy(), frozenset(known))


def write(path: str, cases: Sequence[Case], train: Greys, test: Greys) -> None:
    """Write the pages, the scores also among what a PDF says of itself."""
    means = [float(np.mean([case.scores[at] for case in cases])) for at in range(3)]
    told = ", ".join(f"{name} {mean:.4f}" for name, mean in zip(unet.Scores._fields, means, strict=True))
    about = {"Title": "Lung segmentation", "Subject": told, "CreationDate": None}
    with PdfPages(path, metadata=about) as pages:
        figures = [_summary(cases, train, test)]
        shown = _examples(cases)
        figures += [_pictures(shown[at : at + _ROWS]) for at in range(0, len(shown), _ROWS)]
        figures += [_list(cases[at : at + _LINES]) for at in range(0, len(cases), _LINES)]
        for figure in figures:
            pages.savefig(figure)
            plt.close(figure)
    sys.stdout.write(f"{len(cases)} X-rays: {told}\n")


def _examples(cases: Sequence[Case]) -> list[Case]:
    """Return some from worst to best, evenly."""
    if len(cases) <= _EXAMPLES:
        return list(cases)
    return [cases[round(at * (len(cases) - 1) / (_EXAMPLES - 1))] for at in range(_EXAMPLES)]


def _summary(cases: Sequence[Case], train: Greys, test: Greys) -> Figure:
    figure, (table, dice, grey) = plt.subplots(
        3, 1, figsize=_PAPER, height_ratios=(1, 1.4, 1.4), gridspec_kw={"hspace": 0.45}
    )
    figure.suptitle(f"Lung segmentation: {len(cases)} X-rays that the model has not seen", y=0.95)
    _table(table, cases)
    dice.hist([case.scores.dice for case in cases], bins=np.linspace(0, 1, 41), color=_COLOURS[0])
    dice.set(xlabel="Dice", ylabel="X-rays", title="How well predicted masks fit, X-ray by X-ray")
    for name, each in (("training set", train), ("test set", test)):
        grey.stairs(each.shares.reshape(-1, _GREYS).sum(1) * 100, range(0, 257, _GREYS), label=name)
    grey.set(xlabel="grey value", ylabel="per cent of pixels", title="Are both sets alike?")
    grey.legend()
    twice = len(train.known & test.known)
    figure.text(0.12, 0.05, f"X-rays of the test set that are also in the training set: {twice}", fontsize=9)
    return figure


def _table(axes: Any, cases: Sequence[Case]) -> None:  # noqa: ANN401  matplotlib has no types
    found = np.array([case.scores for case in cases])
    rows = (found.mean(0), found.std(0), found.min(0), np.median(found, axis=0), found.max(0))
    axes.axis("off")
    made = axes.table(
        [[f"{value:.4f}" for value in row] for row in rows],
        rowLabels=["mean", "deviation", "worst", "median", "best"],
        colLabels=["Dice", "IoU", "accuracy"],
        loc="center",
        bbox=Bbox.from_bounds(0.25, 0.0, 0.7, 0.9),
    )
    made.set_fontsize(10)


def _pictures(cases: Sequence[Case]) -> Figure:
    figure, table = plt.subplots(
        _ROWS, 4, figsize=_PAPER, gridspec_kw={"hspace": 0.25, "wspace": 0.05, "top": 0.92, "bottom": 0.04}
    )
    figure.suptitle("From worst to best; green: right, red: missed, blue: no lung", fontsize=10, y=0.97)
    for axes in table.flat:
        axes.axis("off")
    for row, case in zip(table, cases, strict=False):
        shown = (case.image, 255 * case.true, 255 * case.predicted, _compared(case))
        for axes, picture in zip(row, shown, strict=True):
            axes.imshow(picture, cmap="gray", vmin=0, vmax=255)
        row[0].set_title(case.name, fontsize=7)
        row[3].set_title(f"Dice {case.scores.dice:.3f}  IoU {case.scores.iou:.3f}", fontsize=7)
    for axes, name in zip(table[0][1:3], ("true", "predicted"), strict=True):
        axes.set_title(name, fontsize=7)
    return figure


def _compared(case: Case) -> NDArray[np.float64]:
    """Return the X-ray with both masks on it."""
    seen = np.repeat(case.image[..., None] / 255.0, 3, axis=2)
    true, ours = case.true.astype(bool), case.predicted.astype(bool)
    for where, colour in zip((true & ours, true & ~ours, ours & ~true), _COLOURS, strict=True):
        seen[where] = 0.55 * seen[where] + 0.45 * np.array(colour)
    return seen


def _list(cases: Sequence[Case]) -> Figure:
    figure, axes = plt.subplots(figsize=_PAPER)
    axes.axis("off")
    figure.suptitle("All X-rays, the worst first", y=0.95)
    lines = [[case.name, *(f"{value:.4f}" for value in case.scores)] for case in cases]
    height = 0.98 * (len(lines) + 1) / (_LINES + 1)
    axes.table(
        lines,
        colLabels=["X-ray", "Dice", "IoU", "accuracy"],
        bbox=Bbox.from_bounds(0, 0.98 - height, 1, height),
    )
    return figure


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--train", required=True, help="a list of pictures of the training set")
    parser.add_argument("--images", required=True, help="a list of pictures of the test set")
    parser.add_argument("--predicted", required=True, help="a list of their predicted masks")
    parser.add_argument("--masks", required=True, help="a list of their true masks")
    parser.add_argument("--report", required=True, help="the PDF to be written")
    return parser.parse_args()


if __name__ == "__main__":
    main()
