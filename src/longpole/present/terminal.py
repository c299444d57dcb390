"""The terminal: how wide, in colour or not, and which characters it can draw."""

from __future__ import annotations

import os
from typing import IO

from rich.console import Console
from rich.text import Text
from rich.theme import Theme

from longpole.model.text import visible
from longpole.present.blocks import IN_ASCII, draws_blocks
from longpole.present.words import unglued

WIDEST = 100

# Few and calm: one accent, one word of warning, one of failure; the rest is weight.
_THEME = Theme(
    {
        "title": "bold",
        "label": "dim",
        "quiet": "dim",
        "figure": "bold",
        "bar": "cyan",
        "good": "green",
        "warning": "yellow",
        "critical": "yellow",
        "failure": "bold red",
    }
)


def terminal(stream: IO[str] | None = None) -> Console:
    """Return a console on a stream (standard output if none), never wider than a page.

    Colour is used on a terminal only, and not where NO_COLOR is set.
    """
    # In a notebook, rich would show its own HTML beside the text.
    console = Console(
        file=stream, theme=_THEME, highlight=False, markup=False, emoji=False, force_jupyter=False
    )
    if os.environ.get("NO_COLOR"):
        console.no_color = True
    console.width = max(40, min(console.width, WIDEST))
    return console


def write_text(console: Console, text: str) -> None:
    """Write rendered text between two empty lines, without the blanks that fill up its lines.

    What the encoding of the stream does not have is written in ASCII: a cut as ``~``, the rest as ``?``.
    """
    text = unglued(text)
    if not draws_blocks(console.encoding):
        text = text.translate(IN_ASCII).encode(console.encoding, "replace").decode(console.encoding)
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    console.file.write("\n".join(["", *lines, "", ""]))


def shorten(text: str, width: int) -> str:
    """Return a text on one line of at most ``width`` characters, its cut marked.

    Examples:
        >>> shorten("python train.py --epochs 30", 16)
        'python train.py…'
    """
    line = Text(visible(" ".join(text.split())))
    line.truncate(width, overflow="ellipsis")
    return line.plain
