"""Lines of styled pieces: for what is drawn again and again beside other work, and must cost next to nothing.

A table of ``rich`` takes some milliseconds to lay out; the same in lines takes a tenth of one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import IO, NamedTuple

from rich.cells import cell_len, set_cell_size

from longpole.model.text import visible
from longpole.present.blocks import IN_ASCII, draws_blocks

WIDEST = 100
NARROWEST = 20
_USUAL = 80, 24
_LABEL = 12
# As the theme of all other pages has them.
_CODES = {
    "title": "1",
    "label": "2",
    "quiet": "2",
    "figure": "1",
    "bar": "36",
    "good": "32",
    "warning": "33",
    "failure": "1;31",
}


class Piece(NamedTuple):
    """A text, and the style it is drawn in."""

    text: str
    style: str = ""


Line = tuple[Piece, ...]
EMPTY: Line = ()


@dataclass(frozen=True, slots=True)
class Surface:
    """What lines are drawn on: how wide and high it is, and what it can show."""

    width: int = 80
    height: int = 24
    colour: bool = False
    encoding: str = "utf-8"

    @property
    def blocks(self) -> bool:
        """Whether it can show bars and dashes."""
        return draws_blocks(self.encoding)


def is_terminal(stream: IO[str]) -> bool:
    """Return whether what is written can be drawn over again."""
    try:
        return stream.isatty() and os.environ.get("TERM", "") not in ("dumb", "unknown")
    except ValueError:
        return False  # it is closed


def surface_of(stream: IO[str]) -> Surface:
    """Return what a stream can show; colour on a terminal only, and not where NO_COLOR is set."""
    width, height = _size(stream)
    colour = is_terminal(stream) and not os.environ.get("NO_COLOR")
    encoding = getattr(stream, "encoding", None) or "ascii"
    return Surface(max(NARROWEST, min(width, WIDEST)), height, colour, encoding)


def drawn(lines: Iterable[Line], surface: Surface) -> list[str]:
    """Return lines as text for a surface."""
    return [_drawn(line, surface) for line in lines]


def width_of(line: Line) -> int:
    """Return how many columns a line takes."""
    return sum(cell_len(piece.text) for piece in line)


def fitted(text: str, width: int) -> str:
    """Return a text cut to so many columns, its cut marked; control characters are spelt out.

    Examples:
        >>> fitted("score tile=0007", 8), fitted("cut", 8)
        ('score t…', 'cut')
    """
    text = visible(text)
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, max(0, width - 1)).rstrip() + "…" if width > 0 else ""


def padded(text: str, width: int) -> str:
    """Return a text in just so many columns."""
    return set_cell_size(fitted(text, width), width)


def clipped(line: Line, width: int) -> Line:
    """Return a line cut to so many columns."""
    kept: list[Piece] = []
    for piece in line:
        kept.append(Piece(fitted(piece.text, width), piece.style))
        width -= cell_len(kept[-1].text)
    return tuple(kept)


def spread(left: Line, right: Line, width: int) -> Line:
    """Return a line with one text at its left and one at its right; what does not fit at the left is cut."""
    taken = clipped(left, width - width_of(right))
    room = width - width_of(right) - width_of(taken)
    return (*taken, Piece(" " * max(0, room)), *right)


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yield a text in lines of at most so many columns, broken at blanks where there are some."""
    shown = visible(text)
    if cell_len(shown) <= width:
        yield shown
        return
    line = ""
    for word in chain.from_iterable(_pieces(word, width) for word in shown.split(" ")):
        candidate = f"{line} {word}" if line else word
        if cell_len(candidate) > width:
            yield line
            candidate = word
        line = candidate
    yield line


def labelled(label: str, texts: Iterable[str], style: str = "") -> Iterator[Line]:
    """Yield lines beside a label, which stands before the first."""
    for at, text in enumerate(texts):
        yield Piece(padded(f" {label}" if at == 0 else "", _LABEL), "label"), Piece(text, style)


def room_beside(surface: Surface) -> int:
    """Return how many columns there are beside a label."""
    return max(NARROWEST, surface.width - _LABEL - 1)


def _pieces(word: str, width: int) -> Iterator[str]:
    """Yield a word that is too long in pieces."""
    while cell_len(word) > width:
        head = set_cell_size(word, width).rstrip() or word[:1]
        yield head
        word = word[len(head) :]
    yield word


def _drawn(line: Line, surface: Surface) -> str:
    if surface.colour:
        text = "".join(_painted(piece) for piece in line)
    else:
        text = "".join(piece.text for piece in line).rstrip()
    if not surface.blocks:
        text = text.translate(IN_ASCII).encode(surface.encoding, "replace").decode(surface.encoding)
    return text


def _painted(piece: Piece) -> str:
    code = _CODES.get(piece.style, "") if piece.text.strip() else ""
    return f"\x1b[{code}m{piece.text}\x1b[0m" if code else piece.text


def _size(stream: IO[str]) -> tuple[int, int]:
    """Return columns and lines: as the variable COLUMNS has it, else the terminal, else the usual ones."""
    try:
        size = os.get_terminal_size(stream.fileno())
        width, height = size.columns or _USUAL[0], size.lines or _USUAL[1]
    except (OSError, ValueError):
        width, height = _USUAL
    given = os.environ.get("COLUMNS", "")
    return int(given) if given.isdigit() and int(given) else width, height
