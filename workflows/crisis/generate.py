"""Makes synthetic posts in the layout of CrisisMMD v2.0, for where the real ones are not.

    python workflows/crisis/generate.py --scale tiny

The same seed makes the same files, however many processes make them. What is there already is kept: a run
that was stopped goes on. Split files come last, so that a folder without them is not taken for a data set.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
import synthetic_pictures
import synthetic_texts
import synthetic_vectors
from dataset import (
    ANNOTATIONS,
    FIRST_TWEET,
    LABELS,
    PICTURES,
    SPLIT_FILES,
    SPLITS,
    VECTORS,
    own_folder,
    split_file,
)
from scales import SCALES, Scale, scale_of

SPLIT_COLUMNS = (
    "event_name", "tweet_id", "image_id", "tweet_text", "image", "label", "label_text", "label_image",
    "label_text_image",
)  # fmt: skip
ANNOTATION_COLUMNS = (
    "tweet_id", "image_id", "text_info", "text_info_conf", "image_info", "image_info_conf", "text_human",
    "text_human_conf", "image_human", "image_human_conf", "image_damage", "image_damage_conf", "tweet_text",
    "image_url", "image_path",
)  # fmt: skip
INFORM = 0.6
UNCLEAR, MISLEADING = 0.16, 0.03
Item = TypeVar("Item")


@dataclass(frozen=True)
class Row:
    """A picture and its post, before they are made."""

    number: int
    split: str
    tweet: int
    k: int
    event: str
    label_text: str
    label_image: str

    @property
    def image(self) -> str:
        """Where the picture goes."""
        date = f"{1 + self.tweet % 28}_{9 + self.tweet % 3}_2017"
        return f"{PICTURES}/{self.event}/{date}/{self.tweet}_{self.k}.jpg"


def rows_of(split: str, size: Scale, seed: int, first: int) -> list[Row]:
    """Return the rows of a split, numbered from ``first`` on: of each sort as many as the size says."""
    place = SPLITS.index(split)
    chance = np.random.default_rng([seed, 1, place])
    count = size.images[place]
    further = set(1 + chance.permutation(count - 1)[: count - size.posts[place]])
    agree = set(chance.permutation(count)[: size.counts[place]])
    found: list[Row] = []
    for n in range(count):
        if n in further:
            tweet, k, event, text = found[-1].tweet, found[-1].k + 1, found[-1].event, found[-1].label_text
        else:
            tweet, k, event = FIRST_TWEET + (first + n) * 7919, 0, str(chance.choice(synthetic_texts.EVENTS))
            text = LABELS[int(chance.random() >= INFORM)]
        found.append(Row(first + n, split, tweet, k, event, text, text if n in agree else other(text)))
    return found


def other(label: str) -> str:
    """Return the other label."""
    return LABELS[1 - LABELS.index(label)]


def looks(chance: np.random.Generator, label: str) -> tuple[str, bool]:
    """Return what a text or picture of a label shows, and how clearly: some mislead, some tell nothing."""
    drawn = chance.random()
    return (
        other(label) if drawn < MISLEADING else label
    ), drawn < MISLEADING or drawn >= MISLEADING + UNCLEAR


def text_of(row: Row, seed: int) -> str:
    """Return the text of a post; all pictures of it have the same."""
    chance = np.random.default_rng([seed, 2, row.tweet - FIRST_TWEET])
    shown, clear = looks(chance, row.label_text)
    return synthetic_texts.text_of(chance, shown, row.event, clear=clear)


def make_picture(row: Row, folder: Path, side: int, seed: int) -> None:
    """Write a picture, unless it is there."""
    path = folder / row.image
    if path.exists():
        return
    chance = np.random.default_rng([seed, 5, row.number])
    shown, clear = looks(chance, row.label_image)
    write(path, synthetic_pictures.picture_of(chance, shown, side, clear=clear))


def write(path: Path, content: bytes) -> None:
    """Write a file, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)


def table(columns: Iterable[str], lines: Iterable[Iterable[object]]) -> bytes:
    """Return a table with tabs between its columns."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE, quotechar=None)
    writer.writerow(columns)
    writer.writerows(lines)
    return text.getvalue().encode()


def write_tables(folder: Path, rows: list[Row], seed: int) -> None:
    """Write annotations for each event, and the split files."""
    texts = {row.tweet: text_of(row, seed) for row in rows}
    for event in synthetic_texts.EVENTS:
        lines = [annotation(row, texts[row.tweet]) for row in rows if row.event == event]
        write(folder / ANNOTATIONS / f"{event}_final_data.tsv", table(ANNOTATION_COLUMNS, lines))
    for split in SPLITS:
        lines_of = [split_line(row, texts[row.tweet]) for row in rows if row.split == split]
        write(split_file(folder, split), table(SPLIT_COLUMNS, lines_of))


def annotation(row: Row, text: str) -> tuple[object, ...]:
    """Return a line of an annotation file; what the workflow does not use is empty there."""
    labels = row.label_text, 1.0, row.label_image, 1.0
    return (row.tweet, f"{row.tweet}_{row.k}", *labels, *[""] * 6, text, "", row.image)


def split_line(row: Row, text: str) -> tuple[object, ...]:
    """Return a line of a split file."""
    agree = "Positive" if row.label_text == row.label_image else "Negative"
    names = row.event, row.tweet, f"{row.tweet}_{row.k}", text, row.image
    return (*names, row.label_text, row.label_text, row.label_image, agree)


def write_vectors(path: Path, lines: int, seed: int, pool: multiprocessing.pool.Pool) -> None:
    """Write the vectors, unless they are there."""
    if path.exists():
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    start = synthetic_vectors.begin(temporary, seed)
    each = synthetic_vectors.pieces(temporary, start, lines, seed)
    follow(
        "vectors",
        -(-lines // synthetic_vectors.LINES_AT_ONCE),
        pool.imap_unordered(synthetic_vectors.write, each),
    )
    temporary.replace(path)


def follow(what: str, count: int, done: Iterable[object]) -> None:
    """Tell how far the making is, at most once a second."""
    told = time.monotonic()
    for number, _ in enumerate(done, 1):
        if time.monotonic() - told > 1 or number == count:
            told = time.monotonic()
            sys.stderr.write(f"\r{what}: {number:,} of {count:,}" + ("\n" if number == count else ""))


def check_same(folder: Path, made_with: dict[str, object]) -> None:
    """Refuse a folder whose files were made otherwise, or by others; else leave word how they are made."""
    note = folder / "generated.json"
    theirs = [each for each in (PICTURES, ANNOTATIONS, SPLIT_FILES, VECTORS) if (folder / each).exists()]
    if theirs and not note.exists():
        raise ValueError(
            f"'{folder}' holds data that is not synthetic ({theirs[0]}); choose another folder with --out"
        )
    if note.exists() and json.loads(note.read_text()) != made_with:
        raise ValueError(
            f"'{folder}' holds data made with {note.read_text().strip()}; remove it, or choose another"
        )
    write(note, json.dumps(made_with).encode())


def generate(folder: Path, scale: str, seed: int, processes: int) -> None:
    """Make a whole data set."""
    size = scale_of(scale)
    check_same(folder, {"scale": scale, "seed": seed})
    rows: list[Row] = []
    for split in SPLITS:
        rows.extend(rows_of(split, size, seed, len(rows)))
    make: Callable[[Row], None] = partial(make_picture, folder=folder, side=size.side, seed=seed)
    with multiprocessing.Pool(processes) as pool:
        write_vectors(folder / VECTORS, size.other_words, seed, pool)
        follow("pictures", len(rows), pool.imap_unordered(make, rows, chunksize=16))
    write_tables(folder, rows, seed)


def main() -> None:
    """Read the command line, and make the data."""
    parser = argparse.ArgumentParser(description="Make synthetic posts in the layout of CrisisMMD v2.0.")
    parser.add_argument("--scale", choices=SCALES, default="tiny", help="tiny, small or paper; tiny")
    parser.add_argument("--out", type=Path, help="the folder to make; data/SCALE beside this file")
    parser.add_argument("--seed", type=int, default=10, help="what chance begins with; 10")
    parser.add_argument(
        "--processes", type=int, default=len(os.sched_getaffinity(0)), help="how many at once"
    )
    options = parser.parse_args()
    folder = options.out or own_folder(options.scale)
    generate(folder, options.scale, options.seed, max(1, options.processes))


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"generate: {error}.")
