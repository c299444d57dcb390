"""Plans for tests of what is written about them."""

from __future__ import annotations

from io import StringIO
from typing import Any

from longpole.model.plan import Amount, Clustering, Movement, Placement, Plan, TaskType
from longpole.present.plan import show_plan
from longpole.present.terminal import terminal


def kind(name: str, *before: str, **more: Any) -> TaskType:
    """Return a type of one task."""
    return TaskType(**{"name": name, "level": 1, "tasks": 1, "before": before, **more})


def plan(**more: Any) -> Plan:
    """Return a plan of two tasks, of which one waits for the other."""
    usual: dict[str, Any] = {
        "workflow": "made",
        "placement": Placement.BASELINE,
        "clustering": Clustering(),
        "tasks": Amount(2),
        "jobs": Amount(2),
        "auxiliary_jobs": Amount(6),
        "files_staged_in": Amount(1234),
        "brought": Movement(Amount(1230), Amount(5_000_000)),
        "sent": Movement(Amount(4), Amount(0, exact=False)),
        "levels": (1, 1),
        "types": (kind("first", outputs=(3, 5)), kind("second", "first", level=2, inputs=(3, 3))),
    }
    return Plan(**{**usual, **more})


def shown(width: int = 80, following: tuple[str, ...] = ("longpole run made.yaml",), **more: Any) -> str:
    """Return a plan as it is printed."""
    everything = more.pop("everything", False)
    stream = StringIO()
    console = terminal(stream)
    console.width = width
    show_plan(plan(**more), following, console, everything=everything)
    return stream.getvalue()
