"""Our side of ``benchmarks/engine.py``: runs by the command line, and what their own record says of them."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import ROOT, longpole

WORKFLOW = ROOT / "benchmarks" / "engine_workflow"
FILES_PER_TASK = {"fan-out": 0, "outputs": 1, "chain": 1, "functions": 0}
# Only what the workflow describes counts; the runner's own jobs, such as cleaning up, have other types.
QUESTION = """
WITH job AS (
    SELECT start_ns, end_ns, type FROM phases JOIN tasks ON phases.task = tasks.id
    WHERE kind = 'job' AND status = 'ok' AND type IN ('one', 'first', 'all')
), driver AS (
    SELECT id FROM processes WHERE command LIKE '%longpole.app.driving%' ORDER BY start_ns LIMIT 1
), used AS (
    SELECT metric, value FROM totals JOIN driver ON owner = driver.id WHERE scope = 'process'
)
SELECT
    (SELECT count(*) FROM job) AS tasks,
    (SELECT max(end_ns) - min(start_ns) FROM job) / 1e9 AS span_s,
    (SELECT max(end_ns) - min(start_ns) FROM job WHERE type <> 'all') / 1e9 AS fan_out_s,
    (SELECT sum(duration_ns) FROM phases WHERE kind = 'run') / 1e9 AS makespan_s,
    (SELECT count(*) FROM files WHERE checksum <> '') AS checked,
    (SELECT sum(value) FROM used WHERE metric IN ('cpu_user_ns', 'cpu_system_ns')) / 1e9 AS driver_cpu_s,
    (SELECT max(value) FROM used WHERE metric = 'peak_memory_bytes') / 1e6 AS driver_mb
"""


class CommandError(Exception):
    """A command that was to be measured has failed."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What a command has used: it and all that it waited for; the peak is that of one process."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    output: str


@dataclass(frozen=True, slots=True)
class Ran:
    """A run of ours.

    Attributes:
        tasks: How many tasks it had, auxiliary jobs not counted.
        span_s: From when the first task was ready to the end of the last, its commit included.
        fanned_out: How many of them are fanned out, or in a chain: all but the one that joins them.
        fan_out_s: What ``span_s`` is without that one.
        makespan_s: From the driver's start to its end, as recorded.
        spent: What the whole command took.
        driver_cpu_s: CPU time of the driver alone.
        driver_mb: Its peak memory.
    """

    tasks: int
    span_s: float
    fanned_out: int
    fan_out_s: float
    makespan_s: float
    spent: Spent
    driver_cpu_s: float
    driver_mb: float


def run_ours(shape: str, tasks: int, cores: int, place: Path) -> Ran:
    """Run a workflow with all its folders below a place that is new, and removed.

    Raises:
        CommandError: It failed, or has not done all that was asked for.
    """
    with tempfile.TemporaryDirectory(prefix="longpole-bench-", dir=place) as folder:
        where = [
            text for name in ("work", "scratch", "runs", "out") for text in (f"--{name}", f"{folder}/{name}")
        ]
        spent = spend(longpole("run", *chosen(shape, tasks), *where, "--cores", str(cores)))
        found = _recorded(f"{folder}/runs")
    expected = tasks + (shape != "chain")
    if found["tasks"] != expected or found["checked"] < FILES_PER_TASK[shape] * tasks:
        raise CommandError(
            f"A run of {expected:,} tasks ({shape}) has left a record of something else: {found}."
        )
    times = {name: float(found[name]) for name in ("span_s", "fan_out_s", "makespan_s")}
    driver = {name: float(found[name]) for name in ("driver_cpu_s", "driver_mb")}
    return Ran(tasks=expected, fanned_out=tasks, spent=spent, **times, **driver)


def plan_ours(shape: str, tasks: int) -> Spent:
    """Plan a workflow, and run nothing.

    Raises:
        CommandError: It failed.
    """
    return spend(longpole("plan", *chosen(shape, tasks), "--json"))


def chosen(shape: str, tasks: int) -> list[str]:
    """Return the workflow and its parameters, as our commands take them."""
    return [str(WORKFLOW), "--set", f"shape={shape}", "--set", f"tasks={tasks}"]


def spend(command: list[str], environment: dict[str, str] | None = None, limit_s: float = 3600) -> Spent:
    """Run a command from ``ROOT``, and return what it took.

    Raises:
        CommandError: It failed, or took too long.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as out, tempfile.TemporaryFile("w+") as err:
        began = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=out, stderr=err, start_new_session=True
        )
        timer = threading.Timer(limit_s, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if status:
            slow = f"It took more than {limit_s:.0f} s. " if wall_s >= limit_s else ""
            said = err.read()[-2000:]
            raise CommandError(f"{' '.join(command)} ended with {process.returncode}. {slow}{said}")
        return Spent(wall_s, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6, out.read())


def _recorded(runs: str) -> dict[str, float]:
    rows = json.loads(spend(longpole("query", "latest", QUESTION, "--runs", runs, "--json")).output)["rows"]
    return {name: math.nan if value is None else value for name, value in rows[0].items()}
