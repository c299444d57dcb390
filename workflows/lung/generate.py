"""Makes synthetic chest X-rays in the published layout: ``python generate.py --scale tiny --out FOLDER``.

Each picture has a seed of its own, so that the data is the same whatever the number of processes; what is
there and whole is kept.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from dataset import IMAGES, MASKS, synthetic_names
from PIL import Image
from scales import SCALES, Scale
from synthetic import Picture, chest

# Written beside the data, so that data of another seed is never taken for this.
_NOTE = "synthetic.json"
_VERSION = 1
# How every whole PNG ends.
_END = b"IEND\xaeB`\x82"


@dataclass(frozen=True)
class Order:
    """One X-ray to be made, with its mask if it has one."""

    seed: tuple[int, int]
    pixels: tuple[int, int]
    image: Path
    mask: Path | None


def main() -> None:
    """Make the data, and show how far it is."""
    asked = _arguments()
    out = Path(asked.out) if asked.out else Path(__file__).parent / "data" / asked.scale
    try:
        _begin(out, {"scale": asked.scale, "seed": asked.seed, "version": _VERSION})
        generate(orders(SCALES[asked.scale], out, asked.seed), asked.processes)
    except OSError as error:
        sys.exit(f"Cannot write into {out}: {error.strerror or error}. Choose another folder with --out.")


def orders(scale: Scale, out: Path, seed: int) -> list[Order]:
    """Return all X-rays of a scale."""
    return [
        Order(
            (seed, number),
            scale.pixels,
            out / IMAGES / f"{stem}.png",
            out / MASKS / f"{mask}.png" if mask else None,
        )
        for number, (stem, mask) in enumerate(synthetic_names(scale))
    ]


def generate(wanted: list[Order], processes: int) -> None:
    """Make what is not there yet."""
    with multiprocessing.Pool(processes) as pool:
        for done, _ in enumerate(pool.imap_unordered(make, wanted), 1):
            _show(done, len(wanted))


def make(order: Order) -> None:
    """Make one X-ray, unless it is there."""
    if _is_whole(order.image) and (order.mask is None or _is_whole(order.mask)):
        return
    image, mask = chest(order.seed, order.pixels)
    if order.mask is not None:
        _save(mask, order.mask, effort=6)
    # Noise hardly gets smaller by trying harder.
    _save(image, order.image, effort=1)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scale", choices=SCALES, default="tiny", help="how much data")
    parser.add_argument(
        "--out", default="", help="the folder; data/SCALE beside this program if nothing is said"
    )
    parser.add_argument("--seed", type=_whole, default=0, help="other data for another seed")
    parser.add_argument(
        "--processes", type=_whole, default=len(os.sched_getaffinity(0)), help="how many at once"
    )
    asked = parser.parse_args()
    asked.processes = max(asked.processes, 1)
    return asked


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


def _begin(out: Path, note: dict[str, object]) -> None:
    """Make the folders, or see that they hold the same data."""
    for name in (IMAGES, MASKS):
        (out / name).mkdir(parents=True, exist_ok=True)
    path = out / _NOTE
    if path.exists() and path.read_text() != json.dumps(note):
        sys.exit(
            f"{out} holds other synthetic data: {path.read_text()}. Remove it, or choose another folder."
        )
    if not path.exists() and any((out / IMAGES).glob("*.png")):
        sys.exit(f"{out} holds X-rays that are not synthetic. Choose another folder with --out.")
    path.write_text(json.dumps(note))


def _is_whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-len(_END), os.SEEK_END)
            return file.read() == _END
    except OSError:
        return False


def _save(picture: Picture, path: Path, effort: int) -> None:
    part = path.with_suffix(".part")
    Image.fromarray(picture).save(part, "PNG", compress_level=effort)
    part.replace(path)


def _show(done: int, total: int) -> None:
    live = sys.stderr.isatty()
    if live or done == total or done * 10 // total > (done - 1) * 10 // total:
        end = "\r" if live and done < total else "\n"
        sys.stderr.write(f"{done:,} of {total:,} X-rays{end}")
        sys.stderr.flush()


if __name__ == "__main__":
    main()
