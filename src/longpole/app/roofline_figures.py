"""The figures of a roofline: which view is drawn from what."""

from __future__ import annotations

from pathlib import Path

from longpole.app.roofline import Seen
from longpole.errors import UsageError
from longpole.present.breakdown_figure import write_breakdown
from longpole.present.roofline_figure import write_workflow_view
from longpole.present.task_figure import write_task_view


def write_view(seen: Seen, view: str, out: Path) -> None:
    """Write a figure.

    Raises:
        UsageError: There is nothing to draw, or the file cannot be written.
        MissingLibraryError: matplotlib is not installed.
    """
    if view == "gantt":
        _write_gantt(seen, out)
    elif view == "tasks":
        write_task_view(seen.roofline, out)
    elif view == "breakdown":
        write_breakdown(seen.roofline, out)
    else:
        write_workflow_view(seen.roofline, out)


def _write_gantt(seen: Seen, out: Path) -> None:
    from longpole.present.figure import write_timeline

    timeline = seen.timeline()
    if not timeline.rows:
        raise UsageError("No times of tasks are known, so there is nothing to draw over time.")
    write_timeline(timeline, out, title=seen.roofline.name, conclusion=_told_of(seen))


def _told_of(seen: Seen) -> str:
    """Return where the times are from."""
    if seen.run is not None:
        return "As it was recorded."
    measured = seen.main is not None and bool(seen.main.kinds)
    return "As its tasks were measured." if measured else "At best: each task takes its least time."
