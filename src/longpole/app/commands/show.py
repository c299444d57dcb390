"""``longpole show``: one run in one screen."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.model.overview import Overview

# More processes than this are summed by program, so that one screen shows where their time went.
_MOST_PROCESSES = 8


@click.command("show")
@click.argument("run", default="latest")
@click.option("--all", "everything", is_flag=True, help="List every rank, trial, phase, process and limit.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON; it has everything.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, run: str, everything: bool, as_json: bool, runs: str) -> None:
    """Show how long a run took and where its time went.

    RUN is an id or the beginning of one, a folder, 'latest' (the default) or 'latest:NAME'. A run that is
    still going is shown as far as it is; of a damaged one all that is intact, with exit code 3.
    """
    from longpole.app.overview import overview_of
    from longpole.store.run import open_run
    from longpole.store.selection import find_run, runs_folder

    with open_run(find_run(run, runs_folder(runs))) as stored:
        _write(overview_of(stored), everything=everything, as_json=as_json)
        stored.check_whole()


def _write(overview: Overview, *, everything: bool, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json

        write_json(overview)
        return
    from longpole.analyse.processes import summed_beyond
    from longpole.present.overview import show_overview
    from longpole.present.terminal import terminal

    if everything:
        show_overview(overview, terminal(), most_rows=None)
    else:
        show_overview(summed_beyond(overview, _MOST_PROCESSES), terminal())
