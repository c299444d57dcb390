"""Traces that were written while a run was recorded, put into that run: each under the process it is of.

All or nothing: a trace of something else is refused before anything is written. One that is in the run
already is left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longpole.app.imports import CannotKeepRunError, write_log
from longpole.errors import UsageError
from longpole.model.manifest import Manifest, State
from longpole.model.told import Told
from longpole.store.attaching import Recorded
from longpole.store.derive.notes import Teller
from longpole.store.derive.within import Traced
from longpole.store.life import state_of
from longpole.store.manifest import read_manifest

_OTHERWISE = "Without --into, it is imported as a run of its own."


@dataclass(frozen=True, slots=True)
class Attached:
    """What became of one trace.

    Attributes:
        file: What the user calls its file.
        told: What it tells.
        processes: Which processes it is of.
        known: Whether it was in the run already: nothing was added.
    """

    file: str
    told: Told
    processes: tuple[Traced, ...]
    known: bool

    @property
    def phases(self) -> int:
        """How many phases were put into the run."""
        return 0 if self.known else self.told.tables["phases"].rows - len(self.processes)

    @property
    def gaps(self) -> tuple[str, ...]:
        """What it could not tell of what was added."""
        return () if self.known else self.told.gaps

    def facts(self) -> dict[str, object]:
        """Return what became of it, for JSON."""
        pids = [process.pid for process in self.processes]
        return {"file": self.file, "source": self.told.source, "pids": pids, "phases": self.phases}

    def sentence(self) -> str:
        """Return what became of it, for a person."""
        if self.known:
            return f"{self.file} is in this run already: nothing was added."
        whose = " and ".join(_called(process) for process in self.processes)
        return f"{self.file}: {self.phases:,} phases of {whose}"


def attach(traces: Mapping[str, Told], path: Path) -> tuple[Attached, ...]:
    """Put traces, by the names of their files, into the run they were written in; say what became of each.

    Raises:
        UsageError: The run has not ended, or one of them is not of a process of this run.
        DamagedRunError: The run cannot be read.
        CannotKeepRunError: The run cannot be written to.
    """
    manifest = read_manifest(path)
    if state_of(path, manifest) is State.RUNNING:
        raise UsageError(f"Run {manifest.id} is still being recorded. Import into it when it has ended.")
    run = Recorded(path, manifest.started)
    if not len(run):
        raise UsageError(f"Nothing was recorded in run {manifest.id}: it has no process to put a trace under.")
    found, seen = [], set()
    for file, told in traces.items():
        processes = _processes(file, told)
        for process in processes:
            _check(file, process, run, manifest)
        keys = {process.key for process in processes}
        found.append(Attached(file, told, processes, keys <= seen or all(map(run.has, processes))))
        seen |= keys
    _write([trace.told for trace in found if not trace.known], path)
    return tuple(found)


def _processes(file: str, told: Told) -> tuple[Traced, ...]:
    rows = list(told.tables["processes"].records()) if "processes" in told.tables else []
    hosts = list(told.tables["hosts"].records()) if "hosts" in told.tables else []
    names = {row["id"]: str(row["name"] or "") for row in hosts}
    found = tuple(
        Traced(
            *(int(row[name] or 0) for name in ("id", "pid")),
            names.get(row.get("host"), ""),
            *(int(row[name] or 0) for name in ("start_ns", "end_ns")),
            *(row.get(name) for name in ("rank", "world")),
        )
        for row in rows
        if row.get("pid") and row.get("start_ns") is not None and row.get("end_ns") is not None
    )
    if not found or len(found) < len(rows):
        raise UsageError(f"{file} does not tell the pids of its processes: it cannot be put into a run.")
    return found


def _called(process: Traced) -> str:
    return f"process {process.pid}" + ("" if process.rank is None else f" (rank {process.rank})")


def _check(file: str, traced: Traced, run: Recorded, manifest: Manifest) -> None:
    """Refuse a trace of a process that was not recorded."""
    found = run.same_as(traced)
    if len(found) == 1:
        return
    what = f"{file} is of process {traced.pid}"
    if len(found) > 1:
        raise UsageError(
            f"{what}, of which run {manifest.id} has one on each of {len(found)} hosts at that time, and does "
            "not tell on which it was."
        )
    if not run.namesakes(traced):
        raise UsageError(f"{what}, which run {manifest.id} did not record. {_OTHERWISE}")
    raise UsageError(
        f"{what} at {_moment(traced.start_ns)}; that of run {manifest.id} did not run then. {_OTHERWISE}"
    )


def _moment(utc_ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(utc_ns / 1e9))


def _write(every: Sequence[Told], path: Path) -> None:
    written: list[str] = []
    try:
        for told in every:
            written.append(write_log(str(path), Teller(told.source, told.gaps, within=True), told.tables))
    except BaseException as error:
        for log in written:
            os.unlink(log)
        if isinstance(error, OSError):
            raise CannotKeepRunError(f"Cannot write into {path}: {error.strerror or error}.") from error
        raise
