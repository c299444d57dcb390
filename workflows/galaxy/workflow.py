"""Galaxy classification: preprocess images, augment rare classes, search parameters, train VGG16, evaluate.

The structure is that of the Galaxy workflow in Krawczuk et al. 2021. Images are labelled and split before:
their names are ``{train,val,test}_class_{0..4}_{number}.jpg``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longpole import Workflow

PARTS = 6


@dataclass(frozen=True)
class Scale:
    """How many images there are of each class, and how many new ones are made of rare classes."""

    train: tuple[int, ...]
    val: tuple[int, ...]
    test: tuple[int, ...]
    new: dict[str, int]
    trials: int
    epochs: int


SCALES = {
    "tiny": Scale((12, 12, 4, 6, 12), (3, 3, 2, 2, 3), (3, 3, 2, 2, 3), {"2": 8, "3": 6}, 2, 1),
    "small": Scale(
        (200, 200, 30, 100, 200), (25, 25, 8, 15, 25), (25, 25, 8, 15, 25), {"2": 170, "3": 100}, 2, 2
    ),
    "paper": Scale(
        (6775, 6448, 441, 3099, 6271),
        (830, 811, 69, 402, 767),
        (831, 810, 69, 402, 768),
        {"2": 7000, "3": 4000},
        2,
        5,
    ),
}
# What each kind of job needs at the scale of the paper.
NEEDS = {
    "hpo": {"cores": 16, "gpus": 1, "memory": "48 GB"},
    "train": {"cores": 8, "gpus": 1, "memory": "24 GB"},
    "evaluate": {"cores": 4, "gpus": 1, "memory": "8 GB"},
}


def workflow(scale: str = "tiny", container: str = "", seed: int = 10) -> Workflow:
    """Describe the workflow.

    Args:
        scale: How much data: tiny, small or paper.
        container: The image of all jobs; at the scale of the paper ``galaxy.sqfs`` if nothing is said.
        seed: What chance begins with in every job.
    """
    if scale not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {scale!r}")
    chosen = SCALES[scale]
    described = Workflow("galaxy")
    described.parameters(seed=seed)
    described.defaults(image=container or ("galaxy.sqfs" if scale == "paper" else ""))
    add_sets(described, chosen)
    add_preparation(described)
    add_learning(described, chosen, NEEDS if scale == "paper" else {})
    described.results("results.csv", "confusion_matrix.png", "loss_curve.png", "model.pth")
    return described


def names(split: str, counts: tuple[int, ...]) -> list[str]:
    """Return the names of the images of a split, without their endings."""
    return [f"{split}_class_{label}_{n}" for label, count in enumerate(counts) for n in range(count)]


def add_sets(described: Workflow, chosen: Scale) -> None:
    """Name the images: all of them dealt to parts, each split, and what is made of rare classes."""
    splits = {split: names(split, getattr(chosen, split)) for split in ("train", "val", "test")}
    every = [name for split in splits.values() for name in split]
    described.set("part", values=[str(part) for part in range(PARTS)])
    described.set("image", values={str(part): every[part::PARTS] for part in range(PARTS)}, within="part")
    for split, members in splits.items():
        described.set(split, values=members)
    described.set("class", values=list(chosen.new))
    rare = {label: [name for name in splits["train"] if f"_class_{label}_" in name] for label in chosen.new}
    described.set("rare", values=rare, within="class")
    new = {
        label: [f"train_class_{label}_{len(rare[label]) + n}" for n in range(count)]
        for label, count in chosen.new.items()
    }
    described.set("new", values=new, within="class")


def add_preparation(described: Workflow) -> None:
    """Crop all images, and make new ones of rare classes."""
    described.task(
        "preprocess",
        "python {program} --images {images.list} --size 256 --out processed",
        for_each="part",
        program="bin/preprocess.py",
        inputs={"images": "images/{image}.jpg"},
        outputs=["processed/{image}_proc.jpg"],
        cluster="galaxy",
    )
    described.task(
        "augment",
        "python {program} --images {images.list} --new {new.list} --seed {seed}",
        for_each="class",
        program="bin/augment.py",
        inputs={"images": "processed/{rare}_proc.jpg"},
        outputs={"new": "augmented/{new}_proc.jpg"},
        cluster="galaxy",
    )


def add_learning(described: Workflow, chosen: Scale, needs: dict[str, Any]) -> None:
    """Search parameters, train with the best of them, and evaluate."""
    train = ["augmented/{new}_proc.jpg", "processed/{train}_proc.jpg"]
    code = ["bin/data.py", "bin/model.py"]
    described.task(
        "hpo",
        "python {program} --train {train.list} --val {val.list} --checkpoint checkpoint_hpo.pkl "
        f"--trials {chosen.trials} --epochs {chosen.epochs} --batch 32 --seed {{seed}} --out {{best}}",
        program="bin/hpo.py",
        code=code,
        checkpoints=["checkpoint_hpo.pkl"],
        inputs={"train": train, "val": "processed/{val}_proc.jpg"},
        outputs={"best": "best_parameters.json"},
        cluster="galaxy",
        **needs.get("hpo", {}),
    )
    described.task(
        "train",
        "python {program} --train {train.list} --val {val.list} --test {test.list} --parameters {best} "
        f"--checkpoint checkpoint_train.pth --epochs {chosen.epochs} --seed {{seed}} "
        "--model {model} --curve {curve}",
        program="bin/train.py",
        code=code,
        checkpoints=["checkpoint_train.pth"],
        inputs={
            "train": train,
            "val": "processed/{val}_proc.jpg",
            "test": "processed/{test}_proc.jpg",
            "best": "best_parameters.json",
        },
        outputs={"model": "model.pth", "curve": "loss_curve.png"},
        cluster="galaxy",
        **needs.get("train", {}),
    )
    described.task(
        "evaluate",
        "python {program} --test {test.list} --model {model} --parameters {best} "
        "--matrix {matrix} --results {results}",
        program="bin/evaluate.py",
        code=code,
        inputs={"test": "processed/{test}_proc.jpg", "model": "model.pth", "best": "best_parameters.json"},
        outputs={"matrix": "confusion_matrix.png", "results": "results.csv"},
        cluster="galaxy",
        **needs.get("evaluate", {}),
    )
