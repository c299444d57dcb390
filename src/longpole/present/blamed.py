"""Where the makespan went: what it is made of, the largest first, in shares that sum to 100 %."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from longpole.model.explanation import Blame, Explanation
from longpole.present.blocks import bar, draws_blocks
from longpole.present.tables import WIDEST_BAR, cell, new_table, note
from longpole.units import show_seconds

UNKNOWN = "Where the makespan went is not known: the run has no times."
_WAITS = {
    "queue": "in the queue",
    "dependency": "held by what it needs",
    "dispatch": "on its way to a slot",
}
_IDLE = "idle"
_OTHERS = "others"
_THOUSAND = 1000
# A narrower terminal has no room for bars, nor for a long title.
_NARROW = 60


def blamed(explanation: Explanation, console: Console, most: int | None) -> RenderableType:
    """Return what the makespan is made of; beyond ``most`` rows the rest is one row."""
    if not any(part.seconds > 0 for part in explanation.blame):
        return note(UNKNOWN)
    rows = _with_rest(explanation.blame, most)
    width = 0 if console.width < _NARROW else min(WIDEST_BAR, console.width // 4)
    table = new_table("Where the makespan went" if width else "Makespan", "share", "time", middle=width)
    widest = max(row.seconds for row in rows)
    for row, share in zip(rows, per_thousand([row.seconds for row in rows]), strict=True):
        drawn = [_bar(row, row.seconds / widest, width, console)] if width else []
        figures = (f"{share / 10:.1f} %", show_seconds(row.seconds))
        table.add_row(cell(named(row.what, row.kind)), *drawn, *figures)
    return table


def named(what: str, kind: str) -> str:
    """Return what a part of the makespan is, in words.

    Examples:
        >>> named("train", "queue"), named("epoch", "epoch"), named("load", "data"), named("clean", "phase")
        ('train, in the queue', 'epoch', 'load (data)', 'clean')
    """
    if kind in _WAITS:
        return f"{what}, {_WAITS[kind]}"
    return what if kind in ("phase", what, _IDLE, _OTHERS) else f"{what} ({kind})"


def is_wait(kind: str) -> bool:
    """Return whether a part of the makespan is no work."""
    return kind in _WAITS or kind == _IDLE


def per_thousand(parts: Sequence[float]) -> list[int]:
    """Return shares that sum to 1000, each less than one away from what it is (largest remainders).

    Examples:
        >>> per_thousand([1.0, 1.0, 1.0]), per_thousand([])
        ([334, 333, 333], [])
    """
    total = sum(parts)
    if total <= 0:
        return [0 for _ in parts]
    exact = [_THOUSAND * part / total for part in parts]
    found = [int(share) for share in exact]
    by_remainder = sorted(range(len(parts)), key=lambda at: (found[at] - exact[at], at))
    for at in by_remainder[: max(0, _THOUSAND - sum(found))]:
        found[at] += 1
    return found


def _with_rest(blame: tuple[Blame, ...], most: int | None) -> list[Blame]:
    """Return the largest parts, and one that stands for all others."""
    largest = sorted(blame, key=lambda part: -part.seconds)
    shown = largest[:most]
    left = largest[len(shown) :]
    if left:
        what = f"{len(left):,} other{'s' if len(left) > 1 else ''}"
        shown.append(Blame(what, _OTHERS, sum(part.seconds for part in left)))
    return shown


def _bar(row: Blame, share: float, width: int, console: Console) -> Text:
    """Return a bar; that of a wait is light, so that it is told from work without colour."""
    if not is_wait(row.kind):
        return Text(bar(share, width, console.encoding), style="bar")
    light = "░" if draws_blocks(console.encoding) else "."
    return Text(light * max(1, round(share * width)), style="bar")
