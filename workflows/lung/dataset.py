"""The published layout of the X-rays: which have a mask, what they are called, and which split has them.

``CXR_png/*.png`` are the X-rays. ``masks/*.png`` are the masks of most of them: ``STEM_mask.png`` for those
of one hospital, ``STEM.png`` for those of the other. Standard library only: planning the workflow reads this.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scales import Scale

IMAGES, MASKS = "CXR_png", "masks"
SPLITS = ("train", "val", "test")
# Where the folders are, from the folder that a user names: at once, or where the published archive has them.
_WITHIN = (".", "Lung Segmentation", "data/Lung Segmentation")
_FEWEST = 4
PUBLISHED = (
    "The set is published at Kaggle as 'Chest Xray Masks and Labels', made of X-rays of the U.S. National "
    "Library of Medicine."
)


@dataclass(frozen=True)
class Scan:
    """An X-ray that has a mask, and where both lie."""

    stem: str
    image: Path
    mask: Path


def advice(scale: str) -> str:
    """Return how to come by data, in two sentences; the last has no full stop yet."""
    made = f"python {Path(__file__).with_name('generate.py')} --scale {scale}"
    return f"{PUBLISHED} Synthetic data is made by '{made}', and found if no data= is given"


def read_scans(folder: Path, scale: str) -> list[Scan]:
    """Return all X-rays of a folder that have a mask, in the order of their names.

    Raises:
        ValueError: There are none, or hardly any.
    """
    root = next((folder / each for each in _WITHIN if (folder / each / IMAGES).is_dir()), folder)
    for name in (IMAGES, MASKS):
        if not (root / name).is_dir():
            raise ValueError(f"{folder} has no folder {name}. {advice(scale)}")
    masks = {path.stem: path for path in (root / MASKS).glob("*.png")}
    scans = [_scan(path, masks) for path in sorted((root / IMAGES).glob("*.png"))]
    found = [each for each in scans if each is not None]
    if len(found) < _FEWEST:
        has = f"{len(scans)} X-rays in {IMAGES}, {len(found)} of them with a mask in {MASKS}"
        raise ValueError(f"{root} has {has}; at least {_FEWEST} are needed. {advice(scale)}")
    return found


def _scan(image: Path, masks: dict[str, Path]) -> Scan | None:
    mask = masks.get(f"{image.stem}_mask") or masks.get(image.stem)
    return Scan(image.stem, image, mask) if mask else None


def named_scans(folder: Path, scale: Scale) -> list[Scan]:
    """Return the X-rays with masks that synthetic data of a scale has, be it in the folder or not."""
    return [
        Scan(stem, folder / IMAGES / f"{stem}.png", folder / MASKS / f"{mask}.png")
        for stem, mask in synthetic_names(scale)
        if mask
    ]


def synthetic_names(scale: Scale) -> list[tuple[str, str]]:
    """Return for each X-ray of synthetic data what it is called, and its mask; an empty text if it has none.

    As in the published set, the first hospital calls masks otherwise than X-rays, and the last part of a name
    tells whether the patient is ill.
    """
    first = scale.masked + scale.unmasked
    unmasked = set(random.Random(0).sample(range(first), scale.unmasked))
    stems = [f"CHNCXR_{n + 1:04d}_{int(n >= first // 2)}" for n in range(first)]
    others = [f"MCUCXR_{n + 1:04d}_{int(n >= scale.second // 2)}" for n in range(scale.second)]
    named = [(stem, "" if n in unmasked else f"{stem}_mask") for n, stem in enumerate(stems)]
    return named + [(stem, stem) for stem in others]


def split(scans: Sequence[Scan], seed: int, limit: int) -> dict[str, list[Scan]]:
    """Deal X-rays out to the splits, 70/20/10 after a shuffle; no more of them than the limit."""
    shuffled = list(scans)
    random.Random(seed).shuffle(shuffled)
    shuffled = shuffled[: max(limit, _FEWEST)]
    train, val = len(shuffled) * 7 // 10, round(len(shuffled) / 5)
    begins = (0, train, train + val, len(shuffled))
    parts = (shuffled[begins[at] : begins[at + 1]] for at in range(len(SPLITS)))
    return {name: sorted(part, key=lambda scan: scan.stem) for name, part in zip(SPLITS, parts, strict=True)}
