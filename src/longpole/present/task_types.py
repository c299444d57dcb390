"""Types of task as a table: how many are done, run and failed, with bars while a run goes on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from longpole.model.standing import RunState, Standing, TypeStanding
from longpole.model.text import one_line
from longpole.present.blocks import bar
from longpole.present.lines import Line, Piece, Surface, fitted, padded
from longpole.present.words import counted

_LEAST_NAME, _MOST_NAME = 8, 32
_LEAST_BAR, _MOST_BAR = 6, 24
_GAP = 2
Column = tuple[str, Callable[[TypeStanding], int]]
_COUNTS: tuple[Column, ...] = (
    ("running", lambda each: each.running),
    ("cached", lambda each: each.cached),
    ("failed", lambda each: each.failed),
    ("stopped", lambda each: each.stopped),
    ("skipped", lambda each: each.skipped),
)
_NEVER: Column = ("never ran", lambda each: each.left)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How wide names, bars (0: none) and figures are."""

    name: int
    bar: int
    figures: dict[str, int]


def task_types(standing: Standing, surface: Surface, most: int) -> list[Line]:
    """Return a line for each type, those first that run or failed if there is no room for all.

    Args:
        standing: Where the run stands; while it goes on, bars show how far each type is.
        surface: What is drawn on.
        most: How many types are listed; how many more there are is said.
    """
    types = standing.types
    if not types:
        return []
    shown = types if len(types) <= most else _chosen(types, most)
    cells = {"done": [_done(each) for each in shown]}
    for name, count in _columns(standing):
        cells[name] = [f"{count(each):,}" if count(each) else "" for each in shown]
    layout = _layout(standing, shown, cells, surface)
    rows = [_row(each, at, cells, layout, surface) for at, each in enumerate(shown)]
    return [_header(layout), *rows, *_rest(types, shown, surface)]


def _layout(
    standing: Standing, shown: Sequence[TypeStanding], cells: dict[str, list[str]], surface: Surface
) -> _Layout:
    widths = {name: max(len(name), *map(len, some)) for name, some in cells.items()}
    figures = _fitting(widths, surface.width)
    room = max(_LEAST_NAME, surface.width - 2 - sum(width + _GAP for width in figures.values()))
    if standing.state is not RunState.RUNNING:
        return _Layout(room, 0, figures)
    longest = max(cell_len(one_line(each.name)) for each in shown)
    name = max(_LEAST_NAME, min(_MOST_NAME, longest, room))
    middle = min(_MOST_BAR, room - name - _GAP)
    return _Layout(name, middle if middle >= _LEAST_BAR else 0, figures)


def _row(each: TypeStanding, at: int, cells: dict[str, list[str]], layout: _Layout, surface: Surface) -> Line:
    figures = (
        Piece(f"{cells[name][at]:>{width + _GAP}}", _style(name, each))
        for name, width in layout.figures.items()
    )
    name = Piece(f" {padded(one_line(each.name), layout.name)}")
    return name, *_middle(each, layout.bar, surface), *figures


def _columns(standing: Standing) -> list[Column]:
    """Return the columns that say something; while it runs, who runs is always said."""
    going = standing.state is RunState.RUNNING
    always = ("running",) if going else ()
    return [
        (name, count)
        for name, count in (*_COUNTS, *(() if going else (_NEVER,)))
        if name in always or any(count(each) for each in standing.types)
    ]


def _fitting(widths: dict[str, int], width: int) -> dict[str, int]:
    """Return the columns that there is room for beside a short name; those at the right go first."""
    kept = dict(widths)
    while len(kept) > 1 and sum(one + _GAP for one in kept.values()) > width - _LEAST_NAME - 1:
        kept.popitem()
    return kept


def _chosen(types: tuple[TypeStanding, ...], most: int) -> tuple[TypeStanding, ...]:
    """Return the types that say most, in the order of the workflow."""
    ranked = sorted(range(len(types)), key=lambda at: (_rank(types[at]), at))[:most]
    return tuple(types[at] for at in sorted(ranked))


def _rank(each: TypeStanding) -> int:
    if each.failed or each.stopped:
        return 0
    if each.running:
        return 1
    return 2 if each.left else 3


def _done(each: TypeStanding) -> str:
    return f"{each.done:,}/{'?' if each.total is None else f'{each.total:,}'}"


def _header(layout: _Layout) -> Line:
    figures = "".join(f"{name:>{width + _GAP}}" for name, width in layout.figures.items())
    before = layout.name + (layout.bar + _GAP if layout.bar else 0)
    return Piece(" Tasks", "title"), Piece(" " * (before - 5)), Piece(figures, "label")


def _middle(each: TypeStanding, width: int, surface: Surface) -> tuple[Piece, ...]:
    if not width:
        return ()
    gap = Piece(" " * _GAP)
    if each.total is None:
        when = " and ".join(f"'{name}'" for name in each.known_after)
        return gap, Piece(padded(f"after {when}" if when else "not known yet", width), "quiet")
    share = each.done / each.total if each.total else 1.0
    return gap, Piece(f"{bar(share, width, surface.encoding):<{width}}", "bar")


def _style(column: str, each: TypeStanding) -> str:
    if column == "failed":
        return "failure"
    return "quiet" if column == "cached" or not (each.running or column != "done") else ""


def _rest(types: tuple[TypeStanding, ...], shown: tuple[TypeStanding, ...], surface: Surface) -> list[Line]:
    if len(shown) == len(types):
        return []
    names = {each.name for each in shown}
    others = [each for each in types if each.name not in names]
    over = sum(each.total is not None and each.done >= each.total for each in others)
    text = f"and {counted(len(others), 'more type')}, {over:,} of them done"
    return [(Piece(f" {fitted(text, surface.width - 1)}", "quiet"),)]
