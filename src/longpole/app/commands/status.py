"""``longpole status``: where a run of a workflow stands."""

from __future__ import annotations

import click

from longpole.errors import UsageError

EXAMPLES = """\b
Examples:
  longpole status                    The latest run of a workflow.
  longpole status 5f2a91c0 --watch   Look on until it ends.
  longpole status --json | jq .state
"""


@click.command("status", epilog=EXAMPLES)
@click.argument("run", default="")
@click.option("--watch", is_flag=True, help="Look on until it ends.")
@click.option("--all", "everything", is_flag=True, help="List every type of task.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, run: str, watch: bool, everything: bool, as_json: bool, runs: str) -> None:
    """Show where a workflow stands that runs, or ran.

    RUN is an id or the beginning of one, a folder, or 'latest:NAME'; the default is the latest run of a
    workflow. It is read from what the driver writes down, and does not disturb it.
    """
    if watch and as_json:
        raise UsageError("--watch draws where the run stands, --json writes it once: give one of them.")
    from longpole.app.standing import standing_in, workflow_run
    from longpole.store.selection import runs_folder

    entry = workflow_run(run, runs_folder(runs))
    if as_json:
        from longpole.app.json_output import write_json
        from longpole.app.standing_json import standing_json

        write_json(standing_json(standing_in(entry)))
        return
    from longpole.app.watching import show_once, watch_to_end

    if watch:
        watch_to_end(entry)
    else:
        show_once(entry, everything=everything)
