"""``longpole doctor``: what this machine permits a recording to see."""

from __future__ import annotations

import click

SCHEMA_VERSION = 1


@click.command("doctor")
@click.option("--runs", default="", metavar="DIR", help="Where runs would be kept.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(*, runs: str, as_json: bool) -> None:
    """Try everything a recording can use on this machine, and say how to see more.

    Nothing is recorded and nothing is changed.
    """
    from longpole.record.permissions import permissions

    found = permissions(runs)
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": SCHEMA_VERSION, "permissions": found})
        return
    from longpole.present.permissions import show_permissions
    from longpole.present.terminal import terminal

    show_permissions(found, terminal())
