"""``longpole roofline``: what bounds a workflow, and how far it is from the roof."""

from __future__ import annotations

from pathlib import Path

import click

from longpole.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.app.roofline import Asked, Seen

VIEWS = ("workflow", "tasks", "gantt", "breakdown")
EXAMPLES = """\b
Examples:
  longpole roofline                          The last run, on the machine that ran it.
  longpole roofline RUN1 RUN2 RUN3           Repeats of a workflow: a dot for each.
  longpole roofline --machine h200-node      The last run, as it would be bounded there.
  longpole roofline lcls-cori                A case of ours; 'longpole roofline --cases' lists them.
  longpole roofline plan.toml --out plan.svg A case of your own, as a figure.
  longpole roofline lcls-cori --faster node=10
  longpole roofline bgw-64 --intra-task x2 --view tasks --out tasks.pdf
  longpole roofline --json | jq .directions[0]
"""


@click.command("roofline", epilog=EXAMPLES)
@click.argument("names", metavar="[RUN|CASE]...", nargs=-1)
@click.option("--machine", default="", metavar="NAME", help="Project onto another machine: a name or a file.")
@click.option("--makespan", default=None, metavar="TIME", help="Target: '10 min' from begin to end.")
@click.option("--throughput", default=None, metavar="RATE", help="Target: '0.5 tasks/s', '40/h'.")
@click.option("--intra-task", default=None, metavar="xN", help="N times the nodes for each task.")
@click.option(
    "--faster", multiple=True, metavar="RESOURCE=N", help="Make a resource, or 'node', N times as fast."
)
@click.option("--view", type=click.Choice(VIEWS), default=None, help="What --out draws (default: workflow).")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a figure: .svg, .pdf or .png.",
)
@click.option("--all", "everything", is_flag=True, help="List everything, and not only what matters most.")
@click.option("--cases", "list_cases", is_flag=True, help="List the cases that come with Longpole.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON; it has everything.")
@click.option("--runs", default="", metavar="DIR", help="Where runs are kept.")
def command(  # noqa: PLR0913  one per option
    *,
    names: tuple[str, ...],
    machine: str,
    makespan: str | None,
    throughput: str | None,
    intra_task: str | None,
    faster: tuple[str, ...],
    view: str | None,
    out: Path | None,
    everything: bool,
    list_cases: bool,
    as_json: bool,
    runs: str,
) -> None:
    """Show what bounds a workflow: one figure and five sentences.

    RUN is a recorded or imported run ('latest' if nothing is given), CASE a file of a few lines that
    describes a workflow, for planning. The roofline says which resource bounds it on a machine, how near it
    comes, how many tasks fit at once, and which two changes gain most.
    """
    if view is not None and out is None:
        raise UsageError("--view says what --out draws: give --out FILE.")
    if list_cases:
        _list_cases(as_json=as_json)
        return
    from longpole.app.roofline import see
    from longpole.app.roofline_options import asked_for

    asked: Asked = asked_for(machine, (makespan, throughput), intra_task, faster)
    seen = see(names or ("latest",), asked, runs)
    if out is not None:
        _write_figure(seen, view or VIEWS[0], out)
    _write(seen, everything=everything, as_json=as_json)


def _list_cases(*, as_json: bool) -> None:
    from longpole.app.roofline import shipped

    cases = shipped()
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": 1, "cases": [{"name": name, "about": about} for name, about in cases]})
        return
    from longpole.present.cases import show_cases
    from longpole.present.terminal import terminal

    show_cases(cases, terminal())


def _write(seen: Seen, *, everything: bool, as_json: bool) -> None:
    if as_json:
        from longpole.app.json_output import write_json
        from longpole.app.roofline_json import as_json as told

        write_json(told(seen.roofline))
        return
    from longpole.present.roofline import show_roofline
    from longpole.present.terminal import terminal

    show_roofline(seen.roofline, terminal(), everything=everything)


def _write_figure(seen: Seen, view: str, out: Path) -> None:
    from longpole.app.roofline_figures import write_view

    write_view(seen, view, out)
    click.echo(f"The figure is in {out}.", err=True)
