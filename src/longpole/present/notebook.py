"""A run in a notebook: a small piece of HTML that needs no script, no style sheet and no network."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from longpole.model.overview import Overview
from longpole.units import show_bytes, show_seconds

_MOST_PHASES = 8


def overview_html(overview: Overview) -> str:
    """Return the main figures of a run and its longest phases; all text in it is escaped."""
    head = f"<b>{escape(overview.name)}</b> <code>{escape(overview.run)}</code> {escape(_outcome(overview))}"
    rows = "".join(
        f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in _figures(overview)
    )
    return f"<div><p>{head}</p><table>{rows}</table>{_phases(overview)}</div>"


def _outcome(overview: Overview) -> str:
    if overview.exit_code is None:
        return str(overview.state)
    return "finished" if overview.exit_code == 0 else f"failed with exit code {overview.exit_code}"


def _figures(overview: Overview) -> Iterator[tuple[str, str]]:
    yield "command", overview.command
    if overview.makespan_s is not None:
        yield "makespan", show_seconds(overview.makespan_s)
    yield "processes", f"{overview.processes:,}"
    if overview.cpu_user_s is not None and overview.cpu_system_s is not None:
        yield "CPU", show_seconds(overview.cpu_user_s + overview.cpu_system_s)
    sizes = (
        ("peak memory", overview.peak_memory_bytes),
        ("read", overview.read_bytes),
        ("written", overview.written_bytes),
    )
    yield from ((name, show_bytes(size)) for name, size in sizes if size is not None)
    for kind in ("training", "inference"):
        uses = [use for use in overview.steps if use.kind == kind]
        if uses:
            count, total_s = sum(use.count for use in uses), sum(use.total_s or 0.0 for use in uses)
            yield f"{kind} steps", f"{count:,}, {show_seconds(total_s / max(1, count))} each"


def _phases(overview: Overview) -> str:
    longest = sorted(
        (phase for phase in overview.phases if not phase.in_steps), key=lambda phase: -phase.total_s
    )
    if not longest:
        return ""
    rows = "".join(
        f"<tr><td>{escape(phase.kind)}</td><td>{escape(phase.name)}</td><td>{phase.count:,}</td>"
        f"<td>{escape(show_seconds(phase.total_s))}</td><td>{100 * phase.share:.0f} %</td></tr>"
        for phase in longest[:_MOST_PHASES]
    )
    rest = len(longest) - _MOST_PHASES
    more = f"<p>{_MOST_PHASES} of {len(longest):,} kinds of phase</p>" if rest > 0 else ""
    head = "".join(f"<th>{name}</th>" for name in ("kind", "phase", "count", "time", "share"))
    return f"<table><tr>{head}</tr>{rows}</table>{more}"
