"""The report: a PDF that opens, with the scores of the masks that were given."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PIL import Image

from tests.parts import need
from tests.workflows.lung.micro import COUNTS, programs

need("torch", "matplotlib")

unet = programs.unet


@pytest.fixture
def predicted(micro):
    """Predict the true masks, but for the first, which is empty."""
    (micro.folder / "predicted").mkdir()
    for number in range(COUNTS["test"]):
        true = unet.read_mask(str(micro.folder / f"masks/test{number}_mask.png"), (32, 32))[0].numpy() * 255
        Image.fromarray(true if number else np.zeros_like(true)).save(
            micro.folder / f"predicted/test{number}_pred.png"
        )
    return [f"predicted/test{n}_pred.png" for n in range(COUNTS["test"])]


def evaluate(micro, predicted, **other):
    lists = {
        "train": micro.listed("train", other.get("train", micro.images("train"))),
        "images": micro.listed("images.list", micro.images("test")),
        "masks": micro.listed("masks.list", micro.masks("test")),
        "predicted": micro.listed("predicted.list", predicted),
    }
    told = [text for name, value in lists.items() for text in (f"--{name}", value)]
    return micro.call_here("evaluate", *told, "--report", "report.pdf")


def test_the_report_has_the_scores_and_pages(micro, predicted):
    done = evaluate(micro, predicted)
    report = (micro.folder / "report.pdf").read_bytes()

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("3 X-rays: dice 0.6667, iou 0.6667, accuracy 0.9")
    assert report.startswith(b"%PDF-")
    assert report.rstrip().endswith(b"%%EOF")
    assert len(re.findall(rb"/Type /Page\b", report)) == 3
    assert b"dice 0.6667, iou 0.6667" in report


def test_the_same_masks_give_the_same_report(micro, predicted):
    evaluate(micro, predicted)
    first = (micro.folder / "report.pdf").read_bytes()
    evaluate(micro, predicted)

    assert (micro.folder / "report.pdf").read_bytes() == first


def test_a_missing_prediction_is_told_in_a_sentence(micro, predicted):
    done = evaluate(micro, predicted[1:])

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "prepared/test0_norm.png has no predicted mask among those given.\n"
