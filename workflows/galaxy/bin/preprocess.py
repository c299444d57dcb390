"""Crop pictures to a square around their centre.

The name of each has ``_proc`` added; inputs stay as they are. Colours are normalised when pictures are
loaded for the model, as a picture in a file has whole numbers.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from PIL import Image

QUALITY = 90


def main() -> int:
    """Crop what a list names; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True, help="a file with one name on each line")
    parser.add_argument("--size", type=int, required=True, help="pixels of the side of the square")
    parser.add_argument("--out", type=Path, required=True, help="the folder that the new pictures go to")
    given = parser.parse_args()
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        for name in given.images.read_text(encoding="utf-8").splitlines():
            crop(Path(name), given.size, given.out / f"{Path(name).stem}_proc.jpg")
    except (OSError, ValueError) as error:
        print(f"preprocess: {error}", file=sys.stderr)
        return 1
    return 0


def crop(source: Path, size: int, target: Path) -> None:
    """Write the middle of a picture, whole or not at all."""
    with Image.open(source) as picture:
        left, top = (picture.width - size) // 2, (picture.height - size) // 2
        if left < 0 or top < 0:
            raise ValueError(
                f"{source} has {picture.width}x{picture.height} pixels, too few for --size {size}. Lower it."
            )
        middle = picture.convert("RGB").crop((left, top, left + size, top + size))
    unfinished = target.with_suffix(".part")
    middle.save(unfinished, "JPEG", quality=QUALITY)
    os.replace(unfinished, target)


if __name__ == "__main__":
    sys.exit(main())
