"""A table of results as Markdown, as GitHub and MkDocs read it."""

from __future__ import annotations

from collections.abc import Iterator

from longpole.model.result_table import Heading, Quantity, ResultTable
from longpole.model.text import one_line
from longpole.present.table_cells import MISSING, deviation_text, title_of, value_text

# What Markdown would take for more than a letter.
_ESCAPED = str.maketrans({letter: f"\\{letter}" for letter in "\\`*_[]<>|#~"})


def markdown_table(table: ResultTable) -> str:
    """Return a table, with its title before it and what must be said after it."""
    lines = [f"**{_plain(table.title)}**", "", *_rows(table), ""]
    lines += [f"- `{MISSING}` {_plain(', '.join(gap.columns))}: {_plain(gap.reason)}." for gap in table.gaps]
    lines += [f"- {_plain(note)}" for note in table.notes]
    return "\n".join(lines).rstrip("\n") + "\n"


def _rows(table: ResultTable) -> Iterator[str]:
    yield _line([table.of, *map(title_of, table.headings)])
    yield _line(["---", *(_rule(heading) for heading in table.headings)], escaped=True)
    before = ""
    for row in table.rows:
        if row.section and row.section != before:
            yield _line([f"**{_plain(row.section)}**", *("" for _ in table.headings)], escaped=True)
        before = row.section
        cells = zip(row.figures, table.headings, strict=True)
        texts = [(value_text(*cell), deviation_text(*cell)) for cell in cells]
        yield _line([row.name, *(f"{value} ± {sd}" if sd else value for value, sd in texts)])


def _rule(heading: Heading) -> str:
    return "---" if heading.quantity is Quantity.TEXT else "---:"


def _line(cells: list[str], *, escaped: bool = False) -> str:
    return f"| {' | '.join(cell if escaped else _plain(cell) for cell in cells)} |"


def _plain(text: str) -> str:
    return one_line(text).translate(_ESCAPED)
