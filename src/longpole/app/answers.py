"""Answers to SQL on standard output: as a table for people, as JSON or CSV for programs."""

from __future__ import annotations

import sys

import click
import msgspec
from rich.table import Table
from rich.text import Text

from longpole.app.json_output import write_json
from longpole.app.tabular import wide_terminal, write_lines
from longpole.exchange.tables import Cell, chunks, write_csv
from longpole.model.execution import TABLES
from longpole.model.text import visible
from longpole.present.terminal import terminal
from longpole.store.asking import Answer


def write_table_rows(answer: Answer) -> None:
    """Write an answer as a table, and how many rows it leaves out."""
    console = wide_terminal()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, column in answer.columns.items():
        table.add_column(Text(visible(name)), justify="left" if column.words else "right", overflow="fold")
    for chunk in chunks(answer.columns):
        for row in chunk:
            table.add_row(*(Text(_cell(value)) for value in row))
    write_lines(console, table)
    shown = answer.columns.rows
    if shown < answer.total_rows:
        click.echo(f"{shown:,} of {answer.total_rows:,} rows; --limit 0 for all", err=True)


def write_json_rows(answer: Answer, schema_version: int) -> None:
    """Write an answer as JSON, one row a line."""
    names = list(answer.columns)
    head = {"schema_version": schema_version, "runs": answer.runs, "skipped": answer.skipped}
    facts = msgspec.json.encode({**head, "columns": names, "total_rows": answer.total_rows}).decode()
    sys.stdout.write(facts[:-1] + ',"rows":[')
    separator = "\n"
    for chunk in chunks(answer.columns):
        lines = [msgspec.json.encode(dict(zip(names, row, strict=True))).decode() for row in chunk]
        sys.stdout.write(separator + ",\n".join(lines))
        separator = ",\n"
    sys.stdout.write("\n]}\n")


def write_csv_rows(answer: Answer) -> None:
    """Write an answer as CSV."""
    write_csv(sys.stdout, answer.columns, lambda _rows: None)


def write_tables(schema_version: int | None) -> None:
    """Write which tables there are, and what their columns mean; as JSON if a version of it is given."""
    if schema_version is not None:
        write_json({"schema_version": schema_version, "tables": list(TABLES.values())})
        return
    console = terminal()
    for table in TABLES.values():
        grid = Table.grid(padding=(0, 2, 0, 0))
        for field in table.fields:
            grid.add_row(Text(f"  {field.name}"), Text(field.type.value, "quiet"), Text(field.meaning))
        console.print(Text.assemble((table.name, "title"), f"  {table.meaning}"))
        console.print(grid)
        console.print()


def _cell(value: Cell) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, int):
        return str(value)
    return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
