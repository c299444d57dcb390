"""Cleans the texts of posts: links, mentions, symbols and stop words go, words in small letters stay.

Reads a CSV with tweet_id, text and label, and writes one with the same columns.
"""

from __future__ import annotations

import argparse
import csv
import html
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = ["tweet_id", "text", "label"]
NOT_WORDS = re.compile(r"https?://\S*|www\.\S+|@\w+|[^a-z\s]+|_")
# Words that most English sentences have, whatever they are about.
STOP_WORDS = frozenset(
    """
    a about above after again against all also am amp an and any are aren as at be because been before
    being below between both but by can cannot could couldn did didn do does doesn doing don done down
    during each else ever few for from further get gets got had hadn has hasn have haven having he her
    here hers herself him himself his how however i if in into is isn it its itself just let like ll may
    me might more most much must mustn my myself no nor not now of off on once only or other ought our
    ours ourselves out over own per put re rt same shall she should shouldn since so some such than that
    the their theirs them themselves then there these they this those through to too under until up upon
    us ve very via was wasn we were weren what when where whether which while who whom whose why will with
    within without won would wouldn yet you your yours yourself yourselves
    """.split()  # noqa: SIM905  read as a text
)


def clean(text: str) -> str:
    """Return the words of a text that carry its meaning.

    Examples:
        >>> clean("RT @ada: The BRIDGE has collapsed!! &amp; more https://t.co/x #quake")
        'bridge collapsed quake'
    """
    words = NOT_WORDS.sub(" ", html.unescape(text).lower().replace("'", " ")).split()
    return " ".join(word for word in words if len(word) > 1 and word not in STOP_WORDS)


def cleaned(path: Path) -> Iterator[list[str]]:
    """Yield the rows of a CSV, their texts cleaned."""
    with path.open(encoding="utf-8", newline="") as lines:
        table = csv.DictReader(lines)
        if table.fieldnames != COLUMNS:
            raise ValueError(f"'{path}' should have the columns {', '.join(COLUMNS)}, not {table.fieldnames}")
        for row in table:
            yield [row["tweet_id"], clean(row["text"]), row["label"]]


def write(path: Path, rows: list[list[str]]) -> None:
    """Write a CSV, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with temporary.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(rows)
    temporary.replace(path)


def main() -> None:
    """Read the command line, and clean."""
    parser = argparse.ArgumentParser(description="Clean the texts of posts.")
    parser.add_argument("--text", type=Path, required=True, help="a CSV: tweet_id, text, label")
    parser.add_argument("--out", type=Path, required=True, help="the CSV to write")
    options = parser.parse_args()
    write(options.out, list(cleaned(options.text)))


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"preprocess_tweets: {error}.")
