"""Prepares the X-rays of a split: small, of even contrast; for training also flipped and rotated.

Original masks pass this job by: they are resized when they are loaded. Those of flipped and rotated X-rays
are made here.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

_ANGLE = 8.0
# Grey values below and above so many per cent of all become black and white.
_BLACK, _WHITE = 1.0, 99.0


def main() -> None:
    """Prepare all X-rays of the lists."""
    asked = _arguments()
    images = Path(asked.images).read_text(encoding="utf-8").splitlines()
    masks = Path(asked.masks).read_text(encoding="utf-8").splitlines()
    Path(asked.out).mkdir(parents=True, exist_ok=True)
    work = partial(prepare, size=asked.size, out=Path(asked.out))
    try:
        wanted = list(pairs(images, masks, asked.split))
        if asked.variant == "tuned" and asked.cores > 1:
            with ProcessPoolExecutor(asked.cores) as pool:
                list(pool.map(work, wanted, chunksize=4))
        else:
            list(map(work, wanted))
    except (OSError, ValueError) as error:
        sys.exit(f"preprocess: {error}")


def pairs(images: list[str], masks: list[str], split: str) -> Iterator[tuple[str, str]]:
    """Yield each X-ray with its mask, an empty text if the split needs none.

    Raises:
        ValueError: A mask is not among those given.
    """
    known = {Path(mask).stem.removesuffix("_mask"): mask for mask in masks}
    for image in images:
        if split == "train" and Path(image).stem not in known:
            raise ValueError(f"{image} has no mask among those given")
        yield image, known.get(Path(image).stem, "") if split == "train" else ""


def prepare(pair: tuple[str, str], size: int, out: Path) -> None:
    """Write what is made of one X-ray, and of its mask."""
    image, mask = pair
    stem = Path(image).stem
    small = even(shrunk(image, size))
    small.save(out / f"{stem}_norm.png")
    if mask:
        lungs = shrunk(mask, size).point(lambda value: 255 * (value >= 128))
        ImageOps.mirror(small).save(out / f"{stem}_flip.png")
        ImageOps.mirror(lungs).save(out / f"{stem}_mask_flip.png")
        small.rotate(_ANGLE, Image.Resampling.BILINEAR).save(out / f"{stem}_rot.png")
        lungs.rotate(_ANGLE, Image.Resampling.NEAREST).save(out / f"{stem}_mask_rot.png")


def shrunk(path: str, size: int) -> Image.Image:
    """Return a picture in grey, its pixels the means of those that they replace.

    Raises:
        ValueError: It cannot be read.
    """
    try:
        with Image.open(path) as picture:
            return picture.convert("L").resize((size, size), Image.Resampling.BOX)
    except (OSError, SyntaxError) as error:
        raise ValueError(f"{path} is not a picture that can be read ({error})") from error


def even(picture: Image.Image) -> Image.Image:
    """Return a picture whose contrast is that of all others, however it was exposed."""
    grey = np.asarray(picture, dtype=np.float32)
    black, white = np.percentile(grey, (_BLACK, _WHITE))
    stretched = (grey - black) * (255 / max(white - black, 1))
    return Image.fromarray(np.clip(stretched, 0, 255).astype(np.uint8))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--split", required=True)
    parser.add_argument("--images", required=True, help="a list of X-rays")
    parser.add_argument(
        "--masks", required=True, help="a list of their masks; read for the split 'train' only"
    )
    parser.add_argument("--size", type=int, required=True, help="how wide and high pictures become")
    parser.add_argument("--variant", default="published", help="'tuned' uses all cores that it may")
    parser.add_argument("--cores", type=int, default=1, help="how many it may use")
    parser.add_argument("--out", required=True, help="a folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
