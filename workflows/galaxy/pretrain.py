"""Make a pretrained body for VGG16 where torchvision's cannot be had, from other synthetic galaxies.

The workflow was published with a body that had learned from ImageNet. This is a stand-in for machines
without a network: the same names and shapes, learned from galaxies that are drawn here and belong to no
data set. They are of the same kind as synthetic data, so a head learns on it more easily than it would on
ImageNet's. It is made once, before the workflow runs, and is given to it with ``--set weights=FILE``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np
from synthetic import KEPT, picture

sys.path.insert(0, str(Path(__file__).parent / "bin"))
import torch
from data import Resident, device_of, write_whole
from model import CLASSES, VGG16, Learner, Settings

BATCH = 32
RATE = 2e-4
# Seeds of data sets are small: no picture in one of them is drawn by such a seed.
_SEED = 1 << 40


def main() -> int:
    """Learn; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="where the weights go")
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--side", type=int, default=256, help="pixels of each side, a multiple of 32")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--width", type=float, default=1.0, help="channels, as a share of VGG16's")
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--device", choices=("auto", "cpu", "cuda"), default="auto")
    given = parser.parse_args()
    try:
        pretrain(given)
    except (OSError, ValueError) as error:
        print(f"pretrain: {error}", file=sys.stderr)
        return 1
    return 0


def pretrain(given: argparse.Namespace) -> None:
    """Draw galaxies, learn from nine tenths of them, and write the body."""
    if given.side % 32 or min(given.side, given.epochs, given.processes) < 1 or given.images < 10 * BATCH:
        raise ValueError(f"--side is a multiple of 32, --images at least {10 * BATCH}, the rest above zero.")
    pictures, labels = drawn(given)
    device, held = device_of(given.device), given.images // 10
    train = Resident(pictures[held:], labels[held:], BATCH, device)
    val = Resident(pictures[:held], labels[:held], BATCH, device)
    rates = {"body_rate": RATE / given.width, "head_rate": RATE / given.width}
    settings = Settings(
        {**rates, "transferred": 0, "decays": True}, given.epochs, given.seed, device, "tuned"
    )
    torch.manual_seed(given.seed)
    learner = Learner(VGG16(given.width, given.side), settings, train, val)
    while learner.epoch < given.epochs:
        began = time.monotonic()
        loss = learner.learn_epoch()
        rate = len(train) * BATCH / (time.monotonic() - began)
        right = learner.judged(val)[1]
        say(f"epoch {learner.epoch}/{given.epochs}: loss {loss:.3f}, {right:.1%} right, {rate:.0f} images/s")
    state = learner.model.state_dict()
    body = {name: each.cpu().contiguous() for name, each in state.items() if name.startswith("features.")}
    write_whole(given.out, lambda part: torch.save(body, part))


def drawn(given: argparse.Namespace) -> tuple[torch.Tensor, torch.Tensor]:
    """Return galaxies of all classes in turn, as bytes, and their classes."""
    wanted = [((_SEED + given.seed, n), n % CLASSES, given.side) for n in range(given.images)]
    pictures = np.empty((given.images, given.side, given.side, 3), np.uint8)
    with multiprocessing.get_context("fork").Pool(given.processes) as pool:
        for n, pixels in enumerate(pool.imap(middle, wanted, chunksize=16)):
            pictures[n] = pixels
    say(f"{given.images:,} galaxies are drawn")
    return torch.from_numpy(pictures), torch.arange(given.images) % CLASSES


def middle(wanted: tuple[tuple[int, int], int, int]) -> np.ndarray:
    """Draw one galaxy, and return what pre-processing would leave."""
    seed, label, side = wanted
    whole = round(side / KEPT)
    rim = (whole - side) // 2
    return picture(np.random.default_rng(seed), label, whole)[rim : rim + side, rim : rim + side]


def say(text: str) -> None:
    """Tell how it goes."""
    print(f"pretrain: {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
