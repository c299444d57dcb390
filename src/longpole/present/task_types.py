"""Types of task as a table: how many are done, run and failed, with bars while a run goes on."""

from __future__ import annotations

from collections.abc import Callable

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


def task_types(standing: Standing, surface: Surface, most: int, *, live: bool) -> list[Line]:
    """Return a line for each type, those first that run or failed if there is no room for all.

    Args:
        standing: Where the run stands.
        surface: What is drawn on.
        most: How many types are listed; how many there are is said.
        live: Whether bars show how far each type is.
    """
    types = standing.types
    shown = types if len(types) <= most else _chosen(types, most)
    columns = {"done": [_done(each) for each in shown]}
    for name, count in _columns(standing):
        columns[name] = [f"{count(each):,}" if count(each) else "" for each in shown]
    widths = {name: max(len(name), *map(len, cells)) for name, cells in columns.items()}
    figures = sum(width + _GAP for width in widths.values())
    longest = max(cell_len(one_line(each.name)) for each in shown)
    room = surface.width - figures - 2
    name_width = max(_LEAST_NAME, min(_MOST_NAME, longest, room))
    middle = min(_MOST_BAR, room - name_width - _GAP) if live else 0
    middle = middle if middle >= _LEAST_BAR else 0
    gap = max(0, room - name_width - (middle + _GAP if middle else 0)) if not live else 0
    lines = [_header(widths, name_width + gap + (middle + _GAP if middle else 0))]
    for at, each in enumerate(shown):
        cells = [f"{columns[name][at]:>{width + _GAP}}" for name, width in widths.items()]
        lines.append(
            (
                Piece(f" {padded(one_line(each.name), name_width + gap)}"),
                *_middle(each, middle, surface),
                *(Piece(text, _style(name, each)) for name, text in zip(widths, cells, strict=True)),
            )
        )
    return [*lines, *_rest(types, shown, surface)]


def _columns(standing: Standing) -> list[Column]:
    """Return the columns that say something; while it runs, who runs is always said."""
    always = ("running",) if standing.state is RunState.RUNNING else ()
    return [
        (name, count)
        for name, count in _COUNTS
        if name in always or any(count(each) for each in standing.types)
    ]


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


def _header(widths: dict[str, int], name_width: int) -> Line:
    figures = "".join(f"{name:>{width + _GAP}}" for name, width in widths.items())
    return Piece(" Tasks", "title"), Piece(" " * (name_width - 5)), Piece(figures, "label")


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
