"""``longpole explain``: where the time of a run went, what bounds it, and what to change."""

from __future__ import annotations

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.model.explanation import Explanation

EXAMPLES = """\b
Examples:
  longpole explain                     The last run.
  longpole explain latest:train        Your last run of that name.
  longpole explain --json | jq .findings[0]
"""


@click.command("explain", epilog=EXAMPLES)
@click.argument("run", default="latest")
@click.option("--json", "as_json", is_flag=True, help="Write JSON; it has everything.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(*, run: str, as_json: bool, runs: str) -> None:
    """Explain where the time of a run went, what bounds it, and which change gains most.

    RUN is an id or the beginning of one, a folder, 'latest' (the default) or 'latest:NAME'; recorded or
    imported. Savings are predictions: the run is replayed with the change, and the error of its replay
    without a change is said beside them.
    """
    from longpole.app.explaining import explain_run
    from longpole.store.run import open_run
    from longpole.store.selection import find_run, runs_folder

    with open_run(find_run(run, runs_folder(runs))) as stored:
        _write(explain_run(stored), as_json=as_json)
        stored.check_whole()


def _write(explanation: Explanation, *, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json

        write_json(explanation)
        return
    from longpole.present.explanation import show_explanation
    from longpole.present.terminal import terminal

    show_explanation(explanation, terminal())
