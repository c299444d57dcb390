"""Runs that somebody told, and what Perfetto finds in the trace of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from longpole.app.imports import keep
from longpole.app.main import cli
from longpole.app.trace import TraceCounts, write_run_trace
from longpole.exchange.rows import Row, as_columns
from longpole.model.told import Told
from longpole.store.run import StoredRun, open_run
from longpole.store.selection import find_run
from tests import trace_processor
from tests.parts import need

S = 1_000_000_000
NOON = 1_790_000_000 * S
# Two elements at once, one that was requeued, steps at once, a step that outlives its job, one that waits.
SACCT = """\
JobID|JobName|State|ExitCode|Submit|Eligible|Start|End|AllocCPUS|NodeList|SubmitLine
1|prepare|COMPLETED|0:0|1000|1000|1001|1011|1|n1|sbatch prepare.sh
1.batch|batch|COMPLETED|0:0|||1001|1011|1|n1|
2_1|train|REQUEUED|0:0|1000|1011|1015|1050|2|n1|sbatch --dependency=afterok:1 t.sh
2_1|train|COMPLETED|0:0|1050|1050|1060|1115|2|n1|sbatch --dependency=afterok:1 t.sh
2_1.batch|batch|COMPLETED|0:0|||1060|1115|2|n1|
2_1.extern|extern|COMPLETED|0:0|||1060|1115|2|n1|
2_1.0|fit|COMPLETED|0:0|||1061|1100|2|n1|
2_2|train|FAILED|1:0|1000|1011|1020|1030|2|n2|sbatch --dependency=afterok:1 t.sh
2_2.batch|batch|FAILED|1:0|||1020|1032|2|n2|
3|last|PENDING|0:0|1000|Unknown|Unknown|Unknown|1|None assigned|sbatch --dependency=afterok:2 l.sh
"""
SNAKEMAKE = """\
[Sun Nov 15 19:15:46 2026]
rule work:
    output: mid.txt
    jobid: 1
    wildcards: s=a
[Sun Nov 15 19:15:48 2026]
Error in rule work:
    jobid: 1
[Sun Nov 15 19:15:50 2026]
rule work:
    output: mid.txt
    jobid: 1
    wildcards: s=a
[Sun Nov 15 19:15:53 2026]
Finished jobid: 1 (Rule: work)
[Sun Nov 15 19:15:54 2026]
localrule all:
    input: mid.txt
    jobid: 0
[Sun Nov 15 19:15:54 2026]
Finished jobid: 0 (Rule: all)
"""
Ask = Callable[[str], list[tuple[Any, ...]]]


@contextmanager
def drawn(run: StoredRun, folder: Path) -> Iterator[Ask]:
    """Give a function that asks Perfetto about the trace of a run."""
    need("perfetto")
    trace = folder / "run.pftrace"
    with trace.open("wb") as out:
        write_run_trace(run, out, lambda _: None)
    with trace_processor.opened(trace) as processor:
        troubles = "select name, value from stats where severity != 'info' and value > 0"
        assert trace_processor.rows(processor, troubles) == []
        yield lambda sql: trace_processor.rows(processor, sql)


def counts_of(run: StoredRun) -> TraceCounts:
    with open("/dev/null", "wb") as out:
        return write_run_trace(run, out, lambda _: None)


def rows(run: StoredRun, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in run.query(sql).records()]


def told(folder: Path, tasks: list[Row], phases: list[Row], edges: list[Row] | None = None) -> StoredRun:
    """Return a run that somebody told, with no process in it."""
    every = {"tasks": tasks, "phases": phases, "edges": edges or []}
    tables = {name: as_columns(name, some) for name, some in every.items() if some}
    return open_run(keep(Told("a tale", "told", tables), folder / "runs"))


def phase(identity: int, kind: str, seconds: tuple[float | None, float | None], **facts: Any) -> Row:
    """Return a phase of task 1, its times in seconds."""
    start, end = (None if at is None else NOON + round(at * S) for at in seconds)
    took = None if start is None or end is None else end - start
    times = {"start_ns": start, "end_ns": end, "duration_ns": took}
    known = {"task": 1, "attempt": 1, "name": "work", "count": 1, "status": "ok"}
    return {"id": identity, "kind": kind, **known, **times, **facts}


def told_by_slurm(folder: Path) -> StoredRun:
    """Return what Slurm's accounting tells of three jobs; there is no process in it."""
    (folder / "jobs.txt").write_text(SACCT)
    runs = folder / "runs"
    assert cli(["import", str(folder / "jobs.txt"), "--name", "night", "--runs", str(runs)]) == 0
    return open_run(find_run("latest", runs))


def told_by_snakemake(folder: Path) -> StoredRun:
    """Return what Snakemake's log tells of two jobs, of which one failed at first."""
    log = folder / "flow" / ".snakemake" / "log" / "2026-11-15T191544.941809.snakemake.log"
    log.parent.mkdir(parents=True)
    log.write_text(SNAKEMAKE)
    runs = folder / "runs"
    assert cli(["import", str(folder / "flow"), "--timezone", "UTC", "--runs", str(runs)]) == 0
    return open_run(find_run("latest", runs))
