"""CrisisMMD v2.0 as it is published: which posts inform, how they are split, and where their files lie.

A row of the split files is one picture with the text of its post. Text and picture were labelled apart; rows
whose two labels differ are left out, since a post that is judged as a whole needs one label.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

SPLITS = ("train", "dev", "test")
LABELS = ("informative", "not_informative")
VECTORS = "glove.twitter.27B.200d.txt"
COLUMNS = ("tweet_id", "image_id", "tweet_text", "image", "label_text", "label_image")
PUBLISHED = (
    "CrisisMMD v2.0 is published by QCRI (crisisnlp.qcri.org/crisismmd, the archives CrisisMMD_v2.0 and "
    "crisismmd_datasplit_all) and the vectors by Stanford NLP (nlp.stanford.edu/projects/glove, the archive "
    "glove.twitter.27B); 'python workflows/crisis/generate.py --out DIR' makes synthetic data instead"
)


@dataclass(frozen=True)
class Picture:
    """A picture, with the text of its post.

    Attributes:
        name: ``{split}_{tweet}_{k}_{label}``.
        path: Where it lies.
        tweet: The number of its post.
        text: What the post says.
        label: Whether it informs.
    """

    name: str
    path: Path
    tweet: str
    text: str
    label: str


@dataclass(frozen=True)
class Posts:
    """A data set.

    Attributes:
        pictures: Those of all splits, one split after the other.
        texts: A CSV of posts for each split: tweet_id, text, label.
        vectors: What is known of words.
    """

    pictures: tuple[Picture, ...]
    texts: dict[str, Path]
    vectors: Path


def split_file(folder: Path, split: str) -> Path:
    """Return where the rows of a split are."""
    return folder / "crisismmd_datasplit_all" / f"task_informative_text_img_{split}.tsv"


def read_posts(folder: Path, limit: int = 0) -> Posts:
    """Return the data set of a folder; texts are prepared there, in ``prepared/``, if they are not yet.

    Args:
        folder: A folder in the published layout.
        limit: How many pictures of each split at most; 0 for all.

    Raises:
        ValueError: Something is missing; the sentence says what, and where to get it.
    """
    vectors = folder / VECTORS
    missing = [
        path for path in (*(split_file(folder, split) for split in SPLITS), vectors) if not path.is_file()
    ]
    if missing:
        raise ValueError(f"'{folder}' has no {missing[0].relative_to(folder)}: {PUBLISHED}")
    splits = {split: list(pictures_of(folder, split, limit)) for split in SPLITS}
    every = [picture for split in SPLITS for picture in splits[split]]
    check_pictures(folder, every)
    prepared = folder / "prepared" / (f"limit-{limit}" if limit else "all")
    texts = {split: prepare(prepared / f"{split}.csv", pictures) for split, pictures in splits.items()}
    return Posts(tuple(every), texts, vectors)


def pictures_of(folder: Path, split: str, limit: int) -> Iterator[Picture]:
    """Yield the pictures of a split whose two labels agree, each once, at most so many."""
    seen: set[str] = set()
    for row in rows(split_file(folder, split)):
        label, name = row["label_image"], f"{split}_{row['image_id']}_{row['label_image']}"
        if label == row["label_text"] and label in LABELS and name not in seen:
            seen.add(name)
            yield Picture(name, folder / row["image"], row["tweet_id"], row["tweet_text"], label)
        if limit and len(seen) == limit:
            return


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a split file by column."""
    with path.open(encoding="utf-8", newline="") as lines:
        table = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        absent = [column for column in COLUMNS if column not in (table.fieldnames or ())]
        if absent:
            raise ValueError(f"'{path}' has no column {absent[0]}: {PUBLISHED}")
        for row in table:
            if None in row.values():
                raise ValueError(f"line {table.line_num} of '{path}' is cut short: {PUBLISHED}")
            yield row


def check_pictures(folder: Path, pictures: list[Picture]) -> None:
    """Refuse a folder without pictures, or where some that are named are not there."""
    missing = [picture.path for picture in pictures if not os.path.exists(picture.path)]
    if missing:
        raise ValueError(
            f"{len(missing):,} of {len(pictures):,} pictures are missing from '{folder}', the first is "
            f"{missing[0].relative_to(folder)}: {PUBLISHED}"
        )
    if not pictures:
        raise ValueError(f"the split files of '{folder}' name no picture whose labels agree: {PUBLISHED}")


def prepare(path: Path, pictures: Iterable[Picture]) -> Path:
    """Write the texts of posts, each once; a file that says the same already is left alone, with its time."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["tweet_id", "text", "label"])
    posts = {picture.tweet: picture for picture in pictures}
    table.writerows([post.tweet, post.text, post.label] for post in posts.values())
    content = text.getvalue().encode()
    if path.is_file() and path.read_bytes() == content:
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.getpid()}")
        temporary.write_bytes(content)
        temporary.replace(path)
    except OSError as error:
        raise ValueError(
            f"'{path}' cannot be written ({error.strerror}); link the data set into a folder of your own"
        ) from error
    return path
