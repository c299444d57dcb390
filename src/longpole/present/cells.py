"""A row of bars as characters, to an eighth of one where they can be drawn.

Each character is cut in eighths. Those that a bar covers are filled, so a bar ends to an eighth; it begins to
a half or so, for there are no more characters that are filled from the right. Bars that are nearer than that
become a shade. Two long bars that meet are drawn with an eighth between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from rich.text import Text

from longpole.model.timeline import Bar, Piece


class Glyphs(NamedTuple):
    """Characters by how many of their parts are filled: from the left, from the right, or by several bars."""

    left: str
    right: str
    several: str


@dataclass(frozen=True, slots=True)
class Look:
    """What bars are drawn with.

    Attributes:
        bar: A bar.
        critical: A bar on the critical path.
        wait: Where the critical path waits.
        failed: The end of a bar that failed.
        unfinished: The end of one that had not ended.
    """

    bar: Glyphs
    critical: Glyphs
    wait: str
    failed: str
    unfinished: str

    @property
    def parts(self) -> int:
        """In how many parts a character is cut."""
        return len(self.bar.left) - 1


_SOLID = Glyphs(" ▏▎▍▌▋▊▉█", " ▕▕▐▐▐███", " ░░░▒▒▉▉█")
_SHADED = Glyphs(" ▏▎▍▌▒▒▒▒", " ▕▕▐▐▒▒▒▒", " ░░░░░░░▒")
COLOUR = Look(_SOLID, _SOLID, "─", "×", ">")
# Without colour a shade is work beside the path, so what is on it has none.
PLAIN = Look(_SHADED, _SOLID._replace(several=_SOLID.left), "─", "×", ">")
ASCII = Look(Glyphs(" #", " #", " #"), Glyphs(" *", " *", " *"), "-", "x", ">")
_ENDS = {"failed": "failure", "unfinished": "warning"}
# From so many characters on, bars that meet are drawn apart.
_LONG = 2


@dataclass(frozen=True, slots=True)
class Chart:
    """Where to draw: how long the time is, over how many columns, and with what."""

    length_s: float
    columns: int
    look: Look

    def span(self, start_s: float, end_s: float) -> range:
        """Return the parts of characters from a moment to another: one at least, and none beyond the end."""
        every = self.columns * self.look.parts
        first = min(every - 1, max(0, round(every * start_s / self.length_s)))
        return range(first, min(every, max(first + 1, round(every * end_s / self.length_s))))


def drawn_row(bars: Sequence[Bar], critical: Sequence[Piece], chart: Chart) -> Text:
    """Return a row of bars; the critical path has a style and, without colour, characters of its own."""
    spans = [chart.span(bar.start_s, bar.end_s) for bar in bars]
    covered = _apart(_filled(spans, chart), spans, chart)
    held = _filled([chart.span(piece.start_s, piece.end_s) for piece in critical], chart)
    ends = _ends(bars, spans, chart.look)
    line = Text(no_wrap=True)
    for column in range(chart.columns):
        here = slice(column * chart.look.parts, (column + 1) * chart.look.parts)
        mark, style = ends.get(column) or _cell(covered[here], held[here], chart.look)
        line.append(mark, style)
    return line


def _filled(spans: list[range], chart: Chart) -> bytearray:
    parts = bytearray(chart.columns * chart.look.parts)
    for span in spans:
        parts[span.start : span.stop] = b"\1" * len(span)
    return parts


def _apart(parts: bytearray, spans: list[range], chart: Chart) -> bytearray:
    """Return the parts with a gap between long bars that meet, where that is less than a character."""
    least = _LONG * chart.look.parts if chart.look.parts > 1 else chart.columns
    for before, after in pairwise(spans):
        if before.stop == after.start and min(len(before), len(after)) >= least:
            parts[before.stop - 1] = 0
    return parts


def _ends(bars: Sequence[Bar], spans: list[range], look: Look) -> dict[int, tuple[str, str]]:
    """Return the mark and style of columns in which a bar ends that did not end well."""
    marks = {"failed": look.failed, "unfinished": look.unfinished}
    return {
        (span.stop - 1) // look.parts: (marks[bar.status], _ENDS[bar.status])
        for bar, span in zip(bars, spans, strict=True)
        if bar.status in marks
    }


def _cell(covered: bytearray, held: bytearray, look: Look) -> tuple[str, str]:
    """Return a character and its style."""
    filled, on_path = sum(covered), sum(held)
    if not filled:
        return (look.wait, "critical") if 2 * on_path >= len(held) else (" ", "")
    if 2 * on_path >= filled:
        return _glyph(covered, look.critical), "critical"
    return _glyph(covered, look.bar), "bar"


def _glyph(covered: bytearray, glyphs: Glyphs) -> str:
    """Return the character that is filled in about these parts."""
    if len([piece for piece in bytes(covered).split(b"\0") if piece]) > 1:
        return glyphs.several[sum(covered)]
    return glyphs.right[sum(covered)] if covered[-1] else glyphs.left[sum(covered)]
