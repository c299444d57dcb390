"""Runs to be compared, made by hand: commands and workflows that take as long as they are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.builders import HandmadeRun, ms, part


def command_run(runs: Path, at: int, name: str, seconds: float, **facts: Any) -> HandmadeRun:
    """Make the run of a command that began at a place in the order of runs; half of its time it computes."""
    began = 100_000 * at
    ended = began + 1000 * seconds
    stamp = f"20260924T{at // 60:02d}{at % 60:02d}00Z"
    run = HandmadeRun(
        runs, f"{at:08x}", name=name, makespan_s=seconds, **{"stamp": stamp, "user": 0, **facts}
    )
    with run.log() as log:
        log.launcher()
        log.process(1, start=began)
        log.exit(1, began, ended, used=[round(500_000 * seconds), 0, 0, 0, 0, 0])
        log.end(101, began, ended, user=round(500_000 * seconds))
        log.finish(101, began, ended, status=256 * facts.get("exit_code", 0))
        log.note("ended", at=ms(ended))
    return run


def workflow_run(runs: Path, at: int, placement: str, seconds: float, **facts: Any) -> HandmadeRun:
    """Make the run of a workflow: a tenth of its time it stages in, four fifths it computes."""
    parameters = facts.pop("parameters", {})
    began = 100_000 * at
    whole = 1000 * seconds
    stamp = f"20260924T{at // 60:02d}{at % 60:02d}00Z"
    known = {"stamp": stamp, "joint": True, "makespan_s": seconds, "user": 0, **facts}
    run = HandmadeRun(runs, f"{at:08x}", name="tiles", **known)
    given = tuple(parameters.items())
    with run.driver(at=began, placement=placement, parameters=given) as driver:
        driver.task(1, "work")
        driver.start(1, began, ready=began)
        stages = part("stage_in", began, began + whole / 10, bytes=5)
        executes = part("exec", began + whole / 10, began + whole * 0.9)
        driver.finish_job(1, began + whole, stages, executes)
        driver.end_well(began + whole)
    return run
