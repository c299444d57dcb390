"""``longpole export``: a run for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

FORMS = ("csv", "parquet", "perfetto", "wfformat")
SCHEMA_VERSION = 1
_ENDINGS = {"perfetto": ".pftrace", "wfformat": ".json"}


@click.command("export")
@click.argument("run", default="latest")
@click.option("--to", "--format", "form", type=click.Choice(FORMS), required=True, help="The form to write.")
@click.option(
    "--out", "-o", type=click.Path(path_type=Path), help="Where to (default: here, by the run's name)."
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON about what was written.")
def command(*, run: str, form: str, out: Path | None, force: bool, runs: str, as_json: bool) -> None:  # noqa: PLR0913  one per option
    """Write a run for other tools.

    csv and parquet are a folder with one file per table; perfetto is one file for ui.perfetto.dev;
    wfformat is one instance of WfFormat 1.5, of a run with tasks. RUN is as 'longpole show' takes it.
    """
    from longpole.app import exports
    from longpole.store.run import open_run
    from longpole.store.selection import find_run, runs_folder

    write = {
        "csv": exports.export_csv,
        "parquet": exports.export_parquet,
        "perfetto": exports.export_perfetto,
        "wfformat": exports.export_wfformat,
    }
    with open_run(find_run(run, runs_folder(runs))) as stored:
        target = _target(stored.path.name, form, out)
        written = write[form](stored, target, force=force)
        facts = {"schema_version": SCHEMA_VERSION, "run": stored.manifest.id, "to": form, "path": str(target)}
        _tell({**facts, "written": written}, as_json=as_json)
        stored.check_whole()


def _tell(facts: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json

        write_json(facts)
        return
    amounts = [f"{amount:,} {what.replace('_', ' ')}" for what, amount in facts["written"].items() if amount]
    click.echo(f"{facts['path']}: {', '.join(amounts) or 'nothing'}")


def _target(name: str, form: str, out: Path | None) -> Path:
    if out is not None:
        return out.expanduser().absolute()
    return Path.cwd() / f"{name}{_ENDINGS.get(form, f'-{form}')}"
