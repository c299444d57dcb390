"""The headline of a run: its name, how it ended and how long it took, what ran, and where."""

from __future__ import annotations

import signal

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from longpole.model.manifest import State
from longpole.model.overview import Overview
from longpole.model.text import visible
from longpole.present.terminal import shorten
from longpole.present.words import counted
from longpole.units import show_seconds


def headline(overview: Overview, console: Console) -> Group:
    """Return the first lines of a run."""
    top = Table.grid(expand=True)
    top.add_column(justify="left", no_wrap=True, overflow="ellipsis", ratio=1)
    top.add_column(justify="right", no_wrap=True)
    top.add_row(
        Text(f" {visible(overview.name)}", style="title"),
        Text(f"  {outcome(overview)} ", style=_style(overview)),
    )
    command = Text(f" {shorten(overview.command, console.width - 2)}")
    return Group(
        top, command, Text(f" {visible(_where(overview))}", "quiet", no_wrap=True, overflow="ellipsis")
    )


def outcome(overview: Overview) -> str:
    """Return how a run ended, and after how long.

    A run that is still going tells how far it is.
    """
    long = "an unknown time" if overview.makespan_s is None else show_seconds(overview.makespan_s)
    if overview.state == State.RUNNING:
        return f"still going, {long} so far"
    if overview.signal is not None:
        return f"killed by {_signal_name(overview.signal)} after {long}"
    if overview.state == State.BROKEN:
        return f"broken off after {long}"
    if overview.attached:
        return f"recorded for {long}"
    return _ended(overview, long)


def _ended(overview: Overview, long: str) -> str:
    if overview.commands_failed or overview.commands_cut:
        return f"finished in {long}, {_not_well(overview)}"
    if overview.jobs_failed or overview.jobs_cut:
        return f"{'failed' if overview.jobs_failed else 'stopped'} after {long}, {_jobs_not_well(overview)}"
    if overview.exit_code:
        return f"failed with exit code {overview.exit_code} after {long}"
    return f"finished in {long}"


def _not_well(overview: Overview) -> str:
    failed = f"{overview.commands_failed:,} failed" if overview.commands_failed else ""
    cut = f"{overview.commands_cut:,} broken off" if overview.commands_cut else ""
    of = counted(overview.commands, "command")
    return f"of {of} {' and '.join(filter(None, (failed, cut)))}"


def _jobs_not_well(overview: Overview) -> str:
    failed = f"{counted(overview.jobs_failed, 'job')} failed" if overview.jobs_failed else ""
    cut = f"{counted(overview.jobs_cut, 'job')} broken off" if overview.jobs_cut else ""
    return " and ".join(filter(None, (failed, cut)))


def _style(overview: Overview) -> str:
    if overview.state == State.RUNNING:
        return "warning"
    failed = overview.signal is not None or overview.exit_code or overview.state == State.BROKEN
    failed = failed or overview.commands_failed or overview.commands_cut
    failed = failed or overview.jobs_failed or overview.jobs_cut
    return "failure" if failed else "good"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _where(overview: Overview) -> str:
    own = [use.tasks for use in overview.tasks if not use.auxiliary]
    facts = [counted(sum(own), "task")] if own else []
    if not overview.told:
        facts.append(counted(overview.processes, "process", "processes"))
    if overview.cores:
        facts.append(f"{overview.cores} core{'s' if overview.cores > 1 else ''}")
    if overview.started:
        facts.append(f"{overview.started[:16].replace('T', ' ')} UTC")
    return ", ".join([*facts, f"run {overview.run}"])
