"""``longpole explain``: where the time of a run went, what bounds it, and what to change."""

from __future__ import annotations

from pathlib import Path

import click

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.app.explaining import Explained
    from longpole.model.explanation import Why

EXAMPLES = """\b
Examples:
  longpole explain                     The last run.
  longpole explain latest:train        Your last run of that name.
  longpole explain --why data          Why one phase matters, and what it costs.
  longpole explain --out run.svg       A figure: the run over time.
  longpole explain --json | jq .findings[0]
"""


@click.command("explain", epilog=EXAMPLES)
@click.argument("run", default="latest")
@click.option("--why", default=None, metavar="PHASE", help="Explain one phase: by name, kind or id.")
@click.option("--timeline", is_flag=True, help="Draw the run over time, and how many ran at once.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the run over time as a figure: .svg, .pdf or .png.",
)
@click.option(
    "--hta-rounding", is_flag=True, help="Times of GPUs as Holistic Trace Analysis rounds them (Kineto)."
)
@click.option("--all", "everything", is_flag=True, help="List everything, and not only what matters most.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON; it has everything.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(  # noqa: PLR0913  one per option
    *,
    run: str,
    why: str | None,
    timeline: bool,
    out: Path | None,
    hta_rounding: bool,
    everything: bool,
    as_json: bool,
    runs: str,
) -> None:
    """Explain where the time of a run went, what bounds it, and which change gains most.

    RUN is an id or the beginning of one, a folder, 'latest' (the default) or 'latest:NAME'; recorded or
    imported. Savings are predictions: the run is replayed with the change, and the error of its replay
    without a change is said beside them.
    """
    from longpole.app.explaining import explain_run
    from longpole.store.run import open_run
    from longpole.store.selection import find_run, runs_folder

    with open_run(find_run(run, runs_folder(runs))) as stored:
        explained = explain_run(stored, hta_rounding=hta_rounding)
        if why is not None:
            _write_why(explained.why(why), as_json=as_json)
        else:
            _write(explained, timeline=timeline, everything=everything, as_json=as_json)
        if out is not None:
            _write_figure(explained, out)
        stored.check_whole()


def _write(explained: Explained, *, timeline: bool, everything: bool, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json

        write_json(explained.explanation)
        return
    from longpole.present.explanation import show_explanation
    from longpole.present.terminal import terminal

    drawn = explained.timeline() if timeline or everything else None
    rows = None if everything else 8
    show_explanation(explained.explanation, terminal(), most_rows=rows, timeline=drawn)


def _write_why(found: Why, *, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": 1, **{name: getattr(found, name) for name in found.__slots__}})
        return
    from longpole.present.terminal import terminal
    from longpole.present.why import show_why

    show_why(found, terminal())


def _write_figure(explained: Explained, out: Path) -> None:
    from longpole.present.figure import write_figure

    write_figure(explained.timeline(), explained.explanation, out)
    click.echo(f"The figure is in {out}.", err=True)
