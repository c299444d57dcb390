"""The file of word vectors: the words of synthetic texts first, then as many others as the size asks for.

All lines of the others are equally long, so that many processes can write into one file at once.
"""

from __future__ import annotations

import os
import string
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from synthetic_texts import DIMENSIONS, known_words

# Letters of an other word; no word of a text is as long.
LETTERS = 12
LINE_BYTES = LETTERS + 1 + 8 * DIMENSIONS
LINES_AT_ONCE = 4096
STEPS = 10_000


@dataclass(frozen=True)
class Piece:
    """Lines of other words, and where they go."""

    path: Path
    offset: int
    first: int
    lines: int
    seed: int


def begin(path: Path, seed: int) -> int:
    """Write the words of texts; return how many bytes they take."""
    chance = np.random.default_rng([seed, 3])
    with path.open("wb") as file:
        for word, vector in known_words(chance):
            file.write(word.encode() + b" " + numbers(vector[None])[0].tobytes())
        return file.tell()


def pieces(path: Path, start: int, lines: int, seed: int) -> Iterator[Piece]:
    """Yield what is to be written after the words of texts, a piece at a time."""
    for first in range(0, lines, LINES_AT_ONCE):
        yield Piece(path, start + first * LINE_BYTES, first, min(LINES_AT_ONCE, lines - first), seed)


def write(piece: Piece) -> None:
    """Write the lines of a piece at their place."""
    chance = np.random.default_rng([piece.seed, 4, piece.first])
    values = numbers(chance.normal(0, 0.3, (piece.lines, DIMENSIONS)))
    words = np.frombuffer(
        b"".join(other_word(piece.first + number) + b" " for number in range(piece.lines)), np.uint8
    ).reshape(piece.lines, LETTERS + 1)
    content = np.concatenate([words, values], axis=1).tobytes()
    file = os.open(piece.path, os.O_WRONLY)
    try:
        os.pwrite(file, content, piece.offset)
    finally:
        os.close(file)


def other_word(number: int) -> bytes:
    """Return a word of fixed length that no text has."""
    letters = string.ascii_lowercase
    return (
        "qx" + "".join(letters[number // 26**place % 26] for place in reversed(range(LETTERS - 2)))
    ).encode()


def numbers(vectors: np.ndarray) -> np.ndarray:
    """Return vectors as text, a row of bytes for each: numbers between -1 and 1, blanks, and a line break."""
    steps = np.clip(np.round(vectors * STEPS), 1 - STEPS, STEPS - 1).astype(np.int64) + STEPS - 1
    rows = _texts()[steps].view(np.uint8).reshape(len(vectors), 8 * DIMENSIONS)
    rows[:, -1] = ord("\n")
    return rows


@cache
def _texts() -> np.ndarray:
    """Return each number as it is written, eight bytes long with its blank."""
    return np.array(
        [f"{step / STEPS:.{4 if step < 0 else 5}f} ".encode() for step in range(1 - STEPS, STEPS)], "S8"
    )
