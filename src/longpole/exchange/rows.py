"""Rows of a run's tables while they come together: dicts by column, in the end columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from longpole.model.columns import Column, Columns, floats, integers, texts
from longpole.model.execution import TABLES, Metric, Scope, Source, Type

Row = dict[str, Any]
Rows = dict[str, list[Row]]
_MAKERS: dict[Type, Callable[[list[Any]], Column]] = {
    Type.INTEGER: integers,
    Type.FLOAT: floats,
    Type.TEXT: texts,
}


def as_columns(table: str, rows: list[Row]) -> Columns:
    """Return rows of a table as columns; what a row lacks is not known."""
    fields = [field for field in TABLES[table].fields if any(field.name in row for row in rows)]
    return Columns({one.name: _MAKERS[one.type]([row.get(one.name) for row in rows]) for one in fields})


def times(start_ns: int | None, end_ns: int | None) -> Row:
    """Return the columns of a phase that tell its times."""
    took = None if start_ns is None or end_ns is None else max(0, end_ns - start_ns)
    return {"start_ns": start_ns, "end_ns": end_ns, "duration_ns": took}


def total(phase: int, metric: Metric, value: float) -> Row:
    """Return what a phase has used, as somebody else tells."""
    return {
        "scope": Scope.PHASE.value,
        "owner": phase,
        "metric": metric.value,
        "value": value,
        "source": Source.DECLARED.value,
    }


def run_totals(totals: Iterable[Row], metrics: Iterable[Metric]) -> list[Row]:
    """Return what the run has used, as the sum over its phases; nothing of what no phase tells.

    Examples:
        >>> [
        ...     row["value"]
        ...     for row in run_totals([total(1, Metric.READ, 2.0), total(2, Metric.READ, 3.0)], Metric)
        ... ]
        [5.0]
    """
    sums: dict[str, float] = {}
    for row in totals:
        sums[row["metric"]] = sums.get(row["metric"], 0.0) + row["value"]
    known = [metric for metric in metrics if metric.value in sums]
    return [{**total(0, one, sums[one.value]), "scope": Scope.RUN.value, "owner": None} for one in known]
