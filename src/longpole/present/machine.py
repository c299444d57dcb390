"""Machines as text: what was measured of one, what is known of one, and which there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from longpole.model.machine import Machine, Peak
from longpole.model.measured import Measured, Measurement
from longpole.model.quantity import show_quantity
from longpole.model.resources import RESOURCES, Dimension
from longpole.model.text import one_line
from longpole.present.tables import cell, note
from longpole.present.terminal import write_text

# The least share of the cores that is worth a word.
_NOTICED = 0.05


@dataclass(frozen=True, slots=True)
class KnownMachine:
    """A machine in a list.

    Attributes:
        name: What to call it by.
        path: Its file.
        nodes: How many nodes it has; None if its file cannot be used.
        about: What else is known of it, or what is wrong with its file.
    """

    name: str
    path: str
    nodes: int | None
    about: str


def show_measurement(measurement: Measurement, console: Console) -> None:
    """Print what was measured: a line each, what to know about it, and what could not be measured."""
    table = _table("Measured", "best", "spread", "repeats")
    for one in measurement.measured:
        best = show_quantity(one.best, _dimension(one.name))
        table.add_row(cell(_label(one.name)), best, _spread(one.spread), str(len(one.values)))
    remarks = [*_remarks(measurement.measured), *_burden(measurement.others), *_left_out(measurement)]
    _write(console, [table, *([Text(""), *remarks] if remarks else [])])


def show_machine(machine: Machine, console: Console) -> None:
    """Print what is known of a machine: peaks of a node, peaks that all share, what starting costs."""
    nodes = "1 node" if machine.nodes == 1 else f"{machine.nodes:,} nodes"
    parts: list[RenderableType] = [
        Text.assemble(
            (f" {one_line(machine.name)}", "title"), (f"  {nodes}  {one_line(machine.origin)}", "quiet")
        )
    ]
    parts += [note(one_line(machine.about))] if machine.about else []
    for title, peaks in (("Each node", machine.node), ("All share", machine.system)):
        parts += [Text(""), _peaks(title, peaks)] if peaks else []
    if machine.overheads:
        table = _table("A start costs", "seconds", "spread", "source")
        for name, start in machine.overheads.items():
            took = show_quantity(start.seconds, Dimension.SECONDS)
            table.add_row(cell(name), took, _spread(start.spread), _source(start.source))
        parts += [Text(""), table]
    _write(console, parts)


def show_machines(machines: Sequence[KnownMachine], console: Console) -> None:
    """Print which machines are known."""
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="label")
    table.add_column(Text(" Machine", style="title"), no_wrap=True)
    table.add_column("nodes", justify="right", no_wrap=True)
    table.add_column("", overflow="fold")
    for machine in machines:
        nodes = "?" if machine.nodes is None else f"{machine.nodes:,}"
        told = Text(one_line(machine.about or machine.path), style="quiet" if machine.nodes else "warning")
        table.add_row(cell(machine.name), nodes, told)
    _write(console, [table])


def _peaks(title: str, peaks: Mapping[str, Peak]) -> Table:
    table = _table(title, "peak", "spread", "source")
    for name, peak in peaks.items():
        table.add_row(cell(_label(name)), _peak(name, peak), _spread(peak.spread), _source(peak.source))
    return table


def _peak(name: str, peak: Peak) -> str:
    shown = show_quantity(peak.nominal, _dimension(name))
    if peak.contended is not None:
        shown = f"{shown} ({show_quantity(peak.contended, _dimension(name))} contended)"
    return f"{shown} a node" if peak.per_node else shown


def _table(title: str, *figures: str) -> Table:
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=False, header_style="label")
    table.add_column(Text(f" {title}", style="title"), no_wrap=True, min_width=24)
    for figure in figures:
        last = figure == "source"
        table.add_column(figure, justify="left" if last else "right", no_wrap=not last, overflow="fold")
    return table


def _label(name: str) -> str:
    """Return the name that files and options have for a resource, and what people call it."""
    if name not in RESOURCES or RESOURCES[name].label == name:
        return name
    return f"{name} ({RESOURCES[name].label})"


def _dimension(name: str) -> Dimension:
    return RESOURCES[name].peak if name in RESOURCES else Dimension.SECONDS


def _spread(spread: float) -> str:
    return f"{100 * spread:.0f} %" if spread else ""


def _source(source: str) -> Text:
    return Text(one_line(source), style="quiet")


def _remarks(measured: Sequence[Measured]) -> list[RenderableType]:
    """Return each remark once, with all it is about."""
    about: dict[str, list[str]] = {}
    for one in measured:
        if one.remark:
            about.setdefault(one.remark, []).append(one.name)
    return [note(one_line(f"{', '.join(names)}: {remark}")) for remark, names in about.items()]


def _burden(others: float) -> list[RenderableType]:
    if others < _NOTICED:
        return []
    held = f"{100 * others:.0f} %"
    return [note(f"Others held {held} of the cores meanwhile: spreads are narrower on a quiet machine.")]


def _left_out(measurement: Measurement) -> list[RenderableType]:
    about: dict[str, list[str]] = {}
    for one in measurement.left_out:
        about.setdefault(one.why, []).append(one.name)
    return [note(one_line(f"Left out: {', '.join(names)}. {why}"), "warning") for why, names in about.items()]


def _write(console: Console, parts: Sequence[RenderableType]) -> None:
    with console.capture() as capture:
        console.print(Group(*parts))
    write_text(console, capture.get())
