"""A run for other tools: its tables as CSV or Parquet, its time line for Perfetto, its tasks as WfFormat.

Each function writes a whole target or none, and returns how many rows of each thing it wrote.
"""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

from longpole.app.outputs import fresh_file, fresh_folder
from longpole.app.progress import progress
from longpole.app.trace import trace_rows, write_run_trace
from longpole.app.wfformat import instance_of
from longpole.exchange.tables import write_csv
from longpole.exchange.wfformat_write import as_allowed, write_instance
from longpole.model.execution import TABLES
from longpole.store.run import StoredRun


def export_csv(run: StoredRun, target: Path, *, force: bool) -> dict[str, int]:
    """Write a folder with one CSV file per table."""
    rows = table_rows(run)
    with fresh_folder(target, force=force) as folder, progress("Writing tables", sum(rows.values())) as done:
        for name in TABLES:
            with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                write_csv(file, run.table(name), done)
    return rows


def export_parquet(run: StoredRun, target: Path, *, force: bool) -> dict[str, int]:
    """Write a folder with one Parquet file per table."""
    rows = table_rows(run)
    with fresh_folder(target, force=force) as folder:
        for name, (file,) in run.tables.files().items():
            shutil.copyfile(file, folder / f"{name}.parquet")
    return rows


def export_perfetto(run: StoredRun, target: Path, *, force: bool) -> dict[str, int]:
    """Write one trace for ui.perfetto.dev."""
    with (
        fresh_file(target, force=force) as file,
        file.open("wb", buffering=1 << 20) as out,
        progress("Writing trace", trace_rows(run)) as done,
    ):
        counts = write_run_trace(run, out, done)
    return {
        "tracks": counts.tracks,
        "phases": counts.slices,
        "samples": counts.counts,
        "left_out": counts.left_out,
        "arrows": counts.arrows,
        "arrows_left_out": counts.arrows_left_out,
    }


def export_wfformat(run: StoredRun, target: Path, *, force: bool) -> dict[str, int]:
    """Write one instance of WfFormat.

    Raises:
        UsageError: The run has no tasks.
    """
    instance, renamed = as_allowed(instance_of(run))
    count = len(instance.tasks) + int(instance.tasks.executed.sum())
    with (
        fresh_file(target, force=force) as file,
        file.open("wb", buffering=1 << 20) as out,
        progress("Writing tasks", count) as done,
    ):
        write_instance(out, instance, datetime.now(UTC).isoformat(), done)
    return {
        "tasks": len(instance.tasks),
        "edges": len(instance.befores),
        "files": len(instance.files.names),
        "files_renamed": renamed,
    }


def table_rows(run: StoredRun) -> dict[str, int]:
    """Return how many rows each table of a run has."""
    counts = run.query("SELECT " + ", ".join(f"(SELECT count(*) FROM {name}) AS {name}" for name in TABLES))
    return {name: int(str(column[0])) for name, column in counts.items()}
