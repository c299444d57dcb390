"""``longpole ls``: which runs there are."""

from __future__ import annotations

import click

SCHEMA_VERSION = 1

EXAMPLES = """\b
Examples:
  longpole ls
  longpole ls --name train
  longpole ls --json | jq -r '.runs[] | select(.exit_code == 0).run'
"""


@click.command("ls", epilog=EXAMPLES)
@click.option("--name", default="", help="Only runs of this name.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, name: str, as_json: bool, runs: str) -> None:
    """List the runs, the newest last."""
    from longpole.app.listing import listed, table_of
    from longpole.store.selection import list_runs, runs_folder

    folder = runs_folder(runs)
    found = [listed(entry) for entry in list_runs(folder) if not name or entry.manifest.name == name]
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": SCHEMA_VERSION, "folder": str(folder), "runs": found})
    elif found:
        from longpole.app.tabular import wide_terminal, write_lines

        console = wide_terminal()
        write_lines(console, table_of(found, console.width))
    else:
        of_name = f" of the name '{name}'" if name else ""
        click.echo(f"There are no runs{of_name} in {folder}.", err=True)
