"""The overview of a run as text: one screen, from what it was down to what could not be seen."""

from __future__ import annotations

from rich.console import Console

from longpole.model.overview import Overview
from longpole.present.figures import figures
from longpole.present.headline import headline
from longpole.present.remarks import remarks
from longpole.present.shares import phases, processes
from longpole.present.steps import steps
from longpole.present.tasks import tasks
from longpole.present.terminal import write_text
from longpole.present.trials import trials


def show_overview(overview: Overview, console: Console, most_rows: int | None = 8) -> None:
    """Print a run.

    Args:
        overview: The run; its processes may be programs, each standing for several.
        console: Where to.
        most_rows: How many rows each table has; None for all of them. What is left out is counted.
    """
    sections = (
        headline(overview, console),
        figures(overview),
        tasks(overview, console, most_rows),
        trials(overview, most_rows),
        steps(overview, "training", console, most_rows),
        steps(overview, "inference", console, most_rows),
        phases(overview, console, most_rows),
        processes(overview, most_rows),
        remarks(overview, most_rows),
    )
    with console.capture() as capture:
        for section in sections:
            if section is not None:
                console.print(section)
                console.print()
    write_text(console, capture.get())
