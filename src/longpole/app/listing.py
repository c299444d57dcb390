"""The list of runs: what is known of each without reading its log."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from shlex import join

from rich.console import JustifyMethod
from rich.table import Table
from rich.text import Text

from longpole.model.manifest import State
from longpole.model.text import visible
from longpole.present.terminal import shorten
from longpole.store.removal import run_bytes
from longpole.store.selection import RunEntry
from longpole.units import show_bytes, show_seconds

_COLUMNS: dict[str, JustifyMethod] = {
    "run": "left",
    "name": "left",
    "started": "right",
    "took": "right",
    "ended": "left",
    "size": "right",
    "command": "left",
}
_AGES = ((86400, "d"), (3600, "h"), (60, "min"))


@dataclass(frozen=True, slots=True)
class Listed:
    """One run as ``longpole ls --json`` has it."""

    run: str
    name: str
    started: str
    state: State
    exit_code: int | None
    signal: int | None
    makespan_s: float | None
    command: tuple[str, ...]
    user: int
    bytes: int
    path: str
    problem: str | None
    joint: bool = False
    series: str = ""


def listed(entry: RunEntry) -> Listed:
    """Return one run as data."""
    manifest = entry.manifest
    return Listed(
        run=manifest.id,
        name=manifest.name,
        started=manifest.started,
        state=entry.state,
        exit_code=manifest.exit_code,
        signal=manifest.signal,
        makespan_s=manifest.makespan_s,
        command=manifest.command,
        user=manifest.user,
        bytes=run_bytes(entry.path),
        path=str(entry.path),
        problem=entry.problem or None,
        joint=manifest.joint,
        series=manifest.series,
    )


def table_of(runs: Sequence[Listed], width: int) -> Table:
    """Return the list as a table, its commands cut to what fits in ``width``."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, justify in _COLUMNS.items():
        table.add_column(name, justify=justify, no_wrap=True)
    now = time.time()
    rows = [tuple(visible(cell) for cell in _cells(run, now)) for run in runs]
    taken = sum(
        2 + max(len(name), *(len(row[at]) for row in rows)) for at, name in enumerate(list(_COLUMNS)[:-1])
    )
    for *cells, command in rows:
        table.add_row(*map(Text, cells), Text(shorten(command, max(10, width - taken))))
    return table


def started_s(text: str) -> float | None:
    """Return when a run started, in seconds of UTC, if that can be read."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def older(entries: Sequence[RunEntry], span_s: float) -> list[RunEntry]:
    """Return the runs that are over and started, or were imported, longer ago than this.

    One of which that cannot be read goes by the age of its folder.
    """
    limit = time.time() - span_s
    return [entry for entry in entries if entry.state is not State.RUNNING and _began_s(entry) < limit]


def age(seconds: float) -> str:
    """Return how long ago something was, as people say it.

    Examples:
        >>> age(30), age(90), age(7500), age(900000)
        ('just now', '1 min ago', '2 h ago', '10 d ago')
    """
    for unit, name in _AGES:
        if seconds >= unit:
            return f"{int(seconds // unit)} {name} ago"
    return "just now"


def _began_s(entry: RunEntry) -> float:
    began = started_s(entry.manifest.made or entry.manifest.started)
    if began is not None:
        return began
    try:
        return entry.path.stat(follow_symlinks=False).st_mtime
    except OSError:
        return time.time()


def _cells(run: Listed, now: float) -> tuple[str, ...]:
    started = started_s(run.started)
    when = "?" if started is None else age(now - started)
    took = "" if run.makespan_s is None else show_seconds(run.makespan_s)
    command = run.problem or " ".join(join(run.command).split())
    return run.run, run.name, when, took, _ended(run), show_bytes(run.bytes), command


def _ended(run: Listed) -> str:
    if run.problem:
        return "damaged"
    if run.state is not State.FINISHED:
        return "running" if run.state is State.RUNNING else "broken off"
    if run.signal is not None:
        return f"signal {run.signal}"
    if run.joint and run.exit_code is None:
        return "joint"  # how its commands ended is in the log
    if run.exit_code is None:  # processes that already ran, whose end is told to others
        return "recorded"
    return f"exit {run.exit_code}" if run.exit_code else "ok"
