"""Where the time went, by phase and by process: tables, the largest first."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from longpole.model.overview import Overview, PhaseSum, ProcessUse
from longpole.present.blocks import bar
from longpole.present.imports import importing
from longpole.present.tables import WIDEST_BAR, cell, new_table, note, with_rest
from longpole.units import show_bytes, show_seconds

HOW_TO_MARK = 'No phases were marked. In Python: with longpole.phase("clean"): ...'
# Kinds of phase of which there are many names, each on a line or in a table of its own.
_ONE_ROW = {"import": "imports", "trial": "trials"}
_NO_SHARE = "steps and their parts take no share: they have a table of their own, and would count twice"


def phases(overview: Overview, console: Console, most_rows: int | None) -> RenderableType | None:
    """Return the time by phase, or how to mark phases if there are none and no steps or trials either.

    With ``most_rows`` imports and trials are one row each, and what the table of steps has is not repeated.
    """
    rows = overview.phases if most_rows is None else _in_one_screen(overview.phases)
    lines: list[RenderableType | None] = [importing(overview)]
    if any(phase.in_steps for phase in rows):
        lines.insert(0, note(_NO_SHARE))
    if rows:
        table = _phase_table(rows[:most_rows], console)
        lines.insert(0, with_rest(table, len(rows[:most_rows]), len(rows), "phases"))
    elif not (overview.steps or overview.trials or overview.told or overview.attached):
        lines.insert(0, note(HOW_TO_MARK))
    known = [line for line in lines if line is not None]
    return Group(*known) if known else None


def processes(overview: Overview, most_rows: int | None) -> RenderableType | None:
    """Return time, memory and bytes by process or program."""
    if not overview.process_list:
        return None
    shown = overview.process_list[:most_rows]
    table = new_table("Time by process", "wall", "CPU", "memory", "read", "written")
    for process in shown:
        table.add_row(cell(_process_name(process)), *_cells(process))
    total = sum(process.count for process in overview.process_list)
    return with_rest(table, sum(process.count for process in shown), total, "processes")


def _in_one_screen(phases: tuple[PhaseSum, ...]) -> tuple[PhaseSum, ...]:
    """Return what steps do not show already, imports and trials as one row each; imports alone are none."""
    others = [phase for phase in phases if not phase.in_steps]
    if all(phase.kind == "import" for phase in others):
        return ()
    rows = [phase for phase in others if phase.kind not in _ONE_ROW]
    for kind, name in _ONE_ROW.items():
        some = [phase for phase in others if phase.kind == kind]
        if some:
            count, total_s = sum(phase.count for phase in some), sum(phase.total_s for phase in some)
            rows.append(PhaseSum(name, name, count, total_s, sum(phase.share for phase in some)))
    return tuple(sorted(rows, key=lambda phase: -phase.total_s))


def _phase_table(shown: tuple[PhaseSum, ...], console: Console) -> Table:
    widest = max(phase.share for phase in shown) or 1.0
    width = min(WIDEST_BAR, console.width // 3)
    table = new_table("Time by phase", "share", "time", "times", middle=width)
    for phase in shown:
        drawn = bar(phase.share / widest, width, console.encoding)
        share = "" if phase.in_steps else f"{100 * phase.share:.1f} %"
        figures = (share, show_seconds(phase.total_s), f"{phase.count:,}")
        table.add_row(cell(_phase_name(phase)), Text(drawn, style="bar"), *figures)
    return table


def _phase_name(phase: PhaseSum) -> str:
    return phase.name if phase.kind in ("phase", phase.name) else f"{phase.name} ({phase.kind})"


def _process_name(process: ProcessUse) -> str:
    program, _, rest = (process.command or process.name).partition(" ")
    short = f"{program.rpartition('/')[2] or program} {rest}".strip()
    return short if process.count == 1 else f"{process.count:,} × {short}"


def _cells(process: ProcessUse) -> tuple[str, ...]:
    sizes = (process.peak_memory_bytes, process.read_bytes, process.written_bytes)
    cpu = "?" if process.cpu_s is None else show_seconds(process.cpu_s)
    return (show_seconds(process.wall_s), cpu, *("?" if size is None else show_bytes(size) for size in sizes))
