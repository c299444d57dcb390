"""Galaxy classification: preprocess images, augment rare classes, search parameters, train VGG16, evaluate.

The structure is that of the Galaxy workflow in Krawczuk et al. 2021. Images are labelled and split
before: their names are ``{train,val,test}_class_{0..4}_{number}.jpg``. Where the data is there, these
names stand for its pictures; where it is not, the names alone can still be planned.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dataset import PICTURES, SPLITS, Galaxies, advice, read_galaxies, split
from scales import Scale, scale_of

from longpole import Workflow

PARTS = 6
BATCH = 32
CODE = ["bin/data.py", "bin/model.py"]
Needs = dict[str, dict[str, Any]]
# What each kind of job needs at the scale of the paper, and below it.
NEEDS: Needs = {
    "hpo": {"cores": 16, "gpus": 1, "memory": "48 GB"},
    "train": {"cores": 8, "gpus": 1, "memory": "24 GB"},
    "evaluate": {"cores": 4, "gpus": 1, "memory": "8 GB"},
}
FEW_CORES = 2
CHOICES = {"variant": ("published", "tuned"), "device": ("auto", "cpu", "cuda")}


@dataclass(frozen=True)
class Names:
    """The names of all images, without their endings, by split, and those to be made of rare classes."""

    splits: dict[str, list[str]]
    new: dict[str, list[str]]

    def of_class(self, label: str) -> list[str]:
        """Return the training images of a class."""
        return [name for name in self.splits["train"] if f"_class_{label}_" in name]


def workflow(  # noqa: PLR0913, PLR0917  one for each parameter of a run
    scale: str = "tiny",
    data: str = "",
    variant: str = "published",
    weights: str = "",
    container: str = "",
    seed: int = 10,
    device: str = "auto",
    python: str = "",
    trials: int = 0,
    epochs: int = 0,
    limit: int = 0,
    workers: int = 0,
) -> Workflow:
    """Describe the workflow.

    Args:
        scale: How much data: tiny, small or paper.
        data: A folder in the published layout; ``data/SCALE`` beside this file if nothing is said.
        variant: How the compute jobs work: published or tuned.
        weights: A file of pretrained weights of torchvision's VGG16; empty for none.
        container: The image of all jobs, or ``none``; ``galaxy.sqfs`` at the scale of the paper if nothing
            is said.
        seed: What chance begins with: of the split and of every job.
        device: Where models are: auto, cpu or cuda.
        python: The interpreter; the one that plans if nothing is said, or ``python3`` in a container.
        trials: Trials of the search; 0 for as many as the scale has.
        epochs: Epochs of each trial and of the training; 0 for as many as the scale has.
        limit: How many labelled images to use; 0 for all.
        workers: Processes that load pictures beside a training of the published variant; 0: it loads itself.
    """
    for name, value in (("variant", variant), ("device", device)):
        if value not in CHOICES[name]:
            raise ValueError(f"{name} is one of {', '.join(CHOICES[name])}, not {value!r}")
    chosen = _overridden(scale_of(scale), trials, epochs)
    image = "" if container == "none" else container or ("galaxy.sqfs" if scale == "paper" else "")
    described = Workflow("galaxy")
    interpreter = python or ("python3" if image else sys.executable)
    described.parameters(seed=seed, python=interpreter, variant=variant, device=device, workers=workers)
    described.defaults(image=image)
    add_images(described, chosen, data, scale, (seed, limit))
    add_preparation(described, chosen)
    pretrained = _pretrained(described, weights)
    add_learning(described, chosen, pretrained, needs_of(scale))
    described.results("results.csv", "confusion_matrix.png", "loss_curve.png", "model.pth")
    return described


def needs_of(scale: str) -> Needs:
    """Return what jobs need; at the smaller scales no more cores than there are."""
    if scale == "paper":
        return NEEDS
    return {kind: {"cores": min(FEW_CORES, len(os.sched_getaffinity(0)))} for kind in NEEDS}


def add_images(described: Workflow, chosen: Scale, data: str, scale: str, drawn: tuple[int, int]) -> None:
    """Name the images, say where they lie, and how to come by them."""
    folder = Path(data) if data else Path(__file__).parent / "data" / scale
    galaxies = read_galaxies(folder.absolute(), scale) if data or folder.exists() else None
    counts = tuple(len(ids) for ids in galaxies.by_class) if galaxies else chosen.counts
    dealt = split(counts, *drawn)
    names = named(dealt, chosen, sum(counts))
    if galaxies:
        add_files(described, galaxies, dealt)
    described.if_missing(advice(scale))
    add_sets(described, names)


def named(dealt: dict[str, list[list[int]]], chosen: Scale, whole: int) -> Names:
    """Return the names of images; with a part of them, as large a part of the new ones is made."""
    splits = {
        name: [
            f"{name}_class_{label}_{n}" for label, members in enumerate(found) for n in range(len(members))
        ]
        for name, found in dealt.items()
    }
    share = sum(map(len, splits.values())) / whole
    new = {}
    for label, count in chosen.new.items():
        first = len(dealt["train"][label])
        if not first:
            raise ValueError(f"no image of class {label} is left to make new ones of. Raise limit.")
        new[str(label)] = [f"train_class_{label}_{first + n}" for n in range(round(count * share))]
    return Names(splits, new)


def add_files(described: Workflow, galaxies: Galaxies, dealt: dict[str, list[list[int]]]) -> None:
    """Say where the image of each name lies."""
    pictures = f"{galaxies.folder / PICTURES}/"
    for name in SPLITS:
        for label, members in enumerate(dealt[name]):
            ids = galaxies.by_class[label]
            for n, at in enumerate(members):
                described.file(f"images/{name}_class_{label}_{n}.jpg", path=f"{pictures}{ids[at]}.jpg")


def add_sets(described: Workflow, names: Names) -> None:
    """Give the images as sets: all of them dealt to parts, each split, and what is made of rare classes."""
    every = [name for split in names.splits.values() for name in split]
    described.set("part", values=[str(part) for part in range(PARTS)])
    described.set("image", values={str(part): every[part::PARTS] for part in range(PARTS)}, within="part")
    for name, members in names.splits.items():
        described.set(name, values=members)
    described.set("class", values=list(names.new))
    described.set("rare", values={label: names.of_class(label) for label in names.new}, within="class")
    described.set("new", values=names.new, within="class")


def add_preparation(described: Workflow, chosen: Scale) -> None:
    """Crop all images, and make new ones of rare classes."""
    described.task(
        "preprocess",
        f"{{python}} {{program}} --images {{images.list}} --size {chosen.crop} --out processed",
        for_each="part",
        program="bin/preprocess.py",
        inputs={"images": "images/{image}.jpg"},
        outputs=["processed/{image}_proc.jpg"],
        cluster="galaxy",
    )
    described.task(
        "augment",
        "{python} {program} --images {images.list} --new {new.list} --seed {seed}",
        for_each="class",
        program="bin/augment.py",
        inputs={"images": "processed/{rare}_proc.jpg"},
        outputs={"new": "augmented/{new}_proc.jpg"},
        cluster="galaxy",
    )


def add_learning(described: Workflow, chosen: Scale, pretrained: dict[str, str], needs: Needs) -> None:
    """Search parameters, train with the best of them, and evaluate."""
    train = ["augmented/{new}_proc.jpg", "processed/{train}_proc.jpg"]
    how = " --variant {variant} --device {device}"
    learning = how + " --seed {seed}" + (" --weights {pretrained}" if pretrained else "")
    learning += " --workers {workers}"
    described.task(
        "hpo",
        "{python} {program} --train {train.list} --val {val.list} --checkpoint checkpoint_hpo.json "
        f"--trials {chosen.trials} --epochs {chosen.search_epochs} --batch {BATCH} --width {chosen.width:g} "
        "--best {best}" + learning + _cores(needs["hpo"]),
        program="bin/hpo.py",
        code=CODE,
        checkpoints=["checkpoint_hpo.json"],
        unfinished=[f"trial_{number}.pt" for number in range(chosen.trials)],
        inputs={"train": train, "val": "processed/{val}_proc.jpg", **pretrained},
        outputs={"best": "best_parameters.json"},
        cluster="galaxy",
        **needs["hpo"],
    )
    described.task(
        "train",
        "{python} {program} --train {train.list} --val {val.list} --test {test.list} --parameters {best} "
        f"--checkpoint checkpoint_train.pt --epochs {chosen.epochs} --model {{model}} --curve {{curve}}"
        + learning
        + _cores(needs["train"]),
        program="bin/train.py",
        code=CODE,
        checkpoints=["checkpoint_train.pt"],
        inputs={
            "train": train,
            "val": "processed/{val}_proc.jpg",
            "test": "processed/{test}_proc.jpg",
            "best": "best_parameters.json",
            **pretrained,
        },
        outputs={"model": "model.pth", "curve": "loss_curve.png"},
        cluster="galaxy",
        **needs["train"],
    )
    described.task(
        "evaluate",
        "{python} {program} --test {test.list} --model {model} --parameters {best} --matrix {matrix} "
        "--results {results}" + how + _cores(needs["evaluate"]),
        program="bin/evaluate.py",
        code=CODE,
        inputs={"test": "processed/{test}_proc.jpg", "model": "model.pth", "best": "best_parameters.json"},
        outputs={"matrix": "confusion_matrix.png", "results": "results.csv"},
        cluster="galaxy",
        **needs["evaluate"],
    )


def _cores(needs: dict[str, Any]) -> str:
    """Return what tells a program how many cores it has been given."""
    return f" --cores {needs['cores']}"


def _overridden(scale: Scale, trials: int, epochs: int) -> Scale:
    return replace(
        scale,
        trials=trials or scale.trials,
        search_epochs=epochs or scale.search_epochs,
        epochs=epochs or scale.epochs,
    )


def _pretrained(described: Workflow, weights: str) -> dict[str, str]:
    """Return the input that pretrained weights are, if a file of them is given."""
    if not weights:
        return {}
    path = Path(weights).absolute()
    if not path.is_file():
        raise ValueError(
            f"weights: {path} is not there. torchvision publishes VGG16's as vgg16-397923af.pth; "
            "without weights= the model begins untrained"
        )
    described.file("pretrained.pth", path=path)
    return {"pretrained": "pretrained.pth"}
