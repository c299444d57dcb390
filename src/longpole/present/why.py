"""Why a phase matters, as text."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.text import Text

from longpole.model.explanation import Why
from longpole.model.text import visible
from longpole.present.blocks import bar
from longpole.present.tables import WIDEST_BAR, cell, new_table, note
from longpole.present.terminal import write_text
from longpole.present.words import glued
from longpole.units import show_seconds

_MOST_PARTS = 12


def show_why(why: Why, console: Console) -> None:
    """Print what is known of a phase: what it is, what it is made of, and what a change of it would do."""
    lines: list[RenderableType] = [Text.assemble((f" {visible(why.phase)}", "title"), _kinds(why)), Text()]
    lines += [note(glued(sentence), style="") for sentence in why.sentences]
    if why.within:
        lines.append(note(f"Part of {', '.join(visible(name) for name in why.within)}.", style=""))
    if why.parts:
        lines += [Text(), _parts(why, console)]
    with console.capture() as capture:
        console.print(Group(*lines))
    write_text(console, capture.get())


def _kinds(why: Why) -> str:
    others = [visible(kind) for kind in why.kinds if kind != why.phase]
    return f"  {', '.join(others)}" if others else ""


def _parts(why: Why, console: Console) -> RenderableType:
    whole = why.total_s or 1.0
    width = min(WIDEST_BAR, console.width // 3)
    table = new_table("Made of", "share", "time", middle=width)
    for part in why.parts[:_MOST_PARTS]:
        drawn = Text(bar(part.seconds / whole, width, console.encoding), style="bar")
        share = f"{100 * part.seconds / whole:.1f} %"
        table.add_row(cell(f"{part.what}"), drawn, share, show_seconds(part.seconds))
    if why.own_s is not None:
        drawn = Text(bar(why.own_s / whole, width, console.encoding), style="bar")
        table.add_row(
            cell("its own time"), drawn, f"{100 * why.own_s / whole:.1f} %", show_seconds(why.own_s)
        )
    return table
