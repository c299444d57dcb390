"""The workflow view of a roofline in the terminal: ceilings with letters, the wall, targets and dots.

Both axes are logarithmic. Ceilings end at the wall, where their letters stand; their names are at the right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, repeat
from math import floor, log10
from string import ascii_uppercase

from rich.console import Console, Group, RenderableType
from rich.text import Text

from longpole.model.resources import Level
from longpole.model.roofline import Roofline, TargetLine
from longpole.model.text import one_line
from longpole.present.blocks import draws_blocks
from longpole.present.grid import Grid
from longpole.present.rates import plain, rates_of
from longpole.present.roofline_legend import ASCII, DRAWN, FEW_DOTS, Marks, legend, mark_of
from longpole.present.roofline_scale import (
    Extent,
    extent,
    near,
    round_heights,
)
from longpole.present.roofline_words import dot_label
from longpole.present.terminal import shorten
from longpole.units import show_seconds

_STYLES = {Level.NODE: "cyan", Level.SYSTEM: "yellow", Level.STRUCTURE: "green", Level.OVERHEAD: "magenta"}
# Columns: what stands at the left of the plot; the least at its right for names.
_LEFT, _NAMES, _MOST_NAME, _MOST_LABEL = 9, 12, 26, 40
_ROWS, _FEW_ROWS, _NARROW = 17, 12, 60
_END = 0.97
_MOST_TICKS = 6
_LEAST_WIDE = 1.5


@dataclass(frozen=True, slots=True)
class Curve:
    """A line of the plot with its letter, its name, how high it is by x, and how it is drawn."""

    letter: str
    name: str
    at: Callable[[float], float]
    style: str
    every: int = 1


# What is along the axis, from the longest on.
_TITLES = ("parallel tasks", "at once")


def roofline_plot(roofline: Roofline, console: Console) -> RenderableType:
    """Return the plot, as wide as the console, with a legend of its marks under it."""
    marks = DRAWN if draws_blocks(console.encoding) else ASCII
    curves = _curves(roofline)
    names = min(_MOST_NAME, max(_NAMES, *(len(curve.name) + 2 for curve in curves)), console.width // 3)
    covers = _covers(roofline)
    rows = _ROWS if console.width >= _NARROW else _FEW_ROWS
    grid = Grid(console.width - _LEFT - names - 2, rows, points=marks is DRAWN)
    wall = min(grid.columns - 1, grid.cell(covers.across(max(roofline.wall.parallel, 1)), 0)[1])
    ends = [_draw(grid, curve, covers, wall) for curve in curves]
    for row in range(grid.rows):
        grid.write(row, wall, marks.wall, "bold")
    _draw_dots(grid, roofline, covers, marks)
    beside = _beside(curves, ends, rows)
    return Group(
        Text(f" {roofline.unit}s/s", style="label"),
        *_rows(grid, covers, marks, beside, names),
        *_axis(grid, covers, marks, console.width - _LEFT),
        *legend(roofline, marks, console.width),
    )


def ceiling_letters(roofline: Roofline) -> dict[str, str]:
    """Return the letter of each ceiling that is drawn, the lowest first."""
    names = [one.name for one in near(roofline)]
    return dict(zip(names, chain(ascii_uppercase, repeat("?")), strict=False))


def _covers(roofline: Roofline) -> Extent:
    """Return what the plot covers: no further right than the wall and the dots."""
    whole = extent(roofline)
    widest = max(roofline.wall.parallel, roofline.parallel, *(dot.x for dot in roofline.dots), _LEAST_WIDE)
    return Extent(whole.left, widest / _END, whole.bottom, whole.top)


def _curves(roofline: Roofline) -> list[Curve]:
    curves: list[Curve] = []
    letters = ceiling_letters(roofline)
    for one in near(roofline):
        letter = letters[one.name]
        style = _STYLES[one.kind] + (" bold" if one.name == roofline.bound else "")
        curves.append(Curve(letter, one_line(one.name), partial(one.height, roofline.tasks), style))
        if one.contended_seconds is not None:
            worse = partial(one.height, roofline.tasks, contended=True)
            curves.append(Curve(letter.lower(), f"{one_line(one.name)} contended", worse, style, every=3))
    for number, target in enumerate(roofline.targets, start=1):
        curves.append(Curve(str(number), _asked(target, roofline), target.height, "", every=4))
    return curves


def _asked(target: TargetLine, roofline: Roofline) -> str:
    if target.seconds is not None:
        return f"target {show_seconds(target.seconds)}"
    return f"target {rates_of(roofline).show(target.tasks_per_second)}"


def _draw(grid: Grid, curve: Curve, covers: Extent, wall: int) -> int | None:
    """Draw a curve up to the wall, and its letter at its end; return the row of that."""
    end = wall / grid.columns

    def up_at(across: float) -> float:
        x: float = covers.left * (covers.right / covers.left) ** across
        return covers.up(curve.at(x))

    grid.line(up_at, curve.style, end=end, every=curve.every)
    for column in range(wall - 1, -1, -1):
        up = up_at((column + 0.5) / grid.columns)
        row = grid.cell(0.0, up)[0]
        if 0 <= up <= 1 and grid.free(row, column, 1, over_lines=True):
            grid.write(row, column, curve.letter, curve.style)
            return row
    return None


def _draw_dots(grid: Grid, roofline: Roofline, covers: Extent, marks: Marks) -> None:
    cells = [(grid.cell(covers.across(dot.x), covers.up(dot.y)), dot) for dot in roofline.dots]
    for (row, column), dot in cells:
        grid.write(row, column, mark_of(dot, marks), "bold")
    for (row, column), dot in cells if len(cells) <= FEW_DOTS else ():
        text = shorten(dot_label(dot), _MOST_LABEL)
        others = [cell for cell, _ in cells if cell != (row, column)]
        place = _place(grid, (row, column), Text(text).cell_len, others)
        if place is not None:
            grid.write(*place, text)


def _place(
    grid: Grid, dot: tuple[int, int], length: int, others: Sequence[tuple[int, int]]
) -> tuple[int, int] | None:
    """Return where the name of a dot can be: beside it, or above or below where no other dot is as near."""
    row, column = dot
    beside = [(row, begin) for begin in (column + 2, column - 1 - length)]
    near_by = [(at, column + 2) for at in (row + 1, row - 1) if all(abs(at - one[0]) > 1 for one in others)]
    for at, begin in (*beside, *near_by):
        if grid.free(at, begin - 1, length + 1):
            return at, begin
    return next((place for place in beside if grid.free(*place, length, over_lines=True)), None)


def _beside(curves: Sequence[Curve], ends: Sequence[int | None], rows: int) -> dict[int, Curve]:
    """Return which name stands in which row: as near to the end of its line as there is room."""
    beside: dict[int, Curve] = {}
    for curve, end in zip(curves, ends, strict=True):
        if end is None:
            continue
        free = [(abs(row - end), row) for row in range(rows) if row not in beside]
        if free:
            beside[min(free)[1]] = curve
    return beside


def _rows(grid: Grid, covers: Extent, marks: Marks, beside: dict[int, Curve], names: int) -> list[Text]:
    ticks = {grid.cell(0.0, covers.up(y))[0]: plain(y) for y in round_heights(covers, _MOST_TICKS)}
    lines = []
    for row, drawn in enumerate(grid.lines()):
        side = marks.side if row in ticks else marks.wall
        line = Text.assemble((f"{ticks.get(row, ''):>{_LEFT - 2}} {side}", "quiet"), drawn, no_wrap=True)
        if row in beside:
            curve = beside[row]
            line.append(f" {curve.letter} {shorten(curve.name, names - 2)}", curve.style)
        lines.append(line)
    return lines


def _axis(grid: Grid, covers: Extent, marks: Marks, width: int) -> list[Text]:
    """Return the axis and the numbers under it, and what they count in so many words as there is room for."""
    line, numbers = [marks.axis] * grid.columns, [" "] * (grid.columns + _NAMES)
    for x in _round_numbers(covers):
        column, label = grid.cell(covers.across(x), 0)[1], f"{x:,}"
        begin = max(0, column - len(label) // 2)
        if all(letter == " " for letter in numbers[max(0, begin - 1) : begin + len(label) + 1]):
            line[column] = marks.tick
            numbers[begin : begin + len(label)] = label
    under = "".join(numbers).rstrip()
    fitting = [title for title in _TITLES if len(under) + 2 + len(title) <= width]
    named = f"{under}  {fitting[0]}" if fitting else under
    return [
        Text(" " * (_LEFT - 1) + marks.corner + "".join(line), style="quiet", no_wrap=True),
        Text(" " * _LEFT + named, style="quiet", no_wrap=True),
    ]


def _round_numbers(covers: Extent) -> list[int]:
    """Return numbers of tasks for the axis, the most important first."""
    powers = range(floor(log10(covers.right)) + 1)
    every = [step * 10**power for step in (1, 5, 2) for power in powers]
    return [x for x in every if x <= covers.right]
