"""Where the time went, by phase and by process: tables, the largest first."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from longpole.model.overview import Overview, PhaseSum, ProcessUse
from longpole.model.text import visible
from longpole.present.terminal import bar
from longpole.units import show_bytes, show_seconds

HOW_TO_MARK = 'No phases were marked. In Python: with longpole.phase("clean"): ...'
_WIDEST_BAR = 24


def phases(overview: Overview, console: Console, most_rows: int | None) -> RenderableType:
    """Return the time by phase, or how to mark phases if there are none."""
    if not overview.phases:
        return Text(f" {HOW_TO_MARK}", style="quiet")
    shown = overview.phases[:most_rows]
    widest = max(phase.share for phase in shown) or 1.0
    width = min(_WIDEST_BAR, console.width // 3)
    table = _table("Time by phase", "share", "time", "times", middle=width)
    for phase in shown:
        drawn = bar(phase.share / widest, width, console.encoding)
        figures = (f"{100 * phase.share:.1f} %", show_seconds(phase.total_s), f"{phase.count:,}")
        table.add_row(_name(_phase_name(phase)), Text(drawn, style="bar"), *figures)
    return _with_rest(table, len(shown), len(overview.phases), "phases")


def processes(overview: Overview, most_rows: int | None) -> RenderableType | None:
    """Return time, memory and bytes by process or program."""
    if not overview.process_list:
        return None
    shown = overview.process_list[:most_rows]
    table = _table("Time by process", "wall", "CPU", "memory", "read", "written")
    for process in shown:
        table.add_row(_name(_process_name(process)), *_cells(process))
    total = sum(process.count for process in overview.process_list)
    return _with_rest(table, sum(process.count for process in shown), total, "processes")


def _table(title: str, *figures: str, middle: int = 0) -> Table:
    """Return a table as wide as the terminal: names take what the figures at its right leave."""
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="label", expand=True)
    table.add_column(Text(f" {title}", style="title"), no_wrap=True, overflow="ellipsis", ratio=1)
    if middle:
        table.add_column("", no_wrap=True, min_width=middle)
    for figure in figures:
        table.add_column(figure, justify="right", no_wrap=True)
    return table


def _with_rest(table: Table, shown: int, total: int, what: str) -> RenderableType:
    """Add how many there are, where not all are shown."""
    if shown >= total:
        return table
    return Group(table, Text(f" {shown:,} of {total:,} {what} shown; --all lists every one", style="quiet"))


def _name(text: str) -> Text:
    return Text(f" {visible(' '.join(text.split()))}", no_wrap=True, overflow="ellipsis")


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
