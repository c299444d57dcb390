"""Runs of workflows that stand somewhere, for tests of what is written about them."""

from __future__ import annotations

from typing import Any

from longpole.model.failure import FailedTask
from longpole.model.standing import Results, RunState, Standing, TypeStanding
from longpole.present.lines import Line, Surface, drawn

CUT = TypeStanding("cut", 1, ran=1)
SCORE = TypeStanding("score", 500, ran=210, running=2, cached=3)
TOTAL = TypeStanding("total", 1)
UNKNOWN = TypeStanding("later", None, known_after=("cut", "score"))
BROKEN = FailedTask(
    "score tile=7",
    2,
    "It ended with exit code 3.",
    command="wc -c tiles/7.png",
    output="/runs/output/score.log",
    last_lines=("no such tile",),
    folder="/work/18.2",
    skipped=4,
)


def standing(**more: Any) -> Standing:
    """Return a run that goes on, but for what differs."""
    usual: dict[str, Any] = {
        "run": "0badcafe",
        "workflow": "tiles",
        "placement": "links",
        "elapsed_s": 12.3,
        "cores": 2,
        "jobs_running": 2,
        "types": (CUT, SCORE, TOTAL),
    }
    return Standing(**{**usual, **more})


def ended(**more: Any) -> Standing:
    """Return a run that went well, but for what differs."""
    usual: dict[str, Any] = {
        "state": RunState.FINISHED,
        "exit_code": 0,
        "jobs_running": 0,
        "types": (CUT, TypeStanding("score", 500, ran=497, cached=3), TypeStanding("total", 1, ran=1)),
        "results": Results("/data/results", 1, 4200),
    }
    return standing(**{**usual, **more})


def text_of(lines: list[Line], surface: Surface | None = None) -> str:
    """Return lines as they are written."""
    return "\n".join(drawn(lines, surface or Surface()))
