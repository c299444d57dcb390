"""``longpole machine``: what a machine does at best, measured or looked up."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from longpole.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from longpole.measure.catalogue import Wishes
    from longpole.measure.measuring import Identity
    from longpole.model.machine import Machine
    from longpole.model.measured import Measurement

SCHEMA_VERSION = 1

EXAMPLES = """\b
Examples:
  longpole machine measure                 This machine, in about a minute.
  longpole machine measure --host node2    And the network to another node.
  longpole machine show                    Which machines are known.
  longpole machine show perlmutter-gpu     One of them.
"""
_MEASURE_EXAMPLES = """\b
Examples:
  longpole machine measure
  longpole machine measure --folder /scratch/$USER --nodes 4
  longpole machine measure --only flops,memory --seconds 10
  longpole machine measure --out laptop.toml --name laptop
  ssh node2 longpole machine serve --address 10.0.0.2 &
  longpole machine measure --host 10.0.0.2
"""
_SHOW_EXAMPLES = """\b
Examples:
  longpole machine show
  longpole machine show perlmutter-gpu
  longpole machine show ./laptop.toml --json
"""


@click.group("machine", epilog=EXAMPLES, invoke_without_command=True)
@click.pass_context
def command(context: click.Context) -> None:
    """Measure what a machine can do at best, or show what is known of one.

    A roofline holds a workflow against these figures.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("measure", epilog=_MEASURE_EXAMPLES)
@click.option(
    "--out", default="", metavar="FILE", help="Where the machine file goes (default: your machines)."
)
@click.option("--name", default="", help="What to call the machine (default: the name of this host).")
@click.option("--nodes", type=click.IntRange(min=1), help="How many nodes like this one a workflow can have.")
@click.option(
    "--folder", default="", metavar="DIR", help="Where to measure files (default: where runs are kept)."
)
@click.option(
    "--host", default="", metavar="HOST[:PORT]", help="Measure the network to 'machine serve' there."
)
@click.option(
    "--seconds",
    default=60.0,
    type=click.FloatRange(min=1, max=3600),
    show_default=True,
    help="About how long to measure.",
)
@click.option("--only", default="", metavar="NAME,...", help="Measure only these, e.g. flops,memory.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@click.option("--force", is_flag=True, help="Replace the file of another machine.")
def measure_command(  # noqa: PLR0913  one per option
    *,
    out: str,
    name: str,
    nodes: int | None,
    folder: str,
    host: str,
    seconds: float,
    only: str,
    as_json: bool,
    force: bool,
) -> None:
    """Measure what this machine does at best, and keep it as a machine file.

    Cores, FLOPs, memory, disk, page cache, file operations, network and what starting costs; with PyTorch,
    GPUs too. Files of at most 512 MB are written and removed. Best on a machine that nobody else uses.
    """
    import socket

    from longpole.app.machine_files import earlier, joined, target_of, write_machine
    from longpole.measure.catalogue import Wishes

    this = socket.gethostname()
    target = target_of(out, name or this)
    old = earlier(target, this, force=force)
    names = tuple(dict.fromkeys(filter(None, (one.strip() for one in only.split(",")))))
    wishes = Wishes(_folder(folder), host, names)
    found = _measured(wishes, _identity(name or this, this, nodes or (old.nodes if old else 1)), seconds)
    machine, kept = joined(found.machine, old)
    write_machine(machine, target)
    if as_json:
        from longpole.app.json_output import write_json

        write_json(
            {"schema_version": SCHEMA_VERSION, "path": str(target), "kept": kept, **_facts(found, machine)}
        )
        return
    _tell(found, target, kept, replaced=old is not None)


@command.command("show", epilog=_SHOW_EXAMPLES)
@click.argument("name", required=False, metavar="[NAME|FILE]")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
def show_command(*, name: str | None, as_json: bool) -> None:
    """Show a machine by its name or file; without one, list all that are known."""
    if name is None:
        _list(as_json=as_json)
        return
    from longpole.describe.library import machine_named

    machine = machine_named(name)
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": SCHEMA_VERSION, "machine": machine})
        return
    from longpole.present.machine import show_machine
    from longpole.present.terminal import terminal

    show_machine(machine, terminal())


@command.command("serve")
@click.option(
    "--address", default="127.0.0.1", show_default=True, help="On which address of this node to listen."
)
@click.option(
    "--port", default=7417, type=click.IntRange(0, 65535), show_default=True, help="On which port; 0: any."
)
def serve_command(*, address: str, port: int) -> None:
    """Swallow what 'longpole machine measure --host' on another node sends, until Ctrl-C.

    Whoever reaches the address can send; nothing of it is kept.
    """
    from longpole.measure.sink import Sink

    try:
        sink = Sink(address, port)
    except OSError as error:
        why = error.strerror or str(error)
        raise UsageError(
            f"Cannot listen on {address}:{port}: {why}. Give another --address or --port."
        ) from error
    with sink:
        host, bound = sink.address
        click.echo(f"Listening on {host}:{bound} until Ctrl-C.", err=True)
        try:
            sink.wait()
        except KeyboardInterrupt:
            pass


def _folder(given: str) -> Path:
    from pathlib import Path

    from longpole.store.selection import runs_folder

    if given:
        folder = Path(given).expanduser().absolute()
        if not folder.is_dir():
            raise UsageError(f"There is no folder {folder}. Give another --folder.")
        return folder
    runs = runs_folder()
    return runs if runs.is_dir() else Path.cwd()


def _identity(name: str, host: str, nodes: int) -> Identity:
    from datetime import datetime

    from longpole.app.machine_files import measured_on
    from longpole.measure.measuring import Identity

    now = datetime.now().astimezone().isoformat(" ", "minutes")
    return Identity(name, nodes, "longpole machine measure", f"{measured_on(host)}at {now} by Longpole.")


def _measured(wishes: Wishes, identity: Identity, seconds: float) -> Measurement:
    from longpole.app.progress import progress
    from longpole.measure.measuring import measure

    if seconds != seconds:  # noqa: PLR0124  nan alone is not itself, and no range of click's holds it off
        raise UsageError("--seconds needs a number of seconds, not nan.")
    with progress("Measuring", round(seconds * 1000)) as done:
        return measure(wishes, identity, seconds, _steps(done))


def _steps(done: Callable[[int], None]) -> Callable[[float], None]:
    """Return a function that is told the seconds gone by, and hands on by how many milliseconds they grew."""
    told_ms = 0

    def tell(elapsed_s: float) -> None:
        nonlocal told_ms
        now_ms = round(elapsed_s * 1000)
        done(now_ms - told_ms)
        told_ms = now_ms

    return tell


def _facts(found: Measurement, machine: Machine) -> dict[str, object]:
    return {
        "machine": machine,
        "measured": found.measured,
        "left_out": found.left_out,
        "others": found.others,
    }


def _tell(found: Measurement, target: Path, kept: tuple[str, ...], *, replaced: bool) -> None:
    from longpole.present.machine import show_measurement
    from longpole.present.terminal import terminal

    show_measurement(found, terminal())
    verb = "Replaced the earlier measurement in" if replaced else "Written to"
    also = f"; not measured this time and kept: {', '.join(kept)}" if kept else ""
    click.echo(f"{verb} {target}{also}.", err=True)
    click.echo("'longpole roofline' holds a run against it.", err=True)


def _list(*, as_json: bool) -> None:
    from longpole.app.machine_files import listed_machines

    machines = listed_machines()
    if as_json:
        from longpole.app.json_output import write_json

        write_json({"schema_version": SCHEMA_VERSION, "machines": machines})
    elif machines:
        from longpole.present.machine import show_machines
        from longpole.present.terminal import terminal

        show_machines(machines, terminal())
    else:
        click.echo("No machine is known yet. 'longpole machine measure' measures this one.", err=True)
