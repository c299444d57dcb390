"""A table of results on a terminal: in as many pieces as its width needs, with what is missing below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.text import Text

from longpole.model.result_table import Heading, Quantity, ResultTable, Row
from longpole.model.text import one_line
from longpole.present.blocks import draws_blocks
from longpole.present.remarks import sentence_list
from longpole.present.table_cells import MISSING, deviation_text, title_of, value_text
from longpole.present.terminal import write_text

_GAP = 2
# Names get so much room before columns go to another piece; longer ones stand above their figures.
_ENOUGH = 24
_LEAST = 8


def show_result_table(table: ResultTable, console: Console) -> None:
    """Print a table, why figures are missing, and what else must be said."""
    columns = [_column(table, at, console) for at in range(len(table.headings))]
    sections: list[RenderableType] = [Text(f" {one_line(table.title)}", style="title")]
    if table.rows:
        sections += [
            _piece(table, some, console.width - 1) for some in pieces(table, columns, console.width - 1)
        ]
    with console.capture() as capture:
        for section in [*sections, *_below(table)]:
            console.print(section, crop=False)
            console.print()
    write_text(console, capture.get())


class Column:
    """A column as it is drawn: its title, its cells, and the deviations below them."""

    def __init__(self, heading: Heading, cells: Sequence[tuple[str, str]]) -> None:
        """Take the heading, and for each row its figure and its deviation."""
        self.title, self.cells = title_of(heading), cells
        self.left = heading.quantity is Quantity.TEXT
        self.width = max(map(cell_len, [self.title, *(text for both in cells for text in both)]))

    def aligned(self, text: str) -> str:
        """Return a text as wide as the column, with the gap before it."""
        blank = " " * (self.width - cell_len(text))
        return " " * _GAP + (text + blank if self.left else blank + text)


def pieces(table: ResultTable, columns: Sequence[Column], width: int) -> list[list[Column]]:
    """Return which columns stand side by side: all if there is room, else about as many in each piece."""
    room = width - min(_ENOUGH, max(map(cell_len, _names(table))))
    for count in range(1, len(columns) + 1):
        found = _parted(columns, count)
        if all(sum(each.width + _GAP for each in piece) <= room for piece in found):
            return found
    return [[each] for each in columns]


def _parted(columns: Sequence[Column], count: int) -> list[list[Column]]:
    """Return columns in so many pieces, each about as wide as the others."""
    found: list[list[Column]] = [[]]
    total, so_far = sum(each.width + _GAP for each in columns), 0.0
    for each in columns:
        middle = so_far + (each.width + _GAP) / 2
        if found[-1] and len(found) < count and middle >= total * len(found) / count:
            found.append([])
        found[-1].append(each)
        so_far += each.width + _GAP
    return found


def _piece(table: ResultTable, columns: Sequence[Column], width: int) -> Group:
    """Return some columns of a table, each row with its name."""
    room = max(_LEAST, width - sum(each.width + _GAP for each in columns))
    wide = min(room, max(map(cell_len, _names(table))))
    head = "".join(each.aligned(each.title) for each in columns)
    lines = [Text(f" {_padded(table.of, wide)}{head}", style="label", no_wrap=True)]
    for section, rows in groupby(enumerate(table.rows), key=lambda pair: pair[1].section):
        if section:
            lines.append(Text(f" {one_line(section)}", style="title", no_wrap=True, overflow="ignore"))
        for at, row in rows:
            if cell_len(_name(row)) > wide:  # above its figures, so that nothing of it is cut
                lines.append(Text(f" {_name(row)}", no_wrap=True, overflow="ignore"))
            name = _padded(_name(row) if cell_len(_name(row)) <= wide else "", wide)
            lines += _lines(name, [(each, *each.cells[at]) for each in columns])
    return Group(*lines)


def _lines(name: str, cells: Sequence[tuple[Column, str, str]]) -> Iterator[Text]:
    """Yield the figures of a row, and below them their deviations, if it has any."""
    yield Text(f" {name}{''.join(each.aligned(text) for each, text, _ in cells)}", no_wrap=True)
    if any(deviation for _, _, deviation in cells):
        below = "".join(each.aligned(deviation) for each, _, deviation in cells)
        yield Text(f" {' ' * cell_len(name)}{below}", style="quiet", no_wrap=True)


def _below(table: ResultTable) -> Iterator[RenderableType]:
    if table.gaps:
        said = tuple(f"{', '.join(gap.columns)}: {gap.reason}." for gap in table.gaps)
        yield sentence_list(f"  {MISSING}", said, None, "")
    if table.notes:
        yield sentence_list("Notes", table.notes, None, "quiet")


def _column(table: ResultTable, at: int, console: Console) -> Column:
    heading, sign = table.headings[at], "±" if draws_blocks(console.encoding) else "+-"
    cells = []
    for row in table.rows:
        deviation = deviation_text(row.figures[at], heading)
        text = one_line(value_text(row.figures[at], heading))
        cells.append((text, f"{sign} {deviation}" if deviation else ""))
    return Column(heading, cells)


def _names(table: ResultTable) -> list[str]:
    return [table.of, *map(_name, table.rows)]


def _name(row: Row) -> str:
    return f"{'  ' if row.section else ''}{one_line(row.name)}"


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))
