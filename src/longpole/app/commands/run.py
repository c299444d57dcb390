"""``longpole run``: a workflow, planned and run, and recorded."""

from __future__ import annotations

import click

from longpole.app.commands.plan import PLACEMENTS

EXAMPLES = """\b
Examples:
  longpole run tiles.yaml                        Run it; results go to ./results.
  longpole run tiles.yaml --set parts=[aa] --out /data/tiles
  longpole run workflows/lung --placement clustering
  longpole run tiles.yaml --keep-going -c 8      Go on beside failures, on 8 cores.
  longpole run --resume                          Go on with the last run where it stopped.
  longpole run --resume 5f2a91c0 --keep-going
  longpole run tiles.yaml --repeat 10 --placements all
                                                 Ten rounds, placements in turns; then compare.
  longpole run workflows/galaxy --repeat 5 --vary variant=published,tuned
  longpole run tiles.yaml --repeat 10 --placements all --series tiles-1
                                                 Go on with a series that was broken off.
"""


@click.command("run", epilog=EXAMPLES)
@click.argument("workflow", required=False)
@click.option("--placement", type=click.Choice(PLACEMENTS), help="Where data lies and how it comes to jobs.")
@click.option(
    "--cluster",
    metavar="HOW",
    help="Which tasks are one job: none, label, whole, tasks=N, jobs=N or bytes=N.",
)
@click.option("--set", "pairs", multiple=True, metavar="NAME=VALUE", help="Choose a parameter.")
@click.option("--out", metavar="DIR", help="Where results go (default: ./results).")
@click.option("--work", metavar="DIR", help="Where files are kept that tasks make.")
@click.option("--scratch", metavar="DIR", help="Where jobs have their folders (default: in the work folder).")
@click.option("-c", "--cores", type=click.IntRange(1), help="Use at most so many cores (default: all).")
@click.option("--memory", metavar="SIZE", help="Use at most so much memory (default: all).")
@click.option("--keep-going", is_flag=True, help="After a failure, go on with what does not depend on it.")
@click.option("--fresh", is_flag=True, help="Make everything again, whatever was made before.")
@click.option("--checksums", type=click.Choice(("on", "off")), help="Check what crosses (default: on).")
@click.option("--container", metavar="RUNTIME", help="auto (default), bwrap, apptainer, podman or none.")
@click.option("--ssh", metavar="HOST", help="Send outputs back by ssh to this host, not by HTTP.")
@click.option("--resume", is_flag=False, flag_value="latest", metavar="[RUN]", help="Go on with a run.")
@click.option("--repeat", type=click.IntRange(1), metavar="N", help="Make N runs of each group, in turns.")
@click.option("--placements", metavar="P,P", help="Groups: 'all' (the four of the paper), or a list.")
@click.option("--vary", multiple=True, metavar="NAME=A,B", help="Groups: values of a parameter.")
@click.option("--series", metavar="NAME", help="What to call the series; goes on with it if it is there.")
@click.option("--name", metavar="NAME", help="What to call the run (default: the workflow's name).")
@click.option("--runs", metavar="DIR", default="", help="Where runs are kept.")
@click.option("--json", "as_json", is_flag=True, help="At the end, write where the run stands as JSON.")
def command(**given: object) -> int:
    """Run a workflow, and record all of it.

    WORKFLOW is a YAML file, a Python file, or a folder that holds workflow.py or workflow.yaml. What was made
    before and has not changed is not made again. Exit code: 0 if all was done, 1 if something failed, 2 if
    the workflow cannot be run.

    With --repeat, --placements or --vary it makes a series: each run from nothing, in a work folder of its
    own that is removed afterwards, round by round, the groups in turns. In the end the groups are compared.
    """
    from longpole.app.running import begin, go_on
    from longpole.app.running_options import Given, ask, ask_again

    options = Given(**given)  # type: ignore[arg-type]
    json_wanted = "json" if options.as_json else ""
    if options.resume is not None:
        path, request = ask_again(options)
        return go_on(path, request, (json_wanted,))
    if options.asks_for_series:
        from longpole.app.series_command import make_series

        return make_series(options)
    request, name = ask(options)
    return begin(request, name, options.runs, (json_wanted,))
