"""A comparison as text: what it says in sentences, then a table for each time, then what is against it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from longpole.model.comparison import Comparison, GroupTimes, MetricComparison
from longpole.model.text import one_line
from longpole.present.comparison_words import HEADS, interval, sentences, signed
from longpole.present.remarks import sentence_list
from longpole.present.tables import cell, new_table, note
from longpole.present.terminal import write_text
from longpole.present.words import counted, glued
from longpole.units import show_seconds

_MOST_LEFT_OUT = 3


def show_comparison(
    comparison: Comparison, console: Console, following: Sequence[str] = (), *, everything: bool = False
) -> None:
    """Print a comparison; without ``everything``, long lists are cut and what is left out is counted."""
    with console.capture() as capture:
        for section in _sections(comparison, following, everything=everything):
            console.print(section)
            console.print()
    write_text(console, capture.get())


def _sections(
    comparison: Comparison, following: Sequence[str], *, everything: bool
) -> Iterator[RenderableType]:
    yield _headline(comparison)
    yield _said(comparison)
    yield from (_table(one, comparison) for one in comparison.metrics)
    if any(one.shown for compared in comparison.metrics for one in compared.differences):
        yield note("* shown to differ")
    most = None if everything else _MOST_LEFT_OUT
    left_out = tuple(f"run {one.run} of '{one.group}': {one.why}." for one in comparison.left_out)
    if left_out:
        yield sentence_list("Left out", left_out, most, "warning")
    if comparison.doubts:
        yield sentence_list("Doubts", comparison.doubts, None, "warning")
    if following:
        yield sentence_list("Next", tuple(following), None, "")


def _headline(comparison: Comparison) -> Group:
    top = Table.grid(expand=True)
    top.add_column(justify="left", no_wrap=True, overflow="ellipsis", ratio=1)
    top.add_column(justify="right", no_wrap=True)
    runs = sum(times.n for times in comparison.deciding.groups)
    title = f" {one_line(comparison.title)}, by {one_line(comparison.by)}"
    top.add_row(Text(title, style="title"), Text(f"{counted(runs, 'run')} ", style="figure"))
    facts = _facts(comparison)
    return Group(top, *([Padding(Text(glued(facts), style="quiet"), (0, 0, 0, 1))] if facts else []))


def _facts(comparison: Comparison) -> str:
    several = len(comparison.deciding.groups) > 1
    facts = [f"against '{one_line(comparison.baseline)}'"] if several else []
    facts += [f"{100 * comparison.confidence:g} % confidence"] if several else []
    facts += ["in turns"] if several and comparison.interleaved else []
    drift = comparison.deciding.drift
    facts += [f"drift of {100 * drift:.1f} % taken out"] if several and drift is not None else []
    return ", ".join(facts)


def _said(comparison: Comparison) -> Table:
    grid = Table.grid(padding=(0, 1, 0, 0), pad_edge=False)
    grid.add_column(style="label", no_wrap=True, justify="right", min_width=3)
    grid.add_column()
    for number, sentence in enumerate(sentences(comparison), start=1):
        grid.add_row(f"{number}.", Text(glued(sentence)))
    return grid


def _table(compared: MetricComparison, comparison: Comparison) -> Table:
    several = bool(compared.differences)
    of_change = ("change", f"{100 * comparison.confidence:g} % interval") if several else ()
    table = new_table(HEADS[compared.metric], "n", "mean", "sd", *of_change)
    for times in compared.groups:
        table.add_row(*_row(times, compared))
    return table


def _row(times: GroupTimes, compared: MetricComparison) -> list[Text]:
    sd = "-" if times.sd_s is None else show_seconds(times.sd_s)
    row = [cell(times.group), Text(str(times.n)), Text(show_seconds(times.mean_s), "figure"), Text(sd)]
    if not compared.differences:
        return row
    one = compared.difference(times.group)
    if one is None:
        return [*row, Text(""), Text("")]
    mark = "*" if one.shown else " "
    return [*row, Text(f"{signed(one.ratio)}{mark}", "figure" if one.shown else ""), Text(interval(one))]
