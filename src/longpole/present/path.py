"""The critical path as a list: what was on it, from when, and how long."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from rich.table import Table
from rich.text import Text

from longpole.model.explanation import Explanation, PathPart
from longpole.present.blamed import is_wait, named
from longpole.present.tables import cell, new_table
from longpole.units import show_seconds

# What is within a part of the path is told from this share of the path on, and so many of it.
_LEAST_SHARE, _MOST_WITHIN = 0.05, 5


def critical_path(explanation: Explanation, most: int | None) -> Table | None:
    """Return the path: its first part, its last, and the longest between, in the order of time.

    Parts that are not shown are counted where they would stand. Nothing if there is no path.
    """
    parts = merged(explanation.path)
    if not parts:
        return None
    kept = _kept(parts, most)
    told_s = 0.0 if most is None else _LEAST_SHARE * sum(part.seconds for part in parts)
    table = new_table("Critical path", "from", "time")
    for shown, run in groupby(range(len(parts)), key=lambda at: at in kept):
        here = [parts[at] for at in run]
        if shown:
            _add_parts(table, here, told_s)
        else:
            _add_gap(table, here)
    return table


def merged(path: tuple[PathPart, ...]) -> list[PathPart]:
    """Return the path with neighbours of one kind and name as one part."""
    found: list[PathPart] = []
    for part in path:
        last = found[-1] if found else None
        if last is not None and (last.what, last.kind) == (part.what, part.kind):
            took, count = last.seconds + part.seconds, last.count + part.count
            found[-1] = replace(last, seconds=took, count=count)
        else:
            found.append(part)
    return found


def _kept(parts: list[PathPart], most: int | None) -> set[int]:
    """Return which parts to show; to count one alone would take as much room."""
    every = range(len(parts))
    if most is None or len(parts) <= most:
        return set(every)
    longest = sorted(every[1:-1], key=lambda at: (-parts[at].seconds, at))
    kept = {0, every[-1], *longest[: max(0, most - 2)]}
    alone = {at for at in every[1:-1] if at - 1 in kept and at + 1 in kept}
    return kept | alone


def _add_parts(table: Table, parts: list[PathPart], told_s: float) -> None:
    """Add parts of the path; what is within one is told if that took so long."""
    for part in parts:
        label = cell(_called(part))
        label.stylize("quiet" if is_wait(part.kind) else "")
        table.add_row(label, show_seconds(part.start_s), show_seconds(part.seconds))
        largest = [inner for inner in part.parts[:_MOST_WITHIN] if inner.seconds >= told_s]
        for inner in sorted(largest, key=lambda one: one.start_s):
            label = Text.assemble("   ", cell(_called(inner)))
            table.add_row(label, show_seconds(inner.start_s), show_seconds(inner.seconds))


def _called(part: PathPart) -> str:
    name = named(part.what, part.kind)
    return name if part.count == 1 else f"{part.count:,} × {name}"


def _add_gap(table: Table, parts: list[PathPart]) -> None:
    took = show_seconds(sum(part.seconds for part in parts))
    table.add_row(Text(f"   {len(parts):,} more", style="quiet"), "", Text(took, style="quiet"))
