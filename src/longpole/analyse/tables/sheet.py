"""A table that is being made: rows are added one by one, and it says itself why figures are missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from longpole.analyse.tables.measures import Gaps, Measure, figures, in_scale
from longpole.analyse.tables.repeats import Repeats, doubts
from longpole.model.result_table import Figure, Heading, Like, Quantity, ResultTable, Row

Item = TypeVar("Item")
N = Heading("n", "n", Quantity.COUNT)
_DEVIATION = "± is the standard deviation over n runs."


class Sheet(Generic[Item]):
    """A table of items of one sort; a column of how many repeats there are comes first if there are any."""

    def __init__(self, measures: Sequence[Measure[Item]], groups: Sequence[Repeats]) -> None:
        """Begin one with these columns, of these runs."""
        self._measures, self._groups = measures, groups
        self._repeated = any(group.n > 1 for group in groups)
        self._gaps = Gaps()
        self._rows: list[Row] = []

    def add(self, section: str, name: str, items: Sequence[Item]) -> None:
        """Add a row that stands for items of repeats."""
        cells = figures(self._measures, items, self._gaps)
        count = (Figure(float(len(items))),) if self._repeated else ()
        self._rows.append(Row(section, name, (*count, *cells)))

    def finished(self, like: Like, title: str, of: str, notes: Iterable[str] = ()) -> ResultTable:
        """Return the table."""
        own = [measure.heading for measure in self._measures]
        headings = [N, *own] if self._repeated else own
        deviation = [_DEVIATION] if any(each.sd for row in self._rows for each in row.figures) else []
        return ResultTable(
            like=like,
            title=title,
            of=of,
            runs=tuple(
                result.times.run for group in self._groups for result in (*group.runs, *group.left_out)
            ),
            headings=in_scale(headings, [row.figures for row in self._rows]),
            rows=tuple(self._rows),
            gaps=self._gaps.all(),
            notes=(*deviation, *dict.fromkeys(notes), *doubts(self._groups)),
        )
