"""Steps of training and inference: a row for each rank or process, with a bar of what its steps went into.

Every part has a mark of its own, so that bars can be read without colour. A line under them names the marks,
with the share of each part over all rows, those that are not shown included.
"""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from longpole.model.overview import Overview, StepUse
from longpole.model.text import one_line
from longpole.present.blocks import draws_blocks
from longpole.present.tables import cell, new_table, note, with_rest
from longpole.units import show_seconds

_TITLES = {"training": "Training steps", "inference": "Inference steps"}
_BLOCKS = {"data": "░", "forward": "▒", "backward": "▓", "optimizer": "█", "checkpoint": "▚", "other": "·"}
_LETTERS = {"data": "d", "forward": "f", "backward": "b", "optimizer": "o", "checkpoint": "c", "other": "."}
# What hooks call a step of training: not worth a word in a table of these.
_USUAL_NAME = "step"
_WORTH_SAYING = 0.1
_NARROWEST_BAR, _WIDEST_BAR, _BESIDE_BAR = 8, 40, 48


def steps(overview: Overview, kind: str, console: Console, most_rows: int | None) -> RenderableType | None:
    """Return the steps of one kind, training or inference; nothing if there are none."""
    uses = sorted((use for use in overview.steps if use.kind == kind), key=_order)
    if not uses:
        return None
    labels, parts = _labels(uses), _together(uses)
    shown = len(uses[:most_rows])
    table = _table(kind, uses[:most_rows], labels, console)
    lines = [with_rest(table, shown, len(uses), _what_rows_are(uses))]
    if shown < len(uses):
        lines += _slowest(uses, labels)
    lines += [note(line) for line in _legend(parts, console)]
    if kind == "training":
        lines += _readings(parts)
    return Group(*lines)


def stacked_bar(parts: dict[str, float], width: int, encoding: str) -> str:
    """Return a bar of ``width`` marks: of each part as many as its share asks for.

    Examples:
        >>> stacked_bar({"data": 1.0, "forward": 2.0, "other": 1.0}, 8, "utf-8")
        '░░▒▒▒▒··'
        >>> stacked_bar({"data": 1.0, "backward": 1.0}, 8, "ascii")
        'ddddbbbb'
    """
    marks, total = _marks(encoding), sum(parts.values())
    drawn, reached = "", 0.0
    for part, seconds in parts.items():
        reached += seconds
        drawn += marks[part] * (round(width * reached / total) - len(drawn) if total > 0 else 0)
    return drawn


def _what_rows_are(uses: list[StepUse]) -> str:
    if len({use.process for use in uses}) < len(uses):
        return "rows"
    return "ranks" if all(use.rank is not None for use in uses) else "processes"


def _order(use: StepUse) -> tuple[bool, int, int, str]:
    return use.rank is None, use.rank or 0, use.process or 0, use.name


def _labels(uses: list[StepUse]) -> dict[StepUse, str]:
    """Return what to call each row: its rank, else its process if there are several, and an unusual name."""
    several = len({use.process for use in uses}) > 1
    return {use: _label(use, several_processes=several) for use in uses}


def _label(use: StepUse, *, several_processes: bool) -> str:
    words = [use.name] if use.name != _USUAL_NAME else []
    if use.rank is not None:
        words.append(f"rank {use.rank}")
    elif several_processes:
        words.append("an unknown process" if use.pid is None else f"pid {use.pid}")
    return ", ".join(words) or use.name


def _table(kind: str, shown: list[StepUse], labels: dict[StepUse, str], console: Console) -> Table:
    width = min(_WIDEST_BAR, max(_NARROWEST_BAR, console.width - _BESIDE_BAR))
    table = new_table(_TITLES[kind], "steps", "mean", "p95", middle=width)
    for use in shown:
        drawn = stacked_bar(_together([use]), width, console.encoding)
        figures = (f"{use.count:,}", _seconds(use.mean_s), _seconds(use.p95_s))
        table.add_row(cell(labels[use]), Text(drawn, style="bar"), *figures)
    return table


def _together(uses: list[StepUse]) -> dict[str, float]:
    """Return the seconds of each part over all these steps, as far as they are known."""
    found: dict[str, float] = {}
    for use in uses:
        for part, seconds in use.parts.items():
            if seconds is not None and use.other_s is not None:
                found[part] = found.get(part, 0.0) + seconds
    return found


def _legend(parts: dict[str, float], console: Console) -> list[str]:
    """Return the marks with their names and shares, on as many lines as it takes."""
    marks, total = _marks(console.encoding), sum(parts.values())
    lines: list[str] = []
    for part, seconds in parts.items():
        if not seconds or not total:
            continue
        entry = f"{marks[part]} {part} {_percent(seconds / total)}"
        if lines and len(lines[-1]) + 3 + len(entry) < console.width:
            lines[-1] += f"   {entry}"
        else:
            lines.append(entry)
    return lines


def _slowest(uses: list[StepUse], labels: dict[StepUse, str]) -> list[RenderableType]:
    """Tell the range of the means: the slowest row may be one that is not shown."""
    known = sorted((use.mean_s, labels[use]) for use in uses if use.mean_s is not None)
    if len(known) < 2:
        return []
    (low, fast), (high, slow) = known[0], known[-1]
    return [note(one_line(f"means from {show_seconds(low)} ({fast}) to {show_seconds(high)} ({slow})"))]


def _readings(parts: dict[str, float]) -> list[RenderableType]:
    """Tell what of the steps was no training, where it is much."""
    total = sum(parts.values())
    said = {"data": "waited for data", "checkpoint": "went into checkpoints"}
    return [
        note(f"{_percent(parts[part] / total)} of step time {what}", style="")
        for part, what in said.items()
        if total and parts.get(part, 0.0) >= _WORTH_SAYING * total
    ]


def _marks(encoding: str) -> dict[str, str]:
    return _BLOCKS if draws_blocks(encoding) else _LETTERS


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.005 else "<1 %"


def _seconds(seconds: float | None) -> str:
    return "?" if seconds is None else show_seconds(seconds)
