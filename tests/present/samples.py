"""Overviews to be shown: one of everything, and what differs from it."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

from longpole.model.overview import (
    GpuUse,
    HostUse,
    Overview,
    PhaseSum,
    ProcessUse,
    RecordingCost,
    StepUse,
    Trial,
)
from longpole.present.overview import show_overview
from longpole.present.terminal import terminal

FULL = Overview(
    schema_version=1,
    run="c0ffee00",
    name="demo",
    command="python pipeline.py --rows 400000",
    exit_code=0,
    signal=None,
    makespan_s=10.43,
    processes=4,
    cpu_user_s=14.1,
    cpu_system_s=1.1,
    read_bytes=130_000_000,
    written_bytes=84_000_000,
    storage_read_bytes=0,
    storage_written_bytes=84_000_000,
    peak_memory_bytes=212_000_000,
    gpus=(GpuUse("NVIDIA H200 #0", 34.2, 1_200_000_000, "tree"),),
    phases=(PhaseSum("phase", "fit", 1, 6.0, 0.75), PhaseSum("command", "clean", 12, 2.0, 0.25)),
    host=HostUse(78.0, 3.1, 1_200_000, 300_000, 0, 84_000_000),
    steps=(),
    recording=RecordingCost(0.081, 0.78),
    unseen=("Two things were not seen.",),
    limits=("One number is not exact.",),
    state="finished",
    started="2026-01-31T23:59:59.000Z",
    cores=2,
    process_list=(ProcessUse("python", "/usr/bin/python pipeline.py", 1, 10.4, 9.1, 180_000_000, 100, None),),
    trials=(),
)


def step_use(rank: int | None = None, kind: str = "training", **facts: Any) -> StepUse:
    """The steps of one rank: a thousand of 6 ms each, a quarter of it waiting for data."""
    known: dict[str, Any] = {
        "process": 3 + (rank or 0),
        "pid": 4000 + (rank or 0),
        "rank": rank,
        "world": None if rank is None else 4,
        "name": "step" if kind == "training" else "Net",
        "count": 1000,
        "mean_s": 0.006,
        "p50_s": 0.0058,
        "p95_s": 0.0074,
        "data_s": 1.5,
        "forward_s": 1.5,
        "backward_s": 2.4,
        "optimizer_s": 0.42,
        "checkpoint_s": 0.0,
        "other_s": 0.18,
        "total_s": 6.0,
    }
    return StepUse(kind=kind, **(known | facts))


def trial(number: int, state: str = "complete", **facts: Any) -> Trial:
    """A trial that took two seconds and 120 steps."""
    known: dict[str, Any] = {
        "search": "widths",
        "value": None if state == "failed" else 0.125 * (number + 1),
        "seconds": 2.0,
        "steps": 120,
        "params": {"lr": 0.01, "width": 64 << number % 8, "norm": "batch"},
    }
    return Trial(number=number, state=state, **(known | facts))


def shown(width: int = 80, most_rows: int | None = 8, encoding: str = "utf-8", **changes: Any) -> str:
    """The text of the full overview with some changes."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, errors="replace", write_through=True)
    console = terminal(stream)
    console.width = width
    show_overview(replace(FULL, **changes), console, most_rows)
    return raw.getvalue().decode(encoding)
