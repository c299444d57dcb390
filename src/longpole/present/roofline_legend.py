"""What the marks of a roofline's plot are, and what they mean: its legend in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from longpole.model.roofline import Placed, Roofline
from longpole.model.text import one_line
from longpole.present.rates import between, rates_of, reached
from longpole.present.roofline_lines import structure_notes, wall_text
from longpole.present.roofline_scale import far
from longpole.present.tables import note
from longpole.units import show_seconds

# More dots than this are told together, and not named in the plot.
FEW_DOTS = 4


@dataclass(frozen=True, slots=True)
class Marks:
    """What dots, the wall and the axes are drawn with."""

    measured: str
    contended: str
    projected: str
    wall: str
    axis: str
    corner: str
    tick: str
    side: str


DRAWN = Marks("●", "◆", "○", "│", "─", "└", "┬", "┤")
ASCII = Marks("*", "#", "o", "|", "-", "+", "+", "|")


def legend(roofline: Roofline, marks: Marks, width: int) -> list[RenderableType]:
    """Return what the marks mean, on as many lines as it takes."""
    entries = [(marks.wall, one_line(wall_text(roofline)))]
    if len(roofline.dots) <= FEW_DOTS:
        entries += [(mark_of(dot, marks), one_line(_told(dot))) for dot in roofline.dots]
    else:
        entries.append((mark_of(roofline.dots[0], marks), _together(roofline.dots)))
    entries += [("dotted:", "contended, or a target")] if _dotted(roofline) else []
    lines: list[str] = []
    for mark, meaning in entries:
        entry = f"{mark} {meaning}"
        if lines and Text(lines[-1]).cell_len + 3 + Text(entry).cell_len < width:
            lines[-1] = f"{lines[-1]}   {entry}"
        else:
            lines.append(entry)
    above = [f"{one.name} ({rates_of(roofline).show(one.tasks_per_second_at_dot)})" for one in far(roofline)]
    notes = [note(f"not drawn, far above: {one_line(', '.join(above))}")] if above else []
    notes += [note(line) for line in structure_notes(roofline)]
    return [*(Padding(Text(line), (0, 0, 0, 1)) for line in lines), *notes]


def mark_of(dot: Placed, marks: Marks) -> str:
    """Return the mark of a dot: by whether it was measured, and whether others were in its way."""
    if dot.projected:
        return marks.projected
    return marks.contended if dot.contended else marks.measured


def _dotted(roofline: Roofline) -> bool:
    return bool(roofline.targets) or any(one.contended_seconds is not None for one in roofline.ceilings)


def _told(dot: Placed) -> str:
    how = [word for word, so in (("projected", dot.projected), ("contended", dot.contended)) if so]
    return f"{', '.join([dot.name, *how])}: {show_seconds(dot.makespan_s)}, {reached(dot.efficiency)}"


def _together(dots: Sequence[Placed]) -> str:
    return f"{len(dots)} dots, at {between([dot.efficiency for dot in dots])} of the ceilings over them"
