"""Lung segmentation: preprocess chest X-rays, search a learning rate, train a U-Net, predict masks, evaluate.

The structure is that of the Lung workflow in Krawczuk et al. 2021. X-rays without a mask are dropped and
the rest is split 70/20/10 before. Masks are called ``{stem}_mask.png``, however they are called where they
lie.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dataset import SPLITS, Scan, advice, named_scans, read_scans, split
from scales import Scale, scale_of

from longpole import Workflow

# What is made of an X-ray of the training set, and of its mask.
IMAGES_MADE = ("norm", "flip", "rot")
MASKS_MADE = ("mask_flip", "mask_rot")
VARIANTS = ("published", "tuned")
DEVICES = ("auto", "cpu", "cuda")
# What each kind of job needs at the scale of the paper.
Needs = dict[str, dict[str, Any]]
NEEDS: dict[str, Needs] = {
    "published": {
        "preprocess": {"cores": 1},
        "hpo": {"cores": 2, "gpus": 1, "memory": "16 GB"},
        "train": {"cores": 2, "gpus": 1, "memory": "16 GB"},
        "predict": {"cores": 2, "gpus": 1, "memory": "8 GB"},
    },
    "tuned": {
        "preprocess": {"cores": 8},
        "hpo": {"cores": 8, "gpus": 1, "memory": "32 GB"},
        "train": {"cores": 8, "gpus": 1, "memory": "32 GB"},
        "predict": {"cores": 2, "gpus": 1, "memory": "8 GB"},
    },
}


@dataclass(frozen=True)
class Chosen:
    """What a user has chosen, and what follows from it."""

    scale: Scale
    trials: int
    epochs: tuple[int, int]
    weights: str
    needs: Needs


def workflow(  # noqa: PLR0913, PLR0917  one for each parameter
    scale: str = "tiny",
    data: str = "",
    variant: str = "published",
    weights: str = "",
    container: str = "",
    python: str = "",
    device: str = "auto",
    seed: int = 10,
    trials: int = 0,
    epochs: int = 0,
    limit: int = 0,
) -> Workflow:
    """Describe the workflow.

    Args:
        scale: How much data: tiny, small or paper.
        data: The folder with the X-rays, as they are published; ``data/SCALE`` beside this file by default.
        variant: How the work is done: as in the published code, or tuned.
        weights: A file of torchvision's weights of ResNet34, to begin with.
        container: The image of all jobs, or ``none``; ``lung.sqfs`` at the scale of the paper by default.
        python: The Python that executes the programs.
        device: Where models are computed: auto, cpu or cuda.
        seed: What chance begins with: in the split, and in every job.
        trials: How many trials the search has; 0 for those of the scale.
        epochs: How many epochs a trial has, and the training; 0 for those of the scale.
        limit: How many X-rays are used at the most; 0 for those of the scale.
    """
    check(device, DEVICES, "device")
    check(variant, VARIANTS, "variant")
    chosen = choose(scale, weights, trials, epochs, needs_of(scale, variant, device))
    check_not_negative(seed=seed, trials=trials, epochs=epochs, limit=limit)
    image = container or ("lung.sqfs" if scale == "paper" else "")
    image = "" if image == "none" else image
    described = Workflow("lung")
    described.parameters(seed=seed, variant=variant, device=device)
    described.parameters(python=python or ("python3" if image else sys.executable))
    described.defaults(image=image)
    described.if_missing(f"{advice(scale)}.")
    add_sets(described, split(scans_in(data, scale), seed, limit or chosen.scale.pairs))
    add_preparation(described, chosen)
    add_learning(described, chosen)
    add_judgement(described, chosen)
    described.results("evaluation.pdf", "model.pth", "predicted/{test}_pred.png")
    return described


def choose(scale: str, weights: str, trials: int, epochs: int, needs: Needs) -> Chosen:
    """Return what follows from a choice."""
    known = scale_of(scale)
    if weights and not Path(weights).expanduser().is_file():
        raise ValueError(
            f"weights is {weights!r}, and there is no such file; save torchvision's ResNet34 there"
        )
    return Chosen(
        known,
        trials or known.trials,
        (epochs, epochs) if epochs else known.epochs,
        weights,
        needs,
    )


def needs_of(scale: str, variant: str, device: str) -> Needs:
    """Return what jobs need, and no more cores than there are; little at the smaller scales."""
    if scale != "paper":
        needs: Needs = {kind: {"cores": 1} for kind in NEEDS[variant]}
        needs["hpo"]["cores"] = 2 if variant == "tuned" else 1  # for trials side by side
    else:
        needs = {kind: dict(each) for kind, each in NEEDS[variant].items()}
    for each in needs.values():
        each["cores"] = min(each["cores"], len(os.sched_getaffinity(0)))
        if device == "cpu":
            each["gpus"] = 0
    return needs


def cores_of(chosen: Chosen, kind: str) -> str:
    """Return what tells a program how many cores it has been given."""
    return f"--cores {chosen.needs[kind]['cores']}"


def check(value: str, known: Sequence[str], name: str) -> None:
    """Refuse a word that is none of some."""
    if value not in known:
        raise ValueError(f"{name} is one of {', '.join(known)}, not {value!r}")


def check_not_negative(**values: int) -> None:
    """Refuse numbers below zero."""
    for name, value in values.items():
        if value < 0:
            raise ValueError(f"{name} is {value}, and must not be below 0")


def scans_in(data: str, scale: str) -> list[Scan]:
    """Return the X-rays of a folder; where the usual one is not there, those that it would have."""
    usual = Path(__file__).parent / "data" / scale
    if not data and not usual.is_dir():
        return named_scans(usual, scale_of(scale))
    return read_scans(Path(data).expanduser().absolute() if data else usual, scale)


def add_sets(described: Workflow, scans: Mapping[str, list[Scan]]) -> None:
    """Name the X-rays of each split, and what is made of them."""
    for scan in (each for name in SPLITS for each in scans[name]):
        described.file(f"images/{scan.stem}.png", path=scan.image)
        described.file(f"masks/{scan.stem}_mask.png", path=scan.mask)
    stems = {name: [scan.stem for scan in scans[name]] for name in SPLITS}
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


def add_preparation(described: Workflow, chosen: Chosen) -> None:
    """Normalise and resize X-rays; flip and rotate those of the training set."""
    described.task(
        "preprocess",
        "{python} {program} --split {split} --images {images.list} --masks {masks.list} "
        f"--size {chosen.scale.size} --variant {{variant}} {cores_of(chosen, 'preprocess')} --out prepared",
        for_each="split",
        program="bin/preprocess.py",
        inputs={"images": "images/{stem}.png", "masks": "masks/{masked}_mask.png"},
        outputs=["prepared/{prepared}.png"],
        cluster="lung",
        **chosen.needs["preprocess"],
    )


def add_learning(described: Workflow, chosen: Chosen) -> None:
    """Search a learning rate, and train with the best one."""
    train_images, val_images = "prepared/{train_image}.png", "prepared/{val_image}.png"
    train_masks, val_masks = ["masks/{train}_mask.png", "prepared/{train_mask}.png"], "masks/{val}_mask.png"
    weights = {"weights_file": "pretrained.pth"} if chosen.weights else {}
    if chosen.weights:
        described.file("pretrained.pth", path=Path(chosen.weights).expanduser().absolute())
    alike = f"--width {chosen.scale.width} --batch {chosen.scale.batch} "
    alike += "--seed {seed} --variant {variant} --device {device}"
    alike += " --weights {weights_file}" if weights else ""
    rates = ",".join(map(str, chosen.scale.rates))
    described.task(
        "hpo",
        "{python} {program} --train-images {train_images.list} --train-masks {train_masks.list} "
        "--val-images {val_images.list} --val-masks {val_masks.list} --checkpoint checkpoint_hpo.pth "
        f"--rates {rates} --trials {chosen.trials} --epochs {chosen.epochs[0]} {alike} "
        f"{cores_of(chosen, 'hpo')} --out {{best}}",
        program="bin/hpo.py",
        code=["bin/unet.py"],
        checkpoints=["checkpoint_hpo.pth"],
        inputs={
            "train_images": train_images,
            "train_masks": train_masks,
            "val_images": val_images,
            "val_masks": val_masks,
            **weights,
        },
        outputs={"best": "best_parameters.json"},
        cluster="lung",
        **chosen.needs["hpo"],
    )
    described.task(
        "train",
        "{python} {program} --images {images.list} --masks {masks.list} --parameters {best} "
        f"--unfinished unfinished_train.pth --epochs {chosen.epochs[1]} {alike} "
        f"{cores_of(chosen, 'train')} --model {{model}}",
        program="bin/train.py",
        code=["bin/unet.py", "bin/training.py"],
        unfinished=["unfinished_train.pth"],
        inputs={
            "images": [train_images, val_images],
            "masks": [*train_masks, val_masks],
            "best": "best_parameters.json",
            **weights,
        },
        outputs={"model": "model.pth"},
        cluster="lung",
        **chosen.needs["train"],
    )


def add_judgement(described: Workflow, chosen: Chosen) -> None:
    """Predict the masks of the test set, and report how good they are."""
    described.task(
        "predict",
        "{python} {program} --model {model} --images {images.list} --variant {variant} --device {device} "
        f"{cores_of(chosen, 'predict')} --out predicted",
        program="bin/predict.py",
        code=["bin/unet.py"],
        inputs={"model": "model.pth", "images": "prepared/{test_image}.png"},
        outputs=["predicted/{test}_pred.png"],
        cluster="lung",
        **chosen.needs["predict"],
    )
    described.task(
        "evaluate",
        "{python} {program} --train {train.list} --images {images.list} --predicted {predicted.list} "
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
