"""``longpole rm``: remove runs by name."""

from __future__ import annotations

import click

SCHEMA_VERSION = 1

EXAMPLES = """\b
Examples:
  longpole rm 5100ba4e
  longpole rm 5100 61fe latest:trial
"""


@click.command("rm", epilog=EXAMPLES)
@click.argument("runs_to_remove", nargs=-1, required=True, metavar="RUN...")
@click.option("--force", is_flag=True, help="Remove a run that is still going, too.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, runs_to_remove: tuple[str, ...], force: bool, as_json: bool, runs: str) -> None:
    """Remove runs, at once and for good.

    RUN is as 'longpole show' takes it, but must lie in the folder of runs. If one of them cannot be removed,
    none is.
    """
    from longpole.app.removing import remove
    from longpole.store.selection import entry_of, find_run, runs_folder

    folder = runs_folder(runs)
    paths = dict.fromkeys(find_run(wanted, folder) for wanted in runs_to_remove)
    removed = remove([entry_of(path) for path in paths], folder, even_running=force)
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": SCHEMA_VERSION, "removed": removed})
