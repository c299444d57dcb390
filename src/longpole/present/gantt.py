"""A run over time, in the terminal: a row of bars for each label, the axis, and how many ran at once."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from longpole.model.text import one_line
from longpole.model.timeline import Piece, Row, Timeline
from longpole.present.axis import axis_lines
from longpole.present.blocks import draws_blocks
from longpole.present.cells import ASCII, COLOUR, PLAIN, Chart, Look, drawn_row
from longpole.present.parallelism import chart_lines
from longpole.present.tables import note
from longpole.present.terminal import write_text
from longpole.present.words import counted

NOTHING = "No times are known, so there is nothing to draw."
_NARROWEST, _WIDEST = 8, 28


def show_timeline(timeline: Timeline, console: Console) -> None:
    """Print a run over time, as wide as the console; rows that are not shown are counted."""
    with console.capture() as capture:
        console.print(gantt(timeline, console))
    write_text(console, capture.get())


def gantt(timeline: Timeline, console: Console) -> RenderableType:
    """Return a run over time, to be printed among other things."""
    if not timeline.rows or timeline.length_s <= 0:
        return note(NOTHING)
    names = row_names(timeline.rows)
    width = _label_width(names, console.width)
    chart = Chart(timeline.length_s, console.width - width - 4, _look(console))
    drawn = _drawn(timeline, chart)
    return Group(
        Text(" Over time", style="title"),
        *(_line(name, width, row) for name, row in zip(names, drawn, strict=True)),
        *_axis(width, chart),
        *_profile(timeline, width, chart),
        note(f"{timeline.peak:,} at once at most, {timeline.mean:.3g} on average"),
        *_legend(drawn, chart.look, console.width),
        *(note(line) for line in rest(timeline)),
    )


def row_names(rows: tuple[Row, ...]) -> list[str]:
    """Return what to call each row: nothing if it has the name of the row above."""
    kinds: dict[str, set[str]] = {}
    for row in rows:
        kinds.setdefault(row.label, set()).add(row.kind)
    names, above = [], None
    for row in rows:
        here = (row.label, row.kind)
        full = f"{row.label} ({row.kind})" if len(kinds[row.label]) > 1 else row.label
        names.append("" if here == above else one_line(full))
        above = here
    return names


def rest(timeline: Timeline) -> list[str]:
    """Return how many rows and bars are not shown, if any."""
    if not timeline.left_out:
        return []
    rows, bars = len(timeline.rows), timeline.shown_bars
    every, all_bars = rows + timeline.left_out, bars + timeline.left_out_bars
    return [f"{rows:,} of {counted(every, 'row')} shown, with {bars:,} of {counted(all_bars, 'bar')}"]


def _look(console: Console) -> Look:
    if not draws_blocks(console.encoding):
        return ASCII
    return PLAIN if console.no_color or console.color_system is None else COLOUR


def _label_width(names: list[str], width: int) -> int:
    longest = max(Text(name).cell_len for name in names)
    return min(max(longest, _NARROWEST), _WIDEST, max(_NARROWEST, width // 4))


def _drawn(timeline: Timeline, chart: Chart) -> list[Text]:
    critical: list[list[Piece]] = [[] for _ in timeline.rows]
    for piece in timeline.critical:
        critical[piece.row].append(piece)
    return [drawn_row(row.bars, pieces, chart) for row, pieces in zip(timeline.rows, critical, strict=True)]


def _line(name: str, width: int, drawn: Text) -> Text:
    label = Text(name)
    label.truncate(width, overflow="ellipsis", pad=True)
    return Text.assemble(" ", label, "  ", drawn, no_wrap=True)


def _axis(width: int, chart: Chart) -> list[Text]:
    lines = axis_lines(chart.length_s, chart.columns, blocks=chart.look is not ASCII)
    return [_line("", width, Text(line, style="quiet")) for line in lines]


def _profile(timeline: Timeline, width: int, chart: Chart) -> list[Text]:
    """Return the chart of how many ran at once; beside it, the most and 0."""
    lines = chart_lines(timeline, chart.columns, blocks=chart.look is not ASCII)
    beside = [f"{timeline.peak:>{width},}", "at once", *("" for _ in lines[3:]), f"{'0':>{width}}"]
    return [_line(name, width, Text(line, "bar")) for name, line in zip(beside, lines, strict=True)]


def _legend(drawn: list[Text], look: Look, width: int) -> list[Padding]:
    """Return what the marks mean that are there, on as many lines as it takes."""
    lines: list[Text] = []
    for mark, style, meaning in _meanings(drawn, look):
        entry = Text.assemble((mark, style), f" {meaning}")
        if lines and lines[-1].cell_len + 3 + entry.cell_len < width:
            lines[-1].append("   ").append_text(entry)
        else:
            lines.append(entry)
    return [Padding(line, (0, 0, 0, 1)) for line in lines]


def _meanings(drawn: list[Text], look: Look) -> list[tuple[str, str, str]]:
    """Return mark, style and meaning, where there is a critical path or something did not end well."""
    styles = {str(span.style) for row in drawn for span in row.spans}
    waits = any(look.wait in row.plain for row in drawn)
    every = (
        ("critical" in styles, look.critical.left[-1], "critical", "critical path"),
        (waits, look.wait, "critical", "its waits"),
        ({"critical", "bar"} <= styles, look.bar.left[-1], "bar", "other work"),
        ("failure" in styles, look.failed, "failure", "failed"),
        ("warning" in styles, look.unfinished, "warning", "unfinished"),
    )
    return [(mark, style, meaning) for there, mark, style, meaning in every if there]
