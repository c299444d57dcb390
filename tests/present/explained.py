"""Explanations and time lines to be shown: one of everything, and what differs from it."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from rich.console import Console

from longpole.model.explanation import Blame, Explanation, FileFlow, Finding, PathPart, Questions
from longpole.model.timeline import Bar, Level, Piece, Row, Timeline
from longpole.present.explanation import show_explanation
from longpole.present.gantt import show_timeline
from longpole.present.terminal import terminal

WAITING = Finding(
    rule="data-loading",
    title="Training waits for its data",
    phase="train (epoch), process 4021",
    saving_s=41.2,
    saving_low_s=33.0,
    saving_high_s=46.5,
    evidence=(
        "49 % of the time of 500 training steps waited for the DataLoader.",
        "It has no workers, and 6 of 8 cores were idle meanwhile.",
    ),
    advice="Give the DataLoader num_workers=4 and persistent_workers=True.",
    change="the wait for data, cut to what four workers leave of it",
)
ALONE = Finding(
    rule="straggler",
    title="One of 12 trials runs alone at the end",
    phase="trial 7",
    saving_s=12.3,
    saving_low_s=8.0,
    saving_high_s=15.0,
    evidence=("It ran for 18.9 s after all others had ended.",),
    advice="Start the longest trials first, or give the search one more slot.",
    change="trial 7, started first",
)
FULL = Explanation(
    schema_version=1,
    run="c0ffee00",
    name="galaxy",
    unit="task",
    tasks=27,
    edges=38,
    levels=5,
    width=12,
    antichain=14,
    antichain_exact=True,
    total_task_s=472.0,
    critical_path_s=96.4,
    makespan_s=141.0,
    asap_peak=13,
    parallelism_mean=3.35,
    parallelism_peak=8,
    self_replay_error=0.012,
    questions=Questions(
        impact="train makes up 52 % of the time from begin to end, prepare 17 %; the rest is small.",
        resources="Steps of train that are twice as fast would end the run 36.8 s sooner. More slots "
        "would gain 9.10 s; faster disks nothing.",
        efficiency="The GPU was busy for 31 % of the time in which train had it; the cores for 44 %.",
    ),
    findings=(WAITING, ALONE),
    blame=(
        Blame("train", "exec", 73.6),
        Blame("prepare", "exec", 23.9),
        Blame("train", "queue", 12.2),
        Blame("evaluate", "exec", 9.8),
        Blame("merge", "exec", 6.1),
        Blame("fetch", "stage_in", 5.0),
        Blame("prepare", "dispatch", 3.3),
        Blame("nothing that is known of", "idle", 2.9),
        Blame("save", "checkpoint", 2.2),
        Blame("import", "import", 1.3),
        Blame("clean", "phase", 0.7),
    ),
    path=(
        PathPart("fetch", "stage_in", 0.0, 5.0),
        PathPart("prepare", "exec", 5.0, 23.9, count=3),
        PathPart("prepare", "dispatch", 28.9, 3.3),
        PathPart("train", "queue", 32.2, 12.2),
        PathPart("train", "exec", 44.4, 73.6),
        PathPart("save", "checkpoint", 118.0, 2.2),
        PathPart("import", "import", 120.2, 1.3),
        PathPart("merge", "exec", 121.5, 6.1),
        PathPart("nothing that is known of", "idle", 127.6, 2.9),
        PathPart("clean", "phase", 130.5, 0.7),
        PathPart("evaluate", "exec", 131.2, 9.8),
    ),
    flow=FileFlow(81, 4_200_000_000, 11_300_000_000, 52_000_000),
    told_by=("Snakemake",),
    limits=("Phases of processes that were not recorded are not seen.", "One clock is 2 ms off."),
)
UNKNOWN = replace(
    FULL,
    makespan_s=None,
    parallelism_mean=None,
    parallelism_peak=None,
    self_replay_error=None,
    questions=Questions("", "", ""),
    findings=(),
    blame=(),
    path=(),
    total_task_s=0.0,
    critical_path_s=0.0,
    told_by=(),
)


def bar(start_s: float, end_s: float, status: str = "ok") -> Bar:
    """A bar that ended well, unless it is said."""
    return Bar(start_s, end_s, status)


LINE = Timeline(
    rows=(
        Row("fetch", "stage_in", (bar(0, 5),)),
        Row("prepare", "exec", (bar(5, 13), bar(13, 20), bar(20, 28.9))),
        Row("prepare", "exec", (bar(5, 17), bar(17, 26))),
        Row("train", "exec", (bar(44.4, 118),)),
        Row("train", "exec", (bar(32.2, 70), bar(72, 99, "failed"))),
        Row("train", "exec", (bar(33, 90),)),
        Row("merge", "exec", (bar(121.5, 127.6),)),
        Row("evaluate_on_held_out_galaxies", "exec", (Bar(131.2, 141.0, "unfinished"),)),
    ),
    length_s=141.0,
    profile=tuple(
        Level(at, running)
        for at, running in (
            *((0, 1), (5, 2), (26, 1), (28.9, 0), (32.2, 1), (33, 2), (44.4, 3), (70, 2), (72, 3)),
            *((90, 2), (99, 1), (118, 0), (121.5, 1), (127.6, 0), (131.2, 1), (141, 0)),
        )
    ),
    critical=(
        Piece(0, 0.0, 5.0),
        Piece(1, 5.0, 28.9),
        Piece(3, 28.9, 118.0),
        Piece(6, 121.5, 127.6),
        Piece(7, 131.2, 141.0),
    ),
    peak=3,
    mean=1.61,
    left_out=4,
    left_out_bars=19,
)


def explained(width: int = 80, encoding: str = "utf-8", most_rows: int | None = 8, **changes: Any) -> str:
    """The text of the full explanation with some changes."""
    what = replace(FULL, **changes)
    return written(lambda console: show_explanation(what, console, most_rows=most_rows), width, encoding)


def over_time(width: int = 80, encoding: str = "utf-8", **changes: Any) -> str:
    """The text of the time line with some changes."""
    what = replace(LINE, **changes)
    return written(lambda console: show_timeline(what, console), width, encoding)


def written(show: Callable[[Console], None], width: int, encoding: str) -> str:
    """What is shown on a stream of this encoding, which takes nothing else."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    console = terminal(stream)
    console.width = width
    show(console)
    return raw.getvalue().decode(encoding)
