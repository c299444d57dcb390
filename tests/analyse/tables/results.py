"""Results of runs, built by hand: what tables are made of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from longpole.model.kind_use import KindUse, RunUse
from longpole.model.result_table import ResultTable
from longpole.model.run_outline import RunOutline
from longpole.model.run_result import RunResult
from longpole.model.run_times import RunTimes


def kind(name: str, **facts: Any) -> KindUse:
    """Return a kind of two jobs that computed for 8 of 10 seconds; nothing is known of GPUs."""
    known: dict[str, Any] = {
        "jobs": 2,
        "attempts": 2,
        "time_s": 10.0,
        "cpu_s": 8.0,
        "peak_memory_bytes": 300_000_000,
        "read_bytes": 40_000_000,
        "written_bytes": 5_000_000,
        "reasons": {"gpu_percent": "no GPU", "peak_gpu_memory_bytes": "no GPU"},
    }
    return KindUse(name, **{**known, **facts})


def use(*kinds: KindUse, **facts: Any) -> RunUse:
    """Return the use of a run of these kinds."""
    whole = kind("whole run", jobs=sum(each.jobs for each in kinds))
    return RunUse(**{"unit": "task", "kinds": kinds, "whole": whole, **facts})


def result(run: str, placement: str = "baseline", seconds: float = 12.0, **facts: Any) -> RunResult:
    """Return a run of the workflow 'galaxy' that took so long; facts of its times, or whole parts."""
    parts = {name: facts.pop(name) for name in ("use", "outline", "models") if name in facts}
    times = RunTimes(
        run=run,
        name="galaxy",
        workflow="galaxy",
        placement=placement,
        parameters={"scale": "tiny"},
        state="finished",
        tasks=4,
        drivers=1,
        end_to_end_s=seconds,
        compute_s=2 * seconds,
        stage_in_s=1.0,
        stage_out_s=0.5,
        container_s=0.0,
        queue_s=0.25,
    )
    made = RunResult(replace(times, **facts), use(kind("train")), RunOutline())
    return replace(made, **parts)


def cell(table: ResultTable, row: str, column: str) -> tuple[float | str | None, float | None]:
    """Return a figure and its deviation."""
    at = [heading.name for heading in table.headings].index(column)
    [found] = [each for each in table.rows if each.name == row]
    return found.figures[at].value, found.figures[at].sd
