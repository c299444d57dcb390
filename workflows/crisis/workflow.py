"""Crisis computing: whether posts inform, by their texts (BiLSTM), their images (ResNet50), and both fused.

The structure is that of the Crisis Computing workflow in Krawczuk et al. 2021. Images are called
``{split}_{tweet}_{k}_{label}.jpg``; texts are one CSV for each split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from longpole import Workflow

PARTS = 6
SPLITS = ("train", "dev", "test")
# Of five posts about three inform.
LABELS = ("informative", "not_informative", "informative", "not_informative", "informative")
FIRST_TWEET = 917_000_000_000_000_000
FUSIONS = ("mean_probability", "logistic_regression", "mlp")


@dataclass(frozen=True)
class Scale:
    """How many images each split has, and how long models are trained."""

    counts: tuple[int, int, int]
    trials: int
    text_epochs: int
    image_epochs: int


SCALES = {
    "tiny": Scale((24, 6, 6), 2, 1, 1),
    "small": Scale((480, 80, 80), 2, 2, 1),
    "paper": Scale((9631, 1573, 1534), 2, 10, 5),
}
# What each kind of job needs at the scale of the paper.
NEEDS = {
    "preprocess_images": {"cores": 8},
    "text": {"cores": 4, "gpus": 1, "memory": "8 GB"},
    "image": {"cores": 4, "gpus": 1, "memory": "20 GB"},
    "fusion": {"cores": 2, "gpus": 1, "memory": "12 GB"},
}


def workflow(scale: str = "tiny", container: str = "", seed: int = 10) -> Workflow:
    """Describe the workflow.

    Args:
        scale: How much data: tiny, small or paper.
        container: The image of all jobs; at the scale of the paper ``crisis.sqfs`` if nothing is said.
        seed: What chance begins with in every job.
    """
    if scale not in SCALES:
        raise ValueError(f"scale is one of {', '.join(SCALES)}, not {scale!r}")
    chosen, needs = SCALES[scale], NEEDS if scale == "paper" else {}
    described = Workflow("crisis")
    described.parameters(seed=seed)
    described.defaults(image=container or ("crisis.sqfs" if scale == "paper" else ""))
    add_sets(described, names(chosen))
    add_preparation(described, needs)
    add_text(described, chosen, needs.get("text", {}))
    add_images(described, chosen, needs.get("image", {}))
    add_fusion(described, needs.get("fusion", {}))
    described.results(*(f"fusion_{fusion}.{ending}" for fusion in FUSIONS for ending in ("csv", "png")))
    return described


def names(chosen: Scale) -> list[str]:
    """Return the names of all images, without their endings."""
    found: list[str] = []
    for split, count in zip(SPLITS, chosen.counts, strict=True):
        for n in range(count):
            found.append(f"{split}_{FIRST_TWEET + len(found)}_0_{LABELS[n % len(LABELS)]}")
    return found


def add_sets(described: Workflow, images: list[str]) -> None:
    """Name the splits, and the images dealt to parts."""
    described.set("split", values=SPLITS)
    described.set("part", values=[str(part) for part in range(PARTS)])
    described.set("image", values={str(part): images[part::PARTS] for part in range(PARTS)}, within="part")
    described.set("fusion", values=FUSIONS)


def add_preparation(described: Workflow, needs: dict[str, Any]) -> None:
    """Clean the texts, and resize the images."""
    described.task(
        "preprocess_tweets",
        "python {program} --text {text} --out {clean}",
        for_each="split",
        program="bin/preprocess_tweets.py",
        inputs={"text": "texts/{split}.csv"},
        outputs={"clean": "clean/{split}.csv"},
        cluster="text",
    )
    described.task(
        "preprocess_images",
        "python {program} --images {images.list} --size 600 --out resized",
        for_each="part",
        program="bin/preprocess_images.py",
        inputs={"images": "images/{image}.jpg"},
        outputs=["resized/{image}.jpg"],
        cluster="image",
        **needs.get("preprocess_images", {}),
    )


def add_text(described: Workflow, chosen: Scale, needs: dict[str, Any]) -> None:
    """Search, train and ask the model of texts."""
    texts = {"texts": "clean/{split}.csv"}
    vectors = {"vectors": "glove.twitter.27B.200d.txt"}
    learning = f"--epochs {chosen.text_epochs} --batch 128 --seed {{seed}}"
    described.task(
        "hpo_bilstm",
        f"python {{program}} --texts {{texts}} --vectors {{vectors}} --trials {chosen.trials} {learning} "
        "--out {best}",
        program="bin/hpo_bilstm.py",
        inputs={**texts, **vectors},
        outputs={"best": "best_bilstm.json"},
        cluster="text",
        **needs,
    )
    described.task(
        "train_bilstm",
        f"python {{program}} --texts {{texts}} --vectors {{vectors}} --parameters {{best}} {learning} "
        "--model {model} --loss {loss} --accuracy {accuracy}",
        program="bin/train_bilstm.py",
        inputs={**texts, **vectors, "best": "best_bilstm.json"},
        outputs={"model": "bilstm.h5", "loss": "bilstm_loss.png", "accuracy": "bilstm_accuracy.png"},
        cluster="text",
        **needs,
    )
    described.task(
        "infer_bilstm",
        "python {program} --texts {texts} --model {model} --train {train} --test {test} --matrix {matrix}",
        program="bin/infer_bilstm.py",
        inputs={**texts, "model": "bilstm.h5"},
        outputs=scores("bilstm"),
        cluster="text",
        **needs,
    )


def add_images(described: Workflow, chosen: Scale, needs: dict[str, Any]) -> None:
    """Search, train and ask the model of images."""
    images = {"images": "resized/{image}.jpg"}
    learning = f"--epochs {chosen.image_epochs} --batch 8 --seed {{seed}}"
    described.task(
        "hpo_resnet",
        f"python {{program}} --images {{images.list}} --trials {chosen.trials} {learning} --out {{best}}",
        program="bin/hpo_resnet.py",
        inputs=images,
        outputs={"best": "best_resnet.json"},
        cluster="image",
        **needs,
    )
    described.task(
        "train_resnet",
        f"python {{program}} --images {{images.list}} --parameters {{best}} {learning} "
        "--model {model} --loss {loss} --accuracy {accuracy}",
        program="bin/train_resnet.py",
        inputs={**images, "best": "best_resnet.json"},
        outputs={"model": "resnet.pth", "loss": "resnet_loss.png", "accuracy": "resnet_accuracy.png"},
        cluster="image",
        **needs,
    )
    described.task(
        "infer_resnet",
        "python {program} --images {images.list} --model {model} "
        "--train {train} --test {test} --matrix {matrix}",
        program="bin/infer_resnet.py",
        inputs={**images, "model": "resnet.pth"},
        outputs=scores("resnet"),
        cluster="image",
        **needs,
    )


def add_fusion(described: Workflow, needs: dict[str, Any]) -> None:
    """Put both together, in three ways."""
    described.task(
        "late_fusion",
        "python {program} --text {text_train} {text_test} --image {image_train} {image_test} "
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
        **needs,
    )


def scores(model: str) -> dict[str, str]:
    """Return what the inference of a model makes."""
    return {"train": f"{model}_train.csv", "test": f"{model}_test.csv", "matrix": f"{model}_matrix.png"}
