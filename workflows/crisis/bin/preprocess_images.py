"""Resizes pictures to squares of one size, each new point the mean of the area that it covers."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from PIL import Image

QUALITY = 90


def resize(source: Path, size: int, folder: Path) -> None:
    """Write a picture anew in another size, under its name, whole or not at all."""
    try:
        with Image.open(source) as picture:
            square = picture.convert("RGB").resize((size, size), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"'{source}' cannot be read as a picture ({error})") from error
    temporary = folder / f".{source.name}.{os.getpid()}"
    square.save(temporary, "JPEG", quality=QUALITY)
    temporary.replace(folder / source.name)


def main() -> None:
    """Read the command line, and resize; Pillow lets threads work side by side."""
    parser = argparse.ArgumentParser(description="Resize pictures.")
    parser.add_argument("--images", type=Path, required=True, help="a file with one path on each line")
    parser.add_argument("--size", type=int, default=600, help="how many points a side has; 600")
    parser.add_argument("--threads", type=int, default=1, help="how many pictures at once; 1")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    options = parser.parse_args()
    sources = [Path(line) for line in options.images.read_text(encoding="utf-8").splitlines()]
    options.out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(options.threads) as threads:
        for done in [threads.submit(resize, source, options.size, options.out) for source in sources]:
            done.result()


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"preprocess_images: {error}.")
