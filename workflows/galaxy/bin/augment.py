"""Make new pictures of a rare class: each is an old one, turned and scaled by chance.

What turning would leave empty is filled by mirroring the picture at its edges, so that no black corner
tells new pictures from old ones. Chance begins with the seed and the name of the new picture: the order
does not matter.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import sys
from pathlib import Path

import numpy as np
from PIL import Image

QUALITY = 90
SCALES = (0.9, 1.15)


def main() -> int:
    """Make what a list names; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True, help="a file that lists pictures of the class")
    parser.add_argument("--new", type=Path, required=True, help="a file that lists the pictures to be made")
    parser.add_argument("--seed", type=int, default=10, help="what chance begins with")
    given = parser.parse_args()
    try:
        augment(lines_of(given.images), lines_of(given.new), given.seed)
    except (OSError, ValueError) as error:
        print(f"augment: {error}", file=sys.stderr)
        return 1
    return 0


def lines_of(path: Path) -> list[str]:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def augment(old: list[str], new: list[str], seed: int) -> None:
    """Make new pictures, of each old one as often as of the others."""
    if not old:
        raise ValueError("there is no picture to make new ones of. Give some with --images.")
    for number, source in enumerate(old):
        targets = new[number :: len(old)]
        if not targets:
            return
        with Image.open(source) as picture:
            wide, side = widened(picture.convert("RGB")), picture.width
        for target in targets:
            write(turned(wide, side, random.Random(f"{seed} {Path(target).name}")), Path(target))


def widened(picture: Image.Image) -> Image.Image:
    """Return a picture with a mirrored rim: wide enough for any turn at the smallest scale."""
    rim = math.ceil(picture.width * (math.sqrt(0.5) / SCALES[0] - 0.5)) + 1
    return Image.fromarray(np.pad(np.asarray(picture), ((rim, rim), (rim, rim), (0, 0)), mode="reflect"))


def turned(wide: Image.Image, side: int, chance: random.Random) -> Image.Image:
    """Return the middle of a widened picture, turned and scaled."""
    angle, scale = chance.uniform(0, 2 * math.pi), chance.uniform(*SCALES)
    cosine, sine = math.cos(angle) / scale, math.sin(angle) / scale
    centre, middle = wide.width / 2, side / 2
    across = (cosine, sine, centre - cosine * middle - sine * middle)
    down = (-sine, cosine, centre + sine * middle - cosine * middle)
    return wide.transform((side, side), Image.Transform.AFFINE, (*across, *down), Image.Resampling.BICUBIC)


def write(picture: Image.Image, target: Path) -> None:
    """Write a picture, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_suffix(".part")
    picture.save(unfinished, "JPEG", quality=QUALITY)
    os.replace(unfinished, target)


if __name__ == "__main__":
    sys.exit(main())
