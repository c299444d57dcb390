"""``longpole gc``: remove runs that are old."""

from __future__ import annotations

import click

SCHEMA_VERSION = 1

EXAMPLES = """\b
Examples:
  longpole gc --older-than 30d --dry-run
  longpole gc --older-than 12h --name trial
"""


@click.command("gc", epilog=EXAMPLES)
@click.option(
    "--older-than", required=True, metavar="SPAN", help="How old a run must be, e.g. 30d, 12h or 90min."
)
@click.option("--name", default="", help="Only runs of this name.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, older_than: str, name: str, dry_run: bool, as_json: bool, runs: str) -> None:
    """Remove runs that started, or were imported, longer ago than this; never one that is still going."""
    from longpole.app.listing import older
    from longpole.app.removing import removable, remove
    from longpole.store.selection import list_runs, runs_folder
    from longpole.units import parse_span, show_bytes

    folder = runs_folder(runs)
    entries = list_runs(folder)
    old = [
        entry for entry in older(entries, parse_span(older_than)) if not name or entry.manifest.name == name
    ]
    removed = removable(old) if dry_run else remove(old, folder)
    size = sum(run.bytes for run in removed)
    if as_json:
        from longpole.app.json_output import write_json

        facts = {"schema_version": SCHEMA_VERSION, "dry_run": dry_run, "kept": len(entries) - len(removed)}
        write_json({**facts, "bytes": size, "removed": removed})
        return
    for run in removed if dry_run else ():
        click.echo(run.path)
    verb = "would be removed" if dry_run else "removed"
    click.echo(f"{len(removed)} of {len(entries)} runs {verb}, {show_bytes(size)}.", err=True)
