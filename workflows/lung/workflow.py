"""Lung segmentation: preprocess chest X-rays, search a learning rate, train a U-Net, predict masks, evaluate.

The structure is that of the Lung workflow in Krawczuk et al. 2021. X-rays without a mask are dropped and the
rest is split 70/20/10 before; masks are called ``{stem}_mask.png``.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from longpole import Workflow

SPLITS = ("train", "val", "test")
# What is made of an X-ray of the training set, and of its mask.
IMAGES_MADE = ("norm", "flip", "rot")
MASKS_MADE = ("mask_flip", "mask_rot")


@dataclass(frozen=True)
class Scale:
    """How many X-rays each split has, and how long models are trained."""

    counts: tuple[int, int, int]
    trials: int
    epochs: int


SCALES = {
    "tiny": Scale((7, 2, 1), 2, 1),
    "small": Scale((70, 20, 10), 2, 2),
    "paper": Scale((492, 141, 71), 10, 25),
}
# What each kind of job needs at the scale of the paper.
NEEDS = {
    "hpo": {"cores": 2, "gpus": 1, "memory": "8 GB"},
    "train": {"cores": 2, "gpus": 1, "memory": "8 GB"},
    "predict": {"cores": 2, "gpus": 1, "memory": "4 GB"},
}


def workflow(scale: str = "tiny", container: str = "", seed: int = 10) -> Workflow:
    """Describe the workflow.

    Args:
        scale: How much data: tiny, small or paper.
        container: The image of all jobs; at the scale of the paper ``lung.sqfs`` if nothing is said.
        seed: What chance begins with: in the split, and in every job.
    """
    if scale not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {scale!r}")
    chosen = SCALES[scale]
    described = Workflow("lung")
    described.parameters(seed=seed)
    described.defaults(image=container or ("lung.sqfs" if scale == "paper" else ""))
    add_sets(described, split(chosen, seed))
    add_preparation(described)
    add_learning(described, chosen, NEEDS if scale == "paper" else {})
    add_judgement(described, NEEDS if scale == "paper" else {})
    described.results("evaluation.pdf", "model.h5", "predicted/{test}_pred.png")
    return described


def split(chosen: Scale, seed: int) -> dict[str, list[str]]:
    """Return the stems of each split: four fifths are of one hospital, the rest of another."""
    total = sum(chosen.counts)
    first = round(total * 566 / 704)
    stems = [f"CHNCXR_{n + 1:04d}" for n in range(first)] + [
        f"MCUCXR_{n + 1:04d}" for n in range(total - first)
    ]
    random.Random(seed).shuffle(stems)
    begins = (0, chosen.counts[0], chosen.counts[0] + chosen.counts[1], total)
    return {name: sorted(stems[begins[at] : begins[at + 1]]) for at, name in enumerate(SPLITS)}


def add_sets(described: Workflow, stems: dict[str, list[str]]) -> None:
    """Name the X-rays of each split, and what is made of them."""
    train_images = [f"{stem}_{made}" for stem in stems["train"] for made in IMAGES_MADE]
    train_masks = [f"{stem}_{made}" for stem in stems["train"] for made in MASKS_MADE]
    val_images, test_images = ([f"{stem}_norm" for stem in stems[name]] for name in ("val", "test"))
    described.set("split", values=SPLITS)
    for name in SPLITS:
        described.set(name, values=stems[name])
    described.set("stem", values=stems, within="split")
    # Only masks of the training set pass through preprocessing; others are resized when they are loaded.
    described.set("masked", values={"train": stems["train"]}, within="split")
    prepared = {"train": train_images + train_masks, "val": val_images, "test": test_images}
    described.set("prepared", values=prepared, within="split")
    described.set("train_image", values=train_images)
    described.set("train_mask", values=train_masks)
    described.set("val_image", values=val_images)
    described.set("test_image", values=test_images)


def add_preparation(described: Workflow) -> None:
    """Normalise and resize X-rays; flip and rotate those of the training set."""
    described.task(
        "preprocess",
        "python {program} --split {split} --images {images.list} --masks {masks.list} --size 256 "
        "--out prepared",
        for_each="split",
        program="bin/preprocess.py",
        inputs={"images": "images/{stem}.png", "masks": "masks/{masked}_mask.png"},
        outputs=["prepared/{prepared}.png"],
        cluster="lung",
    )


def add_learning(described: Workflow, chosen: Scale, needs: dict[str, Any]) -> None:
    """Search a learning rate, and train with the best one."""
    data = {
        "images": ["prepared/{train_image}.png", "prepared/{val_image}.png"],
        "masks": ["masks/{train}_mask.png", "prepared/{train_mask}.png", "masks/{val}_mask.png"],
    }
    described.task(
        "hpo",
        "python {program} --images {images.list} --masks {masks.list} --checkpoint checkpoint_hpo.pkl "
        f"--trials {chosen.trials} --epochs {chosen.epochs} --batch 32 --seed {{seed}} --out {{best}}",
        program="bin/hpo.py",
        code=["bin/unet.py"],
        checkpoints=["checkpoint_hpo.pkl"],
        inputs=data,
        outputs={"best": "best_parameters.json"},
        cluster="lung",
        **needs.get("hpo", {}),
    )
    described.task(
        "train",
        "python {program} --images {images.list} --masks {masks.list} --parameters {best} "
        f"--epochs {chosen.epochs} --batch 32 --seed {{seed}} --model {{model}}",
        program="bin/train.py",
        code=["bin/unet.py", "bin/training.py"],
        inputs={**data, "best": "best_parameters.json"},
        outputs={"model": "model.h5"},
        cluster="lung",
        **needs.get("train", {}),
    )


def add_judgement(described: Workflow, needs: dict[str, Any]) -> None:
    """Predict the masks of the test set, and report how good they are."""
    described.task(
        "predict",
        "python {program} --model {model} --images {images.list} --out predicted",
        program="bin/predict.py",
        code=["bin/unet.py"],
        inputs={"model": "model.h5", "images": "prepared/{test_image}.png"},
        outputs=["predicted/{test}_pred.png"],
        cluster="lung",
        **needs.get("predict", {}),
    )
    described.task(
        "evaluate",
        "python {program} --train {train.list} --images {images.list} --predicted {predicted.list} "
        "--masks {masks.list} --report {report}",
        program="bin/evaluate.py",
        code=["bin/unet.py"],
        inputs={
            "train": "prepared/{train_image}.png",
            "images": "prepared/{test_image}.png",
            "predicted": "predicted/{test}_pred.png",
            "masks": "masks/{test}_mask.png",
        },
        outputs={"report": "evaluation.pdf"},
        cluster="lung",
    )
