"""Crisis computing: whether posts inform, by their texts (BiLSTM), their images (ResNet50), and both fused.

The structure is that of the Crisis Computing workflow in Krawczuk et al. 2021. Images are called
``{split}_{tweet}_{k}_{label}.jpg``; texts are one CSV for each split.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from dataset import FIRST_TWEET, LABELS, SPLITS, VECTORS, Posts, advice, first, own_folder, read_posts
from scales import Scale, scale_of

from longpole import Workflow

PARTS = 6
FUSIONS = ("mean_probability", "logistic_regression", "mlp")


# What each kind of job needs at the scale of the paper.
NEEDS: dict[str, dict[str, Any]] = {
    "preprocess_images": {"cores": 8},
    "text": {"cores": 4, "gpus": 1, "memory": "8 GB"},
    "image": {"cores": 4, "gpus": 1, "memory": "20 GB"},
    "image_tuned": {"cores": 16, "gpus": 1, "memory": "20 GB"},
    "image_on_cpu": {"cores": 16, "memory": "20 GB"},
    "fusion": {"cores": 2, "memory": "12 GB"},
}


@dataclass(frozen=True)
class Chosen:
    """What was chosen for all jobs."""

    scale: Scale
    variant: str
    device: str
    weights: str
    needs: dict[str, dict[str, Any]]

    def needs_of(self, job: str) -> dict[str, Any]:
        """Return what a kind of job needs."""
        return self.needs.get(job, {})

    def common(self, job: str) -> str:
        """Return the options that all programs of a model have."""
        threads = self.needs_of(job).get("cores", 1)
        return f"--seed {{seed}} --variant {self.variant} --device {self.device} --threads {threads}"


def workflow(  # noqa: PLR0913, PLR0917  one for each parameter
    scale: str = "tiny",
    data: str = "",
    variant: Literal["published", "tuned"] = "published",
    weights: str = "",
    container: str = "",
    python: str = "",
    device: Literal["auto", "cpu", "cuda"] = "auto",
    seed: int = 10,
    trials: int = 0,
    epochs: int = 0,
    limit: int = 0,
) -> Workflow:
    """Describe the workflow.

    Args:
        scale: How much data: tiny, small or paper.
        data: A folder in the layout of CrisisMMD v2.0; ``data/SCALE`` beside this file if nothing is said.
        variant: How the programs of the models compute: published or tuned.
        weights: A file of torchvision's weights of ResNet50; without one its body learns from nothing.
        container: The image of all jobs; ``none`` for none. If nothing is said, ``crisis.sqfs`` at the scale
            of the paper, and none at others.
        python: The Python of all jobs; this one if nothing is said, in a container ``python3``.
        device: Where models learn: auto, cpu or cuda.
        seed: What chance begins with in every job.
        trials: How many trials a search has; 0 for the scale's own.
        epochs: How many epochs models learn for; 0 for the scale's own.
        limit: How many images to use in all, in the same shares of the splits; 0 for all of them.
    """
    image = "" if container == "none" else container or ("crisis.sqfs" if scale == "paper" else "")
    size = changed(scale_of(scale), trials, epochs)
    chosen = Chosen(size, variant, device, weights, NEEDS if scale == "paper" else {})
    described = Workflow("crisis")
    described.parameters(seed=seed, python=python or ("python3" if image else sys.executable))
    described.defaults(image=image)
    described.if_missing(advice(scale))
    folder = Path(data or own_folder(scale)).absolute()
    if data or folder.exists():
        add_sets(described, add_files(described, read_posts(folder, scale, limit)))
    else:
        add_sets(described, names(first(size.counts, limit)))
    add_preparation(described, chosen)
    add_text(described, chosen)
    add_images(described, chosen)
    add_fusion(described, chosen)
    described.results(*(f"fusion_{fusion}.{ending}" for fusion in FUSIONS for ending in ("csv", "png")))
    return described


def changed(scale: Scale, trials: int, epochs: int) -> Scale:
    """Return a scale with some of its numbers replaced."""
    return replace(
        scale,
        trials=trials or scale.trials,
        text_epochs=epochs or scale.text_epochs,
        image_epochs=epochs or scale.image_epochs,
    )


def add_files(described: Workflow, posts: Posts) -> list[str]:
    """Say where files lie; return the names of all images, without their endings."""
    for picture in posts.pictures:
        described.file(f"images/{picture.name}.jpg", path=picture.path)
    for split, path in posts.texts.items():
        described.file(f"texts/{split}.csv", path=path)
    described.file(VECTORS, path=posts.vectors)
    return [picture.name for picture in posts.pictures]


def names(counts: Sequence[int]) -> list[str]:
    """Return names of so many images of each split; of five posts about three inform."""
    found: list[str] = []
    for split, count in zip(SPLITS, counts, strict=True):
        for n in range(count):
            found.append(f"{split}_{FIRST_TWEET + len(found)}_0_{LABELS[n % 5 % 2]}")
    return found


def add_sets(described: Workflow, images: list[str]) -> None:
    """Name the splits, and the images dealt to parts."""
    described.set("split", values=SPLITS)
    described.set("part", values=[str(part) for part in range(PARTS)])
    described.set("image", values={str(part): images[part::PARTS] for part in range(PARTS)}, within="part")
    described.set("fusion", values=FUSIONS)


def add_preparation(described: Workflow, chosen: Chosen) -> None:
    """Clean the texts, and resize the images."""
    described.task(
        "preprocess_tweets",
        "{python} {program} --text {text} --out {clean}",
        for_each="split",
        program="bin/preprocess_tweets.py",
        inputs={"text": "texts/{split}.csv"},
        outputs={"clean": "clean/{split}.csv"},
        cluster="text",
    )
    needs = chosen.needs_of("preprocess_images")
    described.task(
        "preprocess_images",
        f"{{python}} {{program}} --images {{images.list}} --size {chosen.scale.size} "
        f"--threads {needs.get('cores', 1)} --out resized",
        for_each="part",
        program="bin/preprocess_images.py",
        inputs={"images": "images/{image}.jpg"},
        outputs=["resized/{image}.jpg"],
        cluster="image",
        **needs,
    )


def add_text(described: Workflow, chosen: Chosen) -> None:
    """Search, train and ask the model of texts."""
    texts, vectors, scale = {"texts": "clean/{split}.csv"}, {"vectors": VECTORS}, chosen.scale
    common = f"--texts {{texts}} {chosen.common('text')}"
    learning = f"--vectors {{vectors}} --epochs {scale.text_epochs} {scale.text} {common}"
    same: dict[str, Any] = {"program": "bin/bilstm.py", "cluster": "text", **chosen.needs_of("text")}
    described.task(
        "hpo_bilstm",
        f"{{python}} {{program}} search {learning} --trials {scale.trials} {scale.text_grid} "
        "--unfinished bilstm_search.pt --out {best}",
        inputs={**texts, **vectors},
        outputs={"best": "best_bilstm.json"},
        unfinished=["bilstm_search.pt"],
        **same,
    )
    described.task(
        "train_bilstm",
        f"{{python}} {{program}} train {learning} --parameters {{best}} "
        "--unfinished bilstm_training.pt --model {model} --loss {loss} --accuracy {accuracy}",
        inputs={**texts, **vectors, "best": "best_bilstm.json"},
        outputs={"model": "bilstm.pth", "loss": "bilstm_loss.png", "accuracy": "bilstm_accuracy.png"},
        unfinished=["bilstm_training.pt"],
        **same,
    )
    described.task(
        "infer_bilstm",
        f"{{python}} {{program}} infer {common} --model {{model}} "
        "--train {train} --test {test} --matrix {matrix}",
        inputs={**texts, "model": "bilstm.pth"},
        outputs=scores("bilstm"),
        **same,
    )


def add_images(described: Workflow, chosen: Chosen) -> None:
    """Search, train and ask the model of images; as published it is asked on the CPU, GPU or not."""
    images, scale = {"images": "resized/{image}.jpg"}, chosen.scale
    learns, asked, asks = "image_tuned", chosen, "image_tuned"
    if chosen.variant == "published":
        learns, asked, asks = "image", replace(chosen, device="cpu"), "image_on_cpu"
    learning = f"--images {{images.list}} --epochs {scale.image_epochs} {scale.image} {chosen.common(learns)}"
    same: dict[str, Any] = {"program": "bin/resnet.py", "cluster": "image"}
    known: dict[str, str] = {}
    if chosen.weights:
        known = {"pretrained": "weights/resnet50.pth"}
        learning += " --weights {pretrained}"
        described.file(known["pretrained"], path=Path(chosen.weights).absolute())
    described.task(
        "hpo_resnet",
        f"{{python}} {{program}} search {learning} --trials {scale.trials} {scale.image_grid} "
        "--unfinished resnet_search.pt --out {best}",
        inputs={**images, **known},
        outputs={"best": "best_resnet.json"},
        unfinished=["resnet_search.pt"],
        **same,
        **chosen.needs_of(learns),
    )
    described.task(
        "train_resnet",
        f"{{python}} {{program}} train {learning} --parameters {{best}} "
        "--unfinished resnet_training.pt --model {model} --loss {loss} --accuracy {accuracy}",
        inputs={**images, **known, "best": "best_resnet.json"},
        outputs={"model": "resnet.pth", "loss": "resnet_loss.png", "accuracy": "resnet_accuracy.png"},
        unfinished=["resnet_training.pt"],
        **same,
        **chosen.needs_of(learns),
    )
    described.task(
        "infer_resnet",
        f"{{python}} {{program}} infer --images {{images.list}} {asked.common(asks)} --model {{model}} "
        "--train {train} --test {test} --matrix {matrix}",
        inputs={**images, "model": "resnet.pth"},
        outputs=scores("resnet"),
        **same,
        **chosen.needs_of(asks),
    )


def add_fusion(described: Workflow, chosen: Chosen) -> None:
    """Put both together, in three ways."""
    described.task(
        "late_fusion",
        "{python} {program} --text {text_train} {text_test} --image {image_train} {image_test} "
        "--seed {seed} --out fusion",
        program="bin/late_fusion.py",
        inputs={
            "text_train": "bilstm_train.csv",
            "text_test": "bilstm_test.csv",
            "image_train": "resnet_train.csv",
            "image_test": "resnet_test.csv",
        },
        outputs=["fusion_{fusion}.csv", "fusion_{fusion}.png"],
        cluster="fusion",
        **chosen.needs_of("fusion"),
    )


def scores(model: str) -> dict[str, str]:
    """Return what the inference of a model makes."""
    return {"train": f"{model}_train.csv", "test": f"{model}_test.csv", "matrix": f"{model}_matrix.png"}
