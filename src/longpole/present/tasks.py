"""Tasks of a run, by type: how many, how long they waited and ran, and how many failed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType

from longpole.model.overview import Overview, TaskUse
from longpole.present.tables import cell, new_table, note, with_rest
from longpole.present.words import counted
from longpole.units import show_bytes, show_seconds

# Columns that a terminal narrower than this has no room for.
_NEEDS = {"p50": 100, "p95": 76, "memory": 76, "never ran": 76}


def tasks(overview: Overview, console: Console, most_rows: int | None) -> RenderableType | None:
    """Return a row for each type of task; nothing if the run has none."""
    every = tuple(use for use in overview.tasks if not use.auxiliary)
    beside = [use for use in overview.tasks if use.auxiliary]
    if not every:
        return None
    chosen = _columns(every, console.width)
    table = new_table("Tasks", *chosen)
    for use in every[:most_rows]:
        cells = _cells(use)
        table.add_row(cell(use.type), *(cells[name] for name in chosen))
    told = with_rest(table, len(every[:most_rows]), len(every), "types of task")
    return Group(told, note(_auxiliary(beside))) if beside else told


def _auxiliary(beside: Sequence[TaskUse]) -> str:
    """Return on one line what the runner itself did."""
    jobs = counted(sum(use.tasks for use in beside), "auxiliary job")
    failed = sum(use.failed for use in beside)
    return f"and {jobs}{f', {failed:,} failed' if failed else ''}: {', '.join(use.type for use in beside)}"


def _columns(every: tuple[TaskUse, ...], width: int) -> list[str]:
    """Return the columns that say something, as far as there is room."""
    cells = [_cells(use) for use in every]
    fitting = [name for name in cells[0] if width >= _NEEDS.get(name, 0)]
    return [name for name in fitting if name in ("count", "ran") or any(one[name] for one in cells)]


def _cells(use: TaskUse) -> dict[str, str]:
    return {
        "count": f"{use.tasks:,}",
        "tries": f"{use.attempts:,}" if use.attempts > use.tasks else "",
        "failed": f"{use.failed:,}" if use.failed else "",
        "never ran": f"{use.never:,}" if use.never else "",
        "held": _time(use.hold_s),
        "in queue": _time(use.queue_s),
        "ran": _time(use.exec_s),
        "p50": _time(use.exec_p50_s),
        "p95": _time(use.exec_p95_s),
        "memory": "" if use.peak_memory_bytes is None else show_bytes(use.peak_memory_bytes),
    }


def _time(seconds: float | None) -> str:
    return show_seconds(seconds) if seconds else ""
