"""``longpole query``: a run, or all runs, in SQL."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from longpole.store.asking import Answer

SCHEMA_VERSION = 1
TABLE_ROWS = 1000

EXAMPLES = """\b
Examples:
  longpole query latest "SELECT kind, name, sum(duration_ns) / 1e9 AS seconds
                         FROM phases GROUP BY ALL ORDER BY seconds DESC"
  longpole query 5100ba4e "FROM processes WHERE exit_status <> 0" --csv
  longpole query --all-runs "SELECT run, max(value) FROM totals
                             WHERE metric = 'peak_memory_bytes' GROUP BY run"
  longpole query --tables
"""


@click.command("query", epilog=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[RUN] SQL")
@click.option("--all-runs", is_flag=True, help="Ask all runs at once; each table then has a column 'run'.")
@click.option("--tables", is_flag=True, help="List the tables and what their columns mean.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--csv", "as_csv", is_flag=True, help="Write CSV.")
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    metavar="ROWS",
    help=f"Show at most so many rows; 0 for all (default: {TABLE_ROWS} in a table, all in JSON and CSV).",
)
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(  # noqa: PLR0913  one per option
    *,
    words: tuple[str, ...],
    all_runs: bool,
    tables: bool,
    as_json: bool,
    as_csv: bool,
    limit: int | None,
    runs: str,
) -> None:
    """Ask a run one SELECT statement, in DuckDB's SQL.

    RUN is an id or the beginning of one, a folder, 'latest' (the default) or 'latest:NAME'; '-' as SQL reads
    the statement from standard input. A query reads the tables of its run: it can neither change them nor
    reach any other file.
    """
    from longpole.app import answers

    if as_json and as_csv:
        raise click.UsageError("Give --json or --csv, not both.")
    if tables:
        answers.write_tables(SCHEMA_VERSION if as_json else None)
        return
    most = limit if limit is not None else 0 if as_json or as_csv else TABLE_ROWS
    answer = _ask(words, runs, most, all_runs=all_runs)
    for sentence in answer.skipped:
        click.echo(f"longpole: skipped {sentence}", err=True)
    if as_json:
        answers.write_json_rows(answer, SCHEMA_VERSION)
    elif as_csv:
        answers.write_csv_rows(answer)
    else:
        answers.write_table_rows(answer)
    if answer.damage is not None:
        raise answer.damage


def _ask(words: tuple[str, ...], runs: str, limit: int, *, all_runs: bool) -> Answer:
    from longpole.store.asking import ask_run, ask_runs
    from longpole.store.run import open_run
    from longpole.store.selection import find_run, list_runs, runs_folder

    folder = runs_folder(runs)
    run, sql = _run_and_statement(words, all_runs=all_runs)
    if all_runs:
        return ask_runs([entry.path for entry in list_runs(folder)], sql, limit)
    with open_run(find_run(run, folder)) as stored:
        return ask_run(stored, sql, limit)


def _run_and_statement(words: tuple[str, ...], *, all_runs: bool) -> tuple[str, str]:
    most = 1 if all_runs else 2
    if not words:
        raise click.UsageError("There is no SQL. Give a SELECT statement, or --tables to see what there is.")
    if len(words) > most:
        raise click.UsageError(
            "Give a run and one statement in quotes." if most == 2 else "Give one statement."
        )
    run = words[0] if len(words) == 2 else "latest"
    sql = sys.stdin.read() if words[-1] == "-" else words[-1]
    return run, sql
