"""Traces that were written while a run was recorded, put into that run: each under the process it is of.

All or nothing: a trace of something else is refused before anything is written. One that is in the run
already is left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from longpole.app.imports import CannotKeepRunError, write_log
from longpole.errors import UsageError
from longpole.model.manifest import Manifest, State
from longpole.model.told import Told
from longpole.store.derive.notes import Teller
from longpole.store.derive.within import Traced
from longpole.store.grafting import Recorded
from longpole.store.life import state_of
from longpole.store.manifest import read_manifest

_OTHERWISE = "Without --into, it is imported as a run of its own."


@dataclass(frozen=True, slots=True)
class Grafted:
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


def graft(traces: Mapping[str, Told], path: Path) -> tuple[Grafted, ...]:
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
        raise UsageError(f"Nothing was recorded in run {manifest.id}: no process there can have been traced.")
    found = tuple(_looked_at(file, told, run, manifest) for file, told in traces.items())
    _write([trace.told for trace in found if not trace.known], path)
    return found


def _looked_at(file: str, told: Told, run: Recorded, manifest: Manifest) -> Grafted:
    """Return what is to become of a trace."""
    processes = _processes(file, told)
    for process in processes:
        _check(file, process, run, manifest)
    return Grafted(file, told, processes, known=run.take(processes))


def _processes(file: str, told: Told) -> tuple[Traced, ...]:
    """Return the processes that a trace is of.

    Raises:
        UsageError: It does not tell which they are.
    """
    hosts = told.tables["hosts"].records() if "hosts" in told.tables else ()
    names = {row["id"]: str(row["name"] or "") for row in hosts}
    rows = list(told.tables["processes"].records()) if "processes" in told.tables else []
    if not rows or any(row.get(name) is None for row in rows for name in ("pid", "start_ns", "end_ns")):
        raise UsageError(f"{file} does not tell the pids of its processes: it cannot be put into a run.")
    return tuple(_traced(row, names.get(row.get("host"), "")) for row in rows)


def _traced(row: Mapping[str, int | float | str | None], host: str) -> Traced:
    number, pid, start_ns, end_ns = (int(row[name] or 0) for name in ("id", "pid", "start_ns", "end_ns"))
    rank = row.get("rank")
    return Traced(number, pid, host, start_ns, end_ns, rank=None if rank is None else int(rank))


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
            f"{what}, and does not tell on which host: at that time run {manifest.id} has one of that pid on "
            f"each of {len(found)}."
        )
    if not run.namesakes(traced):
        raise UsageError(f"{what}, which run {manifest.id} did not record. {_OTHERWISE}")
    raise UsageError(
        f"{what} at {_moment(traced.start_ns)}; that of run {manifest.id} did not run then. {_OTHERWISE}"
    )


def _moment(utc_ns: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(utc_ns / 1e9))


def _write(every: Sequence[Told], path: Path) -> None:
    with ExitStack() as undo:
        try:
            for told in every:
                log = write_log(str(path), Teller(told.source, told.gaps, within=True), told.tables)
                undo.callback(os.unlink, log)
        except OSError as error:
            raise CannotKeepRunError(f"Cannot write into {path}: {error.strerror or error}.") from error
        undo.pop_all()
