"""``longpole import``: a run of what another system has recorded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from longpole.errors import UsageError

if TYPE_CHECKING:
    from datetime import tzinfo

    from longpole.app.grafting import Grafted
    from longpole.model.told import Told

SCHEMA_VERSION = 1
_NAME_LETTERS = 200

EXAMPLES = """\b
Examples:
  longpole import --slurm 4711 4712        Two jobs, asked of sacct.
  longpole import --since 2026-11-01       All of your jobs since then.
  longpole import jobs.txt                 What sacct printed elsewhere.
  sacct --json -j 4711 | longpole import -
  longpole import my-workflow              Where Snakemake has run.
  longpole import montage.json             A WfFormat instance.
  longpole import rank*.json.gz            What torch.profiler exported.
  longpole import *.json.gz --into latest  Into the run in which it did so.
"""


@click.command("import", epilog=EXAMPLES)
@click.argument("what", nargs=-1, metavar="FILE...")
@click.option("--slurm", is_flag=True, help="What is given are ids of Slurm jobs: ask sacct about them.")
@click.option(
    "--since", default="", metavar="DATE", help="All Slurm jobs of yours since then (as sacct takes it)."
)
@click.option("--until", default="", metavar="DATE", help="With --since, only up to then.")
@click.option(
    "--wait",
    default=60.0,
    metavar="SECONDS",
    type=click.FloatRange(min=0.1, max=86400),
    show_default=True,
    help="Give up on sacct after so long.",
)
@click.option(
    "--timezone", default="", metavar="ZONE", help="Of times without one, e.g. Europe/Paris (default: here)."
)
@click.option(
    "--format",
    "form",
    default="",
    metavar="FORMAT",
    help="Of which form FILE is (default: as it shows itself).",
)
@click.option(
    "--into",
    default="",
    metavar="RUN",
    help="FILE is a trace that was written in this recorded run: put it there.",
)
@click.option("--name", default="", help="What to call the run (default: after what is in it).")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON about the run.")
def command(  # noqa: PLR0913  one per option
    *,
    what: tuple[str, ...],
    slurm: bool,
    since: str,
    until: str,
    wait: float,
    timezone: str,
    form: str,
    into: str,
    name: str,
    runs: str,
    as_json: bool,
) -> None:
    """Make a run of what another system has recorded.

    FILE is a trace of another system, packed with gzip or not; its form is recognised, and '-' is standard
    input. Or it is the working directory of a finished Snakemake workflow. The run can be shown, explained,
    asked and exported like any other; it says what the other system could not tell.
    """
    from dataclasses import replace

    from longpole.app.imports import keep
    from longpole.app.progress import progress
    from longpole.store.selection import runs_folder

    if into:
        if slurm or since or name:
            raise UsageError("--into takes traces, and no --slurm, --since or --name.")
        _graft(what, form, into, runs_folder(runs), as_json=as_json)
        return
    with progress("Importing", 2) as done:
        if slurm or since:
            told = _ask(_jobs(what, since), since, until, wait, name)
        else:
            told = _read(what, _zone(timezone), name, form)
        told = replace(told, name=told.name[:_NAME_LETTERS])  # a file may say anything
        done(1)
        path = keep(told, runs_folder(runs))
        done(1)
    _tell(told, path, as_json=as_json)


def _graft(files: tuple[str, ...], form: str, into: str, runs: Path, *, as_json: bool) -> None:
    """Put traces into the run in which they were written."""
    from longpole.app.grafting import graft
    from longpole.app.importers import read_files
    from longpole.model.told import Wishes
    from longpole.store.selection import find_run

    if not files or any(os.path.isdir(os.path.expanduser(file)) for file in files):
        raise UsageError("--into takes files: give the traces that were written in the run.")
    path = find_run(into, runs)
    found = graft({file: read_files([file], Wishes(), form) for file in dict.fromkeys(files)}, path)
    _tell_grafted(found, path, as_json=as_json)


def _jobs(what: tuple[str, ...], since: str) -> tuple[str, ...]:
    if not what and not since:
        raise UsageError("--slurm needs ids of jobs, as in '--slurm 4711 4712'.")
    odd = [job for job in what if not job.replace("_", "").replace("+", "").isdigit()]
    if odd:
        raise UsageError(f"'{odd[0]}' is not the id of a Slurm job.")
    return what


def _ask(jobs: tuple[str, ...], since: str, until: str, wait_s: float, name: str) -> Told:
    from longpole.app.sacct import ask_sacct
    from longpole.exchange.sacct import read_sacct

    return read_sacct([ask_sacct(jobs, since, until, wait_s)], name=name)


def _read(files: tuple[str, ...], zone: tzinfo | None, name: str, form: str) -> Told:
    from longpole.app.importers import read_files
    from longpole.model.told import Wishes

    if not files:
        raise UsageError("Give a file or directory, '--slurm JOBID...' or '--since DATE'.")
    if any(os.path.isdir(os.path.expanduser(file)) for file in files):
        return _read_folder(files, zone, name)
    return read_files(files, Wishes(name, zone), form)


def _read_folder(files: tuple[str, ...], zone: tzinfo | None, name: str) -> Told:
    from longpole.app.snakemake_folder import read_folder

    if len(files) > 1:
        raise UsageError("A directory is imported alone: give one at a time.")
    return read_folder(Path(files[0]).expanduser(), zone, name)


def _zone(name: str) -> tzinfo | None:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"There is no time zone '{name}' here; try one like Europe/Paris.") from error


def _tell_grafted(found: tuple[Grafted, ...], path: Path, *, as_json: bool) -> None:
    run = path.name.rpartition("-")[2]
    gaps = list(dict.fromkeys(gap for trace in found for gap in trace.gaps))
    if as_json:
        from longpole.app.json_output import write_json

        facts = {"schema_version": SCHEMA_VERSION, "run": run, "path": str(path)}
        write_json({**facts, "traces": [trace.facts() for trace in found], "gaps": gaps})
        return
    for trace in found:
        click.echo(f"{run}  {trace.sentence()}")
    for gap in gaps:
        click.echo(f"  {gap}", err=True)
    click.echo(f"'longpole explain {run}' explains it.", err=True)


def _tell(told: Told, path: Path, *, as_json: bool) -> None:
    facts = {
        "schema_version": SCHEMA_VERSION,
        "run": path.name.rpartition("-")[2],
        "path": str(path),
        "source": told.source,
        "rows": {name: rows.rows for name, rows in told.tables.items()},
        "gaps": told.gaps,
    }
    if as_json:
        from longpole.app.json_output import write_json

        write_json(facts)
        return
    counts = ", ".join(f"{rows.rows:,} {name}" for name, rows in told.tables.items() if rows.rows)
    click.echo(f"{facts['run']}  {told.name}: {counts}")
    for gap in told.gaps:
        click.echo(f"  {gap}", err=True)
    click.echo(f"'longpole show {facts['run']}' shows it.", err=True)
