"""Findings: what costs time, ranked by what a change would save, with the evidence and what to change."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longpole.model.explanation import Explanation, Finding
from longpole.model.text import one_line
from longpole.present.tables import note
from longpole.present.words import counted, from_to, glued
from longpole.units import show_seconds

NOTHING = "Nothing found that would gain 1 % or more."
UNKNOWN = "No saving can be predicted: the run has no times."
# Room for a number, and for what stands before a line of a finding.
_NUMBER, _LABEL = 4, 6


def findings(explanation: Explanation, console: Console, most: int | None) -> Group:
    """Return the findings, at most so many of them; how many there are is said."""
    title = Text(" Findings", style="title")
    shown = explanation.findings[:most]
    if not shown:
        return Group(title, note(_none(explanation), style=""))
    parts: list[RenderableType] = []
    for number, finding in enumerate(shown, start=1):
        parts += [_head(number, finding, explanation.makespan_s, console), _body(finding), ""]
    if len(shown) < len(explanation.findings):
        every = counted(len(explanation.findings), "finding")
        parts.append(note(f"{len(shown)} of {every} shown; --all lists every one"))
    else:
        parts.pop()
    return Group(title, *parts)


def saving(finding: Finding, makespan_s: float | None) -> str:
    """Return what a change would save, as far as that is known.

    Examples:
        >>> one = Finding("r", "t", "p", 12.3, 8.0, 15.0, (), "", "")
        >>> saving(one, 59.0), saving(one, None)
        ('saves 12.3 s of 59.0 s (8.00 to 15.0 s)', 'saves 12.3 s (8.00 to 15.0 s)')
    """
    of = "" if makespan_s is None else f" of {show_seconds(makespan_s)}"
    between = from_to(finding.saving_low_s, finding.saving_high_s)
    said = f"saves {show_seconds(max(0.0, finding.saving_s))}{of}"
    return f"{said} ({between})" if between else said


def conclusion(explanation: Explanation) -> str:
    """Return the explanation of a run in one sentence: its first finding."""
    if not explanation.findings:
        return _none(explanation)
    first = explanation.findings[0]
    return f"{one_line(first.title)}: changing that {saving(first, explanation.makespan_s)}."


def _none(explanation: Explanation) -> str:
    return UNKNOWN if explanation.makespan_s is None else NOTHING


def _head(number: int, finding: Finding, makespan_s: float | None, console: Console) -> Table:
    """Return title and saving: side by side where there is room for both, else one below the other."""
    title, saved = Text(one_line(finding.title)), Text(glued(saving(finding, makespan_s)), style="good")
    grid = Table.grid(pad_edge=False)
    grid.add_column(width=_NUMBER, no_wrap=True, style="figure")
    grid.add_column(style="title")
    if _NUMBER + title.cell_len + 3 + saved.cell_len > console.width:
        grid.add_row(f" {number}", title)
        grid.add_row("", saved)
        return grid
    grid.expand = True
    grid.columns[1].ratio = 1
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(f" {number}", title, saved)
    return grid


def _body(finding: Finding) -> Padding:
    grid = Table.grid(padding=(0, 2, 0, 0), pad_edge=False)
    grid.add_column(style="label", no_wrap=True, min_width=_LABEL)
    grid.add_column()
    for label, text in _lines(finding):
        grid.add_row(Text(label), Text(glued(one_line(text))))
    return Padding(grid, (0, 0, 0, _NUMBER))


def _lines(finding: Finding) -> Iterator[tuple[str, str]]:
    if finding.phase:
        yield "where", finding.phase
    for at, sentence in enumerate(finding.evidence):
        yield ("seen" if at == 0 else ""), sentence
    if finding.advice:
        yield "change", finding.advice
    if finding.change:
        yield "replay", finding.change
