"""CrisisMMD v2.0 as it is published: which posts inform, how they are split, and where their files lie.

A row of the split files is one picture with the text of its post. Text and picture were labelled apart; rows
whose two labels differ are left out, since a post that is judged as a whole needs one label.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SPLITS = ("train", "dev", "test")
LABELS = ("informative", "not_informative")
PICTURES, ANNOTATIONS, SPLIT_FILES = "data_image", "annotations", "crisismmd_datasplit_all"
VECTORS = "glove.twitter.27B.200d.txt"
COLUMNS = ("tweet_id", "image_id", "tweet_text", "image", "label_text", "label_image")
PUBLISHED = "CrisisMMD v2.0 and crisismmd_datasplit_all of QCRI (crisisnlp.qcri.org/crisismmd)"
GLOVE = "glove.twitter.27B of Stanford (nlp.stanford.edu/projects/glove)"
# The number of the first post that is made up.
FIRST_TWEET = 917_000_000_000_000_000


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
    return folder / SPLIT_FILES / f"task_informative_text_img_{split}.tsv"


def own_folder(scale: str) -> Path:
    """Return where synthetic data is made, and looked for if no folder is named."""
    return Path(__file__).parent / "data" / scale


def advice(scale: str) -> str:
    """Return how to come by the data; synthetic data does not go where a user's own data is."""
    made = f"python {Path(__file__).with_name('generate.py')} --scale {scale}"
    found = f"which goes to {own_folder(scale)} and is found if no data= is given"
    return f"Get {PUBLISHED} and {GLOVE}, or make synthetic data with '{made}', {found}."


def first(counts: Sequence[int], limit: int) -> list[int]:
    """Return how many pictures of each split to use: all, or so many of all together in the same shares.

    Examples:
        >>> first([960, 240, 240], 0), first([960, 240, 240], 120)
        ([960, 240, 240], [80, 20, 20])
    """
    share = min(1.0, limit / sum(counts)) if limit and sum(counts) else 1.0
    return [round(count * share) for count in counts]


def read_posts(folder: Path, scale: str, limit: int = 0) -> Posts:
    """Return the data set of a folder; texts are prepared there, in ``prepared/``, if they are not yet.

    Args:
        folder: A folder in the published layout.
        scale: What to make instead if something is missing.
        limit: How many pictures to use in all, in the same shares of the splits; 0 for all of them.

    Raises:
        ValueError: Something is missing or cannot be read; a sentence that says what to do.
    """
    vectors = folder / VECTORS
    for path in (*(split_file(folder, split) for split in SPLITS), vectors):
        if not path.is_file():
            raise ValueError(f"{path.relative_to(folder)} is not there. {advice(scale)}")
    splits = [list(pictures_of(folder, split)) for split in SPLITS]
    counts = first([len(pictures) for pictures in splits], limit)
    splits = [pictures[:count] for pictures, count in zip(splits, counts, strict=True)]
    check_pictures(folder, splits, scale)
    prepared = folder / "prepared" / (f"limit-{limit}" if limit else "all")
    each = zip(SPLITS, splits, strict=True)
    texts = {split: prepare(prepared / f"{split}.csv", pictures) for split, pictures in each}
    return Posts(tuple(picture for pictures in splits for picture in pictures), texts, vectors)


def pictures_of(folder: Path, split: str) -> Iterator[Picture]:
    """Yield the pictures of a split whose two labels agree, each once."""
    seen: set[str] = set()
    for row in rows(split_file(folder, split)):
        label, image = row["label_image"], row["image_id"]
        if label == row["label_text"] and label in LABELS and image not in seen:
            seen.add(image)
            name, path = f"{split}_{image}_{label}", folder / row["image"]
            yield Picture(name, path, row["tweet_id"], row["tweet_text"], label)


def rows(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a split file by column."""
    with path.open(encoding="utf-8", newline="") as lines:
        table = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        absent = [column for column in COLUMNS if column not in (table.fieldnames or ())]
        if absent:
            raise ValueError(f"{path} has no column {absent[0]}. It should be that of {PUBLISHED}.")
        for row in table:
            if None in row.values():
                raise ValueError(f"Line {table.line_num} of {path} is cut short. Get it once more.")
            yield row


def check_pictures(folder: Path, splits: list[list[Picture]], scale: str) -> None:
    """Refuse a folder without pictures of some split, or where some that are named are not there."""
    if not all(splits):
        raise ValueError(f"The split files of {folder} name no picture of some split whose labels agree.")
    every = [picture.path for pictures in splits for picture in pictures]
    missing = [path for path in every if not os.path.exists(path)]
    if missing:
        some = f"{len(missing):,} of {len(every):,} pictures are not there"
        raise ValueError(f"{some}, the first is {missing[0].relative_to(folder)}. {advice(scale)}")


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
            f"{path} cannot be written ({error.strerror}). Link the data set into a folder of your own."
        ) from error
    return path
