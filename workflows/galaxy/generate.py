"""Make synthetic galaxies in the layout of the published data set, as many and as large.

Each picture has a seed of its own, made of yours and its number: the same seed gives the same files,
whatever the number of processes. What is there already is kept, so a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from dataset import COLUMNS, PICTURES, SOLUTIONS, label_of
from PIL import Image
from scales import SCALES, Scale
from synthetic import picture, votes

# Pictures of 424x424 have 13 kB on average then, as the published ones do.
QUALITY = 75
# Galaxies of a data set that the rule of labels drops look like any of these.
_CLASSES = 5
_FIRST_ID, _END_ID = 100_000, 1_000_000
_END_OF_JPEG = b"\xff\xd9"
_AT_ONCE = 32


@dataclass(frozen=True)
class Galaxy:
    """One picture to be made."""

    path: Path
    label: int
    seed: tuple[int, int]
    side: int


def main() -> int:
    """Make what is missing; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", choices=tuple(SCALES), default="tiny")
    parser.add_argument(
        "--out", type=Path, help="the folder; data/SCALE beside this program if nothing is said"
    )
    parser.add_argument("--seed", type=int, default=10)
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    given = parser.parse_args()
    out = given.out or Path(__file__).parent / "data" / given.scale
    try:
        generate(SCALES[given.scale], out, given.seed, given.processes)
    except (OSError, ValueError) as error:
        print(f"generate: {error}", file=sys.stderr)
        return 1
    return 0


def generate(scale: Scale, out: Path, seed: int, processes: int) -> None:
    """Make a data set.

    Raises:
        ValueError: The folder holds another one, be it real, or nobody is to make it.
    """
    if processes < 1:
        raise ValueError(f"--processes is {processes}; it must be above zero.")
    ids, labels = _drawn(scale, seed)
    table = _table(ids, labels, seed).encode()
    _check_ours(out, table)
    (out / PICTURES).mkdir(parents=True, exist_ok=True)
    if not (out / SOLUTIONS).exists():
        _write(out / SOLUTIONS, table)
    kinds = np.where(labels < 0, ids % _CLASSES, labels)
    wanted = [
        Galaxy(out / PICTURES / f"{galaxy}.jpg", int(kind), (seed, n), scale.side)
        for n, (galaxy, kind) in enumerate(zip(ids, kinds, strict=True))
    ]
    _make_all([each for each in wanted if not _is_whole(each.path)], len(wanted), processes)


def make(galaxy: Galaxy) -> None:
    """Write one picture, whole or not at all."""
    pixels = picture(np.random.default_rng(galaxy.seed), galaxy.label, galaxy.side)
    held = io.BytesIO()
    Image.fromarray(pixels).save(held, "JPEG", quality=QUALITY)
    _write(galaxy.path, held.getvalue())


def _drawn(scale: Scale, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ids that grow, and a label for each; -1 for those that the rule drops."""
    chance = np.random.default_rng(seed)
    counts = (*scale.counts, scale.unlabelled)
    labels = np.repeat([*range(len(scale.counts)), -1], counts)
    chance.shuffle(labels)
    ids = chance.choice(np.arange(_FIRST_ID, _END_ID), len(labels), replace=False)
    return np.sort(ids), labels


def _table(ids: np.ndarray, labels: np.ndarray, seed: int) -> str:
    chance = np.random.default_rng((seed, 1 << 32))
    rows = [",".join(("GalaxyID", *COLUMNS))]
    for galaxy, label in zip(ids, labels, strict=True):
        known = int(label) if label >= 0 else None
        shares = [round(each, 6) for each in votes(chance, known)]
        assert label_of(dict(zip(COLUMNS, shares, strict=True))) == known, "votes must give their label"
        rows.append(f"{galaxy}," + ",".join(f"{each:.6f}" for each in shares))
    return "\n".join(rows) + "\n"


def _check_ours(out: Path, table: bytes) -> None:
    """See that a folder has nothing, or begins with our table, which is written before any picture."""
    path, pictures = out / SOLUTIONS, out / PICTURES
    if path.exists() and path.read_bytes() != table:
        raise ValueError(f"{path} is of another data set. Choose another --out.")
    if not path.exists() and pictures.is_dir() and any(pictures.iterdir()):
        raise ValueError(f"{pictures} holds pictures that are not synthetic. Choose another --out.")


def _write(path: Path, content: bytes) -> None:
    unfinished = path.with_name(f"{path.name}.part")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)


def _is_whole(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            file.seek(-len(_END_OF_JPEG), os.SEEK_END)
            return file.read() == _END_OF_JPEG
    except OSError:
        return False


def _make_all(missing: list[Galaxy], whole: int, processes: int) -> None:
    before = whole - len(missing)
    if processes == 1:
        _show(map(make, missing), before, whole)
        return
    with multiprocessing.get_context("fork").Pool(processes) as pool:
        _show(pool.imap_unordered(make, missing, chunksize=_AT_ONCE), before, whole)


def _show(done: Iterable[None], before: int, whole: int) -> None:
    """Tell how far it is, once a second."""
    told, count = time.monotonic(), before
    for _ in done:
        count += 1
        if time.monotonic() - told > 1:
            told = time.monotonic()
            print(f"generate: {count:,} of {whole:,} pictures", file=sys.stderr, flush=True)
    print(f"generate: {count:,} of {whole:,} pictures are there", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
