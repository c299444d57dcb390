"""``longpole table``: runs as a table, for a person, a paper or a spreadsheet."""

from __future__ import annotations

import sys

import click

from longpole.model.result_table import Like, ResultTable

EXAMPLES = """\b
Tables of the paper (Krawczuk et al. 2021), --like:
  I    models: size, parameters, trials, epochs, batch size
  II   placements: jobs, auxiliary jobs, files staged in and really moved
  III  jobs: bytes, CPU, memory, GPU and time of each kind
  IV   workflows: inputs, image, bytes, memory, CPU hours and GPU hours

\b
Examples:
  longpole table                     What each kind of job of the latest run used.
  longpole table 5f2a91c0 77ab30de   Two runs side by side, or as repeats.
  longpole table tiles-1 --like II   All runs of a series.
  longpole table --like III          As Table III of the paper has it.
  longpole table 5f2a91c0 77ab30de --like II --format latex > table.tex
"""
FORMATS = ("text", "markdown", "latex", "csv")


@click.command("table", epilog=EXAMPLES)
@click.argument("names", nargs=-1, metavar="[RUN]...")
@click.option(
    "--like",
    type=click.Choice([each.value for each in Like if each is not Like.PLAIN]),
    help="As a table of the paper: models, placements, jobs or workflows (default: a plain one).",
)
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to write it (default: text).")
@click.option("--json", "as_json", is_flag=True, help="Write JSON: all numbers in seconds and bytes.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, names: tuple[str, ...], like: str | None, form: str | None, as_json: bool, runs: str) -> None:
    """Show what runs used, as a table.

    RUN is an id or the beginning of one, a folder, 'latest' (the default) or 'latest:NAME', or the name of
    runs or of a series, or a pattern of such names: all of these. One run has a row for each kind of task, or
    program; several have one each. Runs of one workflow, placement and parameters are repeats: a row has
    their mean and standard deviation. What cannot be known is '-', and a line below says why. Of a damaged
    run all that is intact counts, with exit code 3.
    """
    if as_json and form:
        raise click.UsageError("Give --json or --format, not both.")
    from longpole.app.tables import table_of_runs

    table, damage = table_of_runs(names or ("latest",), Like(like or Like.PLAIN), runs)
    if as_json:
        from longpole.app.json_output import write_json
        from longpole.app.tables_json import table_json

        write_json(table_json(table))
    else:
        _write(table, form or "text")
    if damage is not None:
        raise damage


def _write(table: ResultTable, form: str) -> None:
    match form:
        case "text":
            from longpole.present.table_text import show_result_table
            from longpole.present.terminal import terminal

            show_result_table(table, terminal())
        case "markdown":
            from longpole.present.table_markdown import markdown_table

            sys.stdout.write(markdown_table(table))
        case "latex":
            from longpole.present.table_latex import latex_table

            sys.stdout.write(latex_table(table))
        case "csv":
            from longpole.present.table_csv import csv_table

            sys.stdout.write(csv_table(table))
