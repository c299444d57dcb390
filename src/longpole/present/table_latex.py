r"""A table of results as LaTeX: a ``table`` with the lines of booktabs, to be put into a paper.

The preamble needs ``\usepackage{booktabs}``; names of runs are escaped, so that any of them can be set.
"""

from __future__ import annotations

from collections.abc import Iterator

from longpole.model.result_table import Quantity, ResultTable
from longpole.model.text import one_line
from longpole.present.table_cells import MISSING, deviation_text, title_of, value_text

_ESCAPED = str.maketrans(
    {
        **{letter: f"\\{letter}" for letter in "&%$#_{}"},
        "\\": "\\textbackslash{}",
        "~": "\\textasciitilde{}",
        "^": "\\textasciicircum{}",
        "<": "\\textless{}",
        ">": "\\textgreater{}",
        "|": "\\textbar{}",
        '"': "\\textquotedbl{}",
        "±": "$\\pm$",
        # after the end of a line these two would be options of it
        "[": "{[}",
        "*": "{*}",
    }
)


def latex_table(table: ResultTable) -> str:
    """Return a table that floats, with its notes below it."""
    columns = "".join("l" if heading.quantity is Quantity.TEXT else "r" for heading in table.headings)
    lines = [
        "% needs \\usepackage{booktabs}",
        "\\begin{table}",
        "\\centering",
        "\\small",
        f"\\caption{{{_plain(table.title)}}}",
        f"\\begin{{tabular}}{{l{columns}}}",
        "\\toprule",
        _line([table.of, *map(title_of, table.headings)]),
        "\\midrule",
        *_rows(table),
        "\\bottomrule",
        "\\end{tabular}",
        *_notes(table),
        "\\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _rows(table: ResultTable) -> Iterator[str]:
    before = ""
    for row in table.rows:
        if row.section and row.section != before:
            if before:
                yield "\\addlinespace"
            yield f"\\multicolumn{{{len(table.headings) + 1}}}{{l}}{{\\emph{{{_plain(row.section)}}}}} \\\\"
        before = row.section
        cells = zip(row.figures, table.headings, strict=True)
        texts = [(value_text(*cell), deviation_text(*cell)) for cell in cells]
        shown = ("--" if value == MISSING else f"{value} ± {sd}" if sd else value for value, sd in texts)
        yield _line([row.name, *shown])


def _notes(table: ResultTable) -> Iterator[str]:
    said = [f"--: {', '.join(gap.columns)}: {gap.reason}." for gap in table.gaps]
    for at, sentence in enumerate([*said, *table.notes]):
        above = "\\smallskip" if at == 0 else ""
        yield f"\\par{above}\\footnotesize {_plain(sentence)}"


def _line(cells: list[str]) -> str:
    return f"{' & '.join(_plain(cell) for cell in cells)} \\\\"


def _plain(text: str) -> str:
    return one_line(text).translate(_ESCAPED)
