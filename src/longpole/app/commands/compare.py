"""``longpole compare``: groups of runs side by side, and how sure it is that they differ."""

from __future__ import annotations

from pathlib import Path

import click

from longpole.errors import UNMEASURABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.model.comparison import Comparison

METRICS = ("end_to_end", "compute", "stage_in", "stage_out", "cpu")
EXAMPLES = """\b
Examples:
  longpole compare                           The groups of your last series.
  longpole compare tiles-1 --out tiles.svg   A series, and a figure of it.
  longpole compare before after              All runs of these two names.
  longpole compare 'v1*' 'v2*' --by name     Names by a pattern; quote it.
  longpole compare 3fa1 77b2 latest:train    Single runs.
  longpole compare before after --gate 5%    For CI: exit code 1 if 'after' is slower by more.
  longpole compare tiles-1 --by variant --baseline published --json
"""


@click.command("compare", epilog=EXAMPLES)
@click.argument("wanted", metavar="[RUNS]...", nargs=-1)
@click.option("--by", default="", metavar="WHAT", help="placement, name, series, or a parameter: variant.")
@click.option("--baseline", default="", metavar="GROUP", help="The group that others are compared with.")
@click.option(
    "--metric",
    type=click.Choice(METRICS),
    default=METRICS[0],
    show_default=True,
    help="The time that decides.",
)
@click.option("--gate", metavar="5%", help="Exit code 1 if a group is slower by more, 3 if nobody can tell.")
@click.option("--confidence", metavar="98%", default="98%", show_default=True, help="How sure to be.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a figure: .svg, .pdf or .png.",
)
@click.option("--all", "everything", is_flag=True, help="List everything, and not only what matters most.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON; it has every run.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(  # noqa: PLR0913  one per option
    *,
    wanted: tuple[str, ...],
    by: str,
    baseline: str,
    metric: str,
    gate: str | None,
    confidence: str,
    out: Path | None,
    everything: bool,
    as_json: bool,
    runs: str,
) -> int:
    """Compare groups of runs: what differs, by how much, and how sure that is.

    RUNS are ids, 'latest:NAME', names of runs or of a series (all of them), or patterns of names; your last
    series if nothing is given. A difference is shown if chance alone would hardly make it; that none is shown
    is an answer, with how large a one would have been seen.

    Exit code: 0; with --gate, 1 if a group is shown to be slower than the baseline group by more than that,
    and 3 if these runs cannot tell.
    """
    from longpole.app.comparing import Asked, compare_runs
    from longpole.app.comparing_options import chosen_runs, confidence_of, share_of
    from longpole.model.comparison import GateState, Metric

    asked = Asked(
        by=by,
        baseline=baseline,
        metric=Metric(metric),
        gate=None if gate is None else share_of(gate, "--gate"),
        confidence=confidence_of(confidence),
    )
    comparison = compare_runs(chosen_runs(wanted, runs), asked)
    if out is not None:
        _write_figure(comparison, out)
    _write(comparison, everything=everything, as_json=as_json)
    if comparison.gate is None:
        return 0
    return {GateState.OPEN: 0, GateState.CLOSED: 1}.get(comparison.gate.state, UNMEASURABLE)


def _write(comparison: Comparison, *, everything: bool, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json

        write_json(comparison)
        return
    from longpole.present.comparison import show_comparison
    from longpole.present.terminal import terminal

    show_comparison(comparison, terminal(), everything=everything)


def _write_figure(comparison: Comparison, out: Path) -> None:
    from longpole.present.comparison_figure import write_comparison

    write_comparison(comparison, out)
    click.echo(f"The figure is in {out}.", err=True)
