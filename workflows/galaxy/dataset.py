"""The Galaxy Zoo data set in its published layout: which images have a label, and how they are split.

The folder holds ``training_solutions_rev1.csv``, with votes on each galaxy, and its pictures as
``images_training_rev1/<GalaxyID>.jpg``. Labels follow the published rule. The split is the published one,
too: galaxies in the order of their classes, shuffled as NumPy's ``RandomState(seed).shuffle`` does, then
80/10/10. This module is read while a workflow is planned, so it stands on the standard library alone.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from pathlib import Path

SOLUTIONS = "training_solutions_rev1.csv"
PICTURES = "images_training_rev1"
CLASSES = ("round smooth", "in-between smooth", "cigar-shaped smooth", "edge-on", "spiral")
SPLITS = ("train", "val", "test")
PUBLISHED = "the Galaxy Zoo challenge on Kaggle (galaxy-zoo-the-galaxy-challenge)"
# The answers to each of the eleven questions that people were asked.
ANSWERS = (3, 2, 2, 2, 4, 2, 3, 7, 3, 3, 6)
COLUMNS = tuple(
    f"Class{question}.{n}" for question, count in enumerate(ANSWERS, 1) for n in range(1, count + 1)
)
# What has to be voted for at least, for each label; the first that fits is taken.
RULES = (
    (("Class1.1", 0.469), ("Class7.1", 0.5)),
    (("Class1.1", 0.469), ("Class7.2", 0.5)),
    (("Class1.1", 0.469), ("Class7.3", 0.5)),
    (("Class1.2", 0.430), ("Class2.1", 0.602)),
    (("Class1.2", 0.430), ("Class2.2", 0.715), ("Class4.1", 0.619)),
)
_USED = sorted({column for rule in RULES for column, _ in rule})

Votes = dict[str, float]
# For each split, the galaxies of each class, in the order in which they are numbered.
Split = dict[str, list[list[str]]]


@dataclass(frozen=True)
class Galaxies:
    """The labelled galaxies of a folder: their ids by class, in the order of the table."""

    folder: Path
    by_class: tuple[tuple[str, ...], ...]

    def path(self, galaxy: str) -> Path:
        """Return where the picture of a galaxy lies."""
        return self.folder / PICTURES / f"{galaxy}.jpg"


def label_of(votes: Votes) -> int | None:
    """Return the class of a galaxy; None if people were not of one mind.

    Examples:
        >>> label_of({"Class1.1": 0.9, "Class1.2": 0.1, "Class7.1": 0.2, "Class7.2": 0.7, "Class7.3": 0.0})
        1
        >>> label_of({"Class1.1": 0.4, "Class1.2": 0.4})
    """
    for label, rule in enumerate(RULES):
        if all(votes.get(column, 0.0) >= least for column, least in rule):
            return label
    return None


def read_galaxies(folder: Path, scale: str) -> Galaxies:
    """Return the labelled galaxies of a folder in the published layout.

    Args:
        folder: Where the table and the pictures lie.
        scale: The scale of synthetic data that can be used instead, if something is wrong.

    Raises:
        ValueError: Something is missing or cannot be read; a sentence that says what to do.
    """
    table = folder / SOLUTIONS
    for part in (table, folder / PICTURES):
        if not part.exists():
            raise ValueError(f"{part} is not there. {advice(scale)}")
    by_class: tuple[list[str], ...] = tuple([] for _ in CLASSES)
    for galaxy, label in _labelled(table, scale):
        by_class[label].append(galaxy)
    if not any(by_class):
        raise ValueError(f"{table} has no galaxy that the rule of labels takes. {advice(scale)}")
    _check_pictures(folder, by_class, scale)
    return Galaxies(folder, tuple(tuple(ids) for ids in by_class))


def advice(scale: str) -> str:
    """Return how to come by the data; what is synthetic goes to a folder of its own."""
    made = f"python {Path(__file__).with_name('generate.py')} --scale {scale}"
    return (
        f"Get {SOLUTIONS} and {PICTURES}/ from {PUBLISHED}, or make synthetic data with '{made}': "
        "it is found if no data= is given."
    )


def split(counts: tuple[int, ...], seed: int, limit: int = 0) -> dict[str, list[list[int]]]:
    """Deal galaxies to the splits: for each split and class, the positions of its galaxies in their class.

    Args:
        counts: How many galaxies there are of each class.
        seed: What the shuffle begins with.
        limit: How many galaxies to use in all, in the same shares; 0 for all of them.

    Examples:
        >>> [[len(members) for members in one] for one in split((8436, 8069, 579, 3903, 7806), 10).values()]
        [[6775, 6448, 441, 3099, 6271], [799, 790, 57, 422, 811], [862, 831, 81, 382, 724]]
    """
    whose = [(label, n) for label, count in enumerate(counts) for n in range(count)]
    order = shuffled(len(whose), seed)
    bounds = [0, len(order) * 8 // 10, len(order) * 9 // 10, len(order)]
    share = min(1.0, limit / len(order)) if limit and order else 1.0
    found: dict[str, list[list[int]]] = {}
    for name, first, end in zip(SPLITS, bounds, bounds[1:], strict=False):
        members: list[list[int]] = [[] for _ in counts]
        for place in order[first : first + round((end - first) * share)]:
            label, n = whose[place]
            members[label].append(n)
        found[name] = members
    return found


def shuffled(count: int, seed: int) -> list[int]:
    """Return the numbers below ``count`` as ``numpy.random.RandomState(seed).permutation`` orders them."""
    draw = _mersenne_twister(seed).getrandbits
    order = list(range(count))
    for place in range(count - 1, 0, -1):
        mask = (1 << place.bit_length()) - 1
        other = draw(32) & mask
        while other > place:
            other = draw(32) & mask
        order[place], order[other] = order[other], order[place]
    return order


def _mersenne_twister(seed: int) -> random.Random:
    """Return a generator in the state that NumPy gives its own; Python's would begin another way."""
    words = [seed & 0xFFFFFFFF]
    for n in range(1, 624):
        words.append((1812433253 * (words[-1] ^ (words[-1] >> 30)) + n) & 0xFFFFFFFF)
    generator = random.Random()
    generator.setstate((3, (*words, 624), None))
    return generator


def _labelled(table: Path, scale: str) -> list[tuple[str, int]]:
    with table.open(encoding="utf-8") as lines:
        header = lines.readline().strip().split(",")
        missing = [column for column in ("GalaxyID", *_USED) if column not in header]
        if missing:
            raise ValueError(f"{table} has no column {missing[0]!r}. {advice(scale)}")
        where, galaxy = {column: header.index(column) for column in _USED}, header.index("GalaxyID")
        found, known = [], set()
        for number, line in enumerate(lines, 2):
            fields = line.strip().split(",")
            try:
                label = label_of({column: float(fields[at]) for column, at in where.items()})
                whole = len(fields) == len(header)
            except (ValueError, IndexError):
                whole, label = False, None
            if not whole:
                raise ValueError(f"{table}:{number} is no row of votes. Get the table anew.")
            if fields[galaxy] in known:
                raise ValueError(f"{table}:{number} has galaxy {fields[galaxy]} again. Get the table anew.")
            known.add(fields[galaxy])
            if label is not None:
                found.append((fields[galaxy], label))
    return found


def _check_pictures(folder: Path, by_class: tuple[list[str], ...], scale: str) -> None:
    there = {entry.name for entry in os.scandir(folder / PICTURES)}
    missing = [galaxy for ids in by_class for galaxy in ids if f"{galaxy}.jpg" not in there]
    if missing:
        count = (
            f"{missing[0]}.jpg" if len(missing) == 1 else f"{missing[0]}.jpg and {len(missing) - 1:,} more"
        )
        raise ValueError(f"{folder / PICTURES} lacks {count}. {advice(scale)}")
