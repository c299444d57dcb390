"""The explanation of a run as text: the answers first, then what they rest on."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longpole.model.explanation import Explanation, Questions
from longpole.model.text import one_line
from longpole.model.timeline import Timeline
from longpole.present.blamed import blamed
from longpole.present.bounds import bounded
from longpole.present.findings import findings
from longpole.present.gantt import gantt
from longpole.present.path import critical_path
from longpole.present.remarks import sentence_list
from longpole.present.structure import replayed, structure, unit_of
from longpole.present.terminal import write_text
from longpole.present.words import glued
from longpole.units import show_seconds

_QUESTIONS = (
    ("impact", "Which steps have the biggest impact?"),
    ("resources", "What would more or faster resources change?"),
    ("efficiency", "Are the expensive resources used well?"),
)
_NO_ANSWER = "Nothing can be said: see the limits."
_MOST_FINDINGS, _MOST_PARTS, _MOST_LIMITS = 5, 6, 3


def show_explanation(
    explanation: Explanation,
    console: Console,
    *,
    most_rows: int | None = 8,
    timeline: Timeline | None = None,
) -> None:
    """Print a run, explained.

    Args:
        explanation: The run.
        console: Where to.
        most_rows: How many rows the makespan is told apart in; None for everything, in all sections. What is
            left out is counted.
        timeline: The run over time, to be drawn between; not drawn if None.
    """
    with console.capture() as capture:
        for section in _sections(explanation, console, most_rows, timeline):
            console.print(section)
            console.print()
    write_text(console, capture.get())


def _sections(
    explanation: Explanation, console: Console, most_rows: int | None, timeline: Timeline | None
) -> Iterator[RenderableType]:
    everything = most_rows is None
    yield _headline(explanation)
    yield _answers(explanation.questions)
    yield findings(explanation, console, None if everything else _MOST_FINDINGS)
    yield blamed(explanation, console, most_rows)
    bounds = bounded(explanation.bounds[:most_rows], console)
    if bounds is not None:
        yield bounds
    path = critical_path(explanation, None if everything else _MOST_PARTS)
    if path is not None:
        yield path
    if timeline is not None:
        yield gantt(timeline, console)
    yield _foot(explanation, None if everything else _MOST_LIMITS)


def _headline(explanation: Explanation) -> Group:
    took = explanation.makespan_s
    long = "took an unknown time" if took is None else f"took {show_seconds(took)}"
    top = Table.grid(expand=True)
    top.add_column(justify="left", no_wrap=True, overflow="ellipsis", ratio=1)
    top.add_column(justify="right", no_wrap=True)
    top.add_row(Text(f" {one_line(explanation.name)}", style="title"), Text(f"  {long} ", style="figure"))
    return Group(top, Padding(Text(one_line(_facts(explanation)), style="quiet"), (0, 0, 0, 1)))


def _facts(explanation: Explanation) -> str:
    facts = [unit_of(explanation, explanation.tasks), _parallel(explanation), f"run {explanation.run}"]
    if explanation.told_by:
        facts.append(f"told by {', '.join(explanation.told_by)}")
    return ", ".join(facts)


def _parallel(explanation: Explanation) -> str:
    mean, peak = explanation.parallelism_mean, explanation.parallelism_peak
    if mean is None or peak is None:
        return "how many at once is not known"
    return f"{mean:.3g} at once on average, {peak:,} at most"


def _answers(questions: Questions) -> Group:
    parts: list[RenderableType] = []
    for name, question in _QUESTIONS:
        answer = one_line(getattr(questions, name)) or _NO_ANSWER
        parts.append(Padding(Text(question, style="title"), (0, 0, 0, 1)))
        parts.append(Padding(Text(glued(answer)), (0, 1, 0, 3)))
    return Group(*parts)


def _foot(explanation: Explanation, most: int | None) -> Group:
    limits = explanation.limits or ("None that is known of.",)
    return Group(
        sentence_list("Structure", structure(explanation), None, ""),
        sentence_list("Replay", (replayed(explanation),), None, ""),
        sentence_list("Limits", limits, most, "quiet"),
    )
