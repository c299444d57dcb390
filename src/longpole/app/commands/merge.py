"""``longpole merge``: one run of the parts that several nodes have recorded."""

from __future__ import annotations

import click

SCHEMA_VERSION = 1

EXAMPLES = """\b
Examples:
  longpole merge n1/runs/* n2/runs/*         The parts, gathered from two nodes.
  longpole merge --name nightly 5100 61fe    Two runs of the folder of runs.
"""


@click.command("merge", epilog=EXAMPLES)
@click.argument("parts", nargs=-1, required=True, metavar="RUN...")
@click.option("--name", default="", help="What to call the run (default: as the first of its parts).")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON about the run.")
def command(*, parts: tuple[str, ...], name: str, runs: str, as_json: bool) -> None:
    """Make one run of several that were recorded into one name.

    Where nodes share no folder of runs, 'longpole record --into NAME' makes a run on each. Gather these
    folders in one place and merge them. They stay as they are; remove them when the new run is what you want.
    """
    from longpole.app.merging import merge
    from longpole.store.selection import find_run, runs_folder

    folder = runs_folder(runs)
    path = merge(list(dict.fromkeys(find_run(part, folder) for part in parts)), name, folder)
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": SCHEMA_VERSION, "run": path.name.rpartition("-")[2], "path": str(path)})
    else:
        identity = path.name.rpartition("-")[2]
        click.echo(f"Merged {len(set(parts))} runs into {identity}. 'longpole show {identity}' shows it.")
