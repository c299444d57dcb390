"""A grid of characters to draw lines and write words on, with eight points to a character where it can.

Lines are made of the points of braille characters; without these, of one mark for each column. What is
written goes over lines.
"""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from rich.text import Text

# The bit of each point of a braille character, by column and row.
_BITS = ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
_BRAILLE = 0x2800


class Grid:
    """A grid, drawn on from the bottom left: places go from 0 to 1 across and up."""

    def __init__(self, columns: int, rows: int, *, points: bool) -> None:
        """Begin with an empty grid; with points if these characters can be shown."""
        self.columns, self.rows, self.points = columns, rows, points
        self._bits: dict[tuple[int, int], int] = {}
        self._styles: dict[tuple[int, int], str] = {}
        self._marks: dict[tuple[int, int], tuple[str, str]] = {}

    def cell(self, across: float, up: float) -> tuple[int, int]:
        """Return the row, counted from the top, and the column of a place."""
        row = min(self.rows - 1, max(0, int((1 - up) * self.rows)))
        return row, min(self.columns - 1, max(0, int(across * self.columns)))

    def line(self, up_at: Callable[[float], float], style: str, *, end: float = 1.0, every: int = 1) -> None:
        """Draw a line that is nowhere below itself further left.

        Args:
            up_at: How high it is, by how far right.
            style: Its style.
            end: How far right it goes.
            every: Of how many points one is drawn: more than 1 makes it dotted.
        """
        wide, high = (2, 4) if self.points else (1, 1)
        before = None
        for at in range(int(end * self.columns * wide)):
            up = up_at((at + 0.5) / (self.columns * wide))
            point = int(up * self.rows * high)
            reached = point if before is None else min(point, before + 1)
            for y in range(reached, point + 1):
                if at % every == 0 and 0 <= up <= 1 and 0 <= y < self.rows * high:
                    self._point(at, y, style, slope=before is not None and point > before)
            before = point

    def free(self, row: int, column: int, length: int, *, over_lines: bool = False) -> bool:
        """Return whether so many characters can be written here."""
        cells = [(row, column + at) for at in range(length)]
        inside = 0 <= row < self.rows and column >= 0 and column + length <= self.columns
        if not inside or any(cell in self._marks for cell in cells):
            return False
        return over_lines or not any(cell in self._bits for cell in cells)

    def write(self, row: int, column: int, text: str, style: str = "") -> None:
        """Write a text."""
        for letter in text:
            wide = max(1, cell_len(letter))
            self._marks[row, column] = (letter, style)
            self._marks.update({(row, column + at): ("", "") for at in range(1, wide)})
            column += wide

    def lines(self) -> list[Text]:
        """Return the grid as text."""
        return [self._row(row) for row in range(self.rows)]

    def _point(self, x: int, y: int, style: str, *, slope: bool) -> None:
        if self.points:
            cell = (self.rows - 1 - y // 4, x // 2)
            self._bits[cell] = self._bits.get(cell, 0) | _BITS[x % 2][3 - y % 4]
        else:
            cell = (self.rows - 1 - y, x)
            self._bits[cell] = ord("/" if slope else "-")
        self._styles[cell] = style

    def _row(self, row: int) -> Text:
        line = Text(no_wrap=True)
        for column in range(self.columns):
            mark = self._marks.get((row, column))
            bits = self._bits.get((row, column), 0)
            if mark is not None:
                line.append(*mark)
            elif bits:
                line.append(chr(_BRAILLE + bits if self.points else bits), self._styles[row, column])
            else:
                line.append(" ")
        return line
