"""``longpole plan``: what would happen if a workflow ran."""

from __future__ import annotations

import click

from longpole.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from longpole.model.plan import Plan

PLACEMENTS = ("links", "baseline", "container-installed", "clustering", "shared-fs")
EXAMPLES = """\b
Examples:
  longpole plan tiles.yaml                       What would run here.
  longpole plan workflows/lung --set scale=paper --placement baseline
  longpole plan workflows/crisis --placement clustering --cluster whole
  longpole plan tiles.yaml --cluster tasks=50    50 tasks of a type in a job.
  longpole plan tiles.yaml --format dot | dot -Tsvg > tiles.svg
  longpole plan tiles.yaml --json | jq .files_moved
"""


@click.command("plan", epilog=EXAMPLES)
@click.argument("workflow")
@click.option(
    "--placement",
    type=click.Choice(PLACEMENTS),
    default=PLACEMENTS[0],
    show_default=True,
    help="Where data lies and how it comes to jobs.",
)
@click.option(
    "--cluster",
    default="",
    metavar="HOW",
    help="Which tasks are one job: none, label, whole, tasks=N, jobs=N or bytes=N.",
)
@click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Choose a parameter.")
@click.option("--format", "form", type=click.Choice(("text", "dot")), help="Text (the default), or Graphviz.")
@click.option("--all", "everything", is_flag=True, help="List every type of task.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def command(  # noqa: PLR0913  one per option
    *,
    workflow: str,
    placement: str,
    cluster: str,
    pairs: tuple[str, ...],
    form: str | None,
    everything: bool,
    as_json: bool,
) -> None:
    """Show which jobs a workflow would have, and what would be moved. Nothing runs.

    WORKFLOW is a YAML file, a Python file, or a folder that holds workflow.py or workflow.yaml. Files that
    are not there yet are planned by their names.
    """
    if as_json and form is not None:
        raise UsageError("--json and --format each choose what is written: give one of them.")
    from longpole.app.plan import Asked, chosen_of, plan_for
    from longpole.model.plan import Placement

    asked = Asked(workflow, Placement(placement), cluster, chosen_of(pairs))
    plan = plan_for(asked)
    if as_json:
        from longpole.app.json_output import write_json
        from longpole.app.plan_json import plan_json

        write_json(plan_json(plan))
    elif form == "dot":
        from longpole.present.order import graphviz

        click.echo(graphviz(plan), nl=False)
    else:
        from longpole.app.plan import following

        _show(plan, following(asked), everything=everything)


def _show(plan: Plan, following: tuple[str, ...], *, everything: bool) -> None:
    from longpole.present.plan import show_plan
    from longpole.present.terminal import terminal

    show_plan(plan, following, terminal(), everything=everything)
