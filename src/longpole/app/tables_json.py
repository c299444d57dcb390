"""A table of results as JSON: all numbers in seconds, bytes, hours and per cent."""

from __future__ import annotations

from longpole.model.result_table import Heading, ResultTable, Row

SCHEMA_VERSION = 1


def table_json(table: ResultTable) -> dict[str, object]:
    """Return a table for ``--json``."""
    return {
        "schema_version": SCHEMA_VERSION,
        "like": table.like,
        "title": table.title,
        "runs": table.runs,
        "columns": [
            {"name": heading.name, "title": heading.title, "unit": heading.quantity or None}
            for heading in table.headings
        ],
        "rows": [_row(row, table.headings) for row in table.rows],
        "missing": [{"columns": gap.columns, "reason": gap.reason} for gap in table.gaps],
        "notes": table.notes,
    }


def _row(row: Row, headings: tuple[Heading, ...]) -> dict[str, object]:
    cells = zip(headings, row.figures, strict=True)
    return {
        "section": row.section or None,
        "name": row.name,
        "values": {heading.name: {"mean": each.value, "sd": each.sd} for heading, each in cells},
    }
