"""A finished Snakemake workflow, from what its working directory still tells.

Form: one JSON record for each output (``.snakemake/metadata``) with rule, inputs, shell command, start and
end; and logs (``snakemake_log``). What becomes of it: outputs of one job make a task; each try is a phase
``job`` with ``exec`` in it; edges by files; the values of benchmark files. What neither a record nor a log
has is said.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from longpole.exchange.rows import Row, Rows, as_columns, times
from longpole.exchange.sentences import count_of
from longpole.exchange.snakemake import TELLER
from longpole.exchange.snakemake_files import Files, measured, names
from longpole.exchange.snakemake_log import LoggedJob, Try
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.execution import Status
from longpole.model.told import Told
from longpole.record.secrets import replace_secrets

_LATEST_S = 1 << 32  # in the year 2106
# A log has whole seconds, and clocks of a cluster differ: less is no contradiction.
_SKEW_NS = 2_000_000_000
_SHELL_LETTERS = 4000
_QUEUE = (
    "Snakemake keeps no times of waiting: on a cluster a job lasts from when it was handed on to when its "
    "end was seen, the queue with it."
)
_NO_LOG = (
    "There is no log of Snakemake, so no wildcards, threads, benchmarks and failed attempts, and no job "
    "without outputs."
)
_NO_RECORD = (
    "neither .snakemake/metadata nor .snakemake/log tells of a job ({odd} cannot be understood), as where "
    "they were removed, or not kept (--drop-metadata)."
)
_LOG_TIMES = (
    "Failed attempts, jobs without outputs and starts on a cluster have their times from the log: whole "
    "seconds without a zone, taken to be of this machine unless --timezone says otherwise."
)


@dataclass(slots=True)
class _Job:
    """What is known of a job."""

    rule: str
    inputs: tuple[str, ...] = ()
    outputs: list[str] = field(default_factory=list)
    shell: str = ""
    cluster_job: str = ""
    start_ns: int | None = None
    end_ns: int | None = None
    logged: LoggedJob | None = None

    def tries(self) -> list[Try]:
        """Return its tries; times of the record are better than those of the log."""
        found = list(self.logged.tries) if self.logged is not None else []
        if self.start_ns is None and self.end_ns is None:
            return found
        last = found.pop() if found and not found[-1].failed else Try(None)
        return [*found, Try(self.start_ns or last.start_ns, self.end_ns or last.end_ns)]


def read_records(
    records: Iterable[tuple[str, str]], logs: Sequence[Sequence[LoggedJob]], files: Files, name: str
) -> Told:
    """Return what a working directory tells.

    Args:
        records: The name of each output, and its record.
        logs: The jobs of each invocation, the earliest first.
        files: The files of the directory.
        name: What to call the run.

    Raises:
        UnreadableFileError: It tells of no job; the sentence does not name the directory.
    """
    jobs, odd = _jobs_of(records)
    every = _with_logs(jobs, logs)
    if not every:
        raise UnreadableFileError(_NO_RECORD.format(odd=count_of(odd, "record")))
    every.sort(key=lambda job: min((one.start_ns or 0 for one in job.tries()), default=0))
    rows = _Rows(files)
    for number, job in enumerate(every, start=1):
        rows.add_job(number, job)
    rows.add_edges(every)
    tables = {table: as_columns(table, some) for table, some in rows.tables.items() if some}
    return Told(TELLER, name, tables, (*_gaps(every, logs, odd), *_contradictions(every)))


def _jobs_of(records: Iterable[tuple[str, str]]) -> tuple[list[_Job], int]:
    """Return the jobs that made these outputs, and how many records could not be understood."""
    jobs: dict[tuple[Any, ...], _Job] = {}
    odd = 0
    for output, text in records:
        record = _record(text)
        if record is None:
            odd += 1
            continue
        rule, inputs = str(record["rule"]), tuple(names(record.get("input")))
        key = (
            rule,
            inputs,
            str(record.get("job_hash")),
            str(record.get("shellcmd")),
            str(record.get("params")),
        )
        job = jobs.setdefault(key, _Job(rule, inputs))
        job.outputs.append(output)
        job.shell = str(record.get("shellcmd") or "")[:_SHELL_LETTERS]
        job.cluster_job = str(record.get("external_jobid") or "")
        start_ns, end_ns = _moment(record.get("starttime")), _moment(record.get("endtime"))
        job.start_ns = min(filter(None, (job.start_ns, start_ns)), default=None)
        job.end_ns = max(filter(None, (job.end_ns, end_ns)), default=None)
    return list(jobs.values()), odd


def _record(text: str) -> dict[str, Any] | None:
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and isinstance(record.get("rule"), str) else None


def _moment(value: object) -> int | None:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 < value < _LATEST_S:
        return None
    return round(value * 1e6) * 1000  # a float of seconds has no more


def _with_logs(jobs: list[_Job], logs: Sequence[Sequence[LoggedJob]]) -> list[_Job]:
    """Return the jobs with what logs tell of them, and those that only a log tells of."""
    makers = {output: job for job in jobs for output in job.outputs}
    others: dict[tuple[str, ...], _Job] = {}
    for logged in (one for log in logs for one in log):
        job = next((makers[output] for output in logged.outputs if output in makers), None)
        if job is None:
            key = (logged.rule, logged.wildcards, *logged.outputs)
            job = others.setdefault(key, _Job(logged.rule, logged.inputs, list(logged.outputs)))
        before = job.logged.tries if job.logged is not None else []
        logged.tries[:0] = before
        job.logged = logged
    return [*jobs, *others.values()]


def _gaps(jobs: list[_Job], logs: Sequence[Sequence[LoggedJob]], odd: int) -> list[str]:
    gaps = [_QUEUE, _LOG_TIMES if any(logs) else _NO_LOG]
    used = sum(bool(log) for log in logs)
    if used > 1:
        gaps.append(f"The jobs are of {used:,} invocations of Snakemake; what lies between them is no work.")
    if odd:
        gaps.append(f"{odd:,} of the records could not be understood and were left out.")
    unknown = sum(not any(one.start_ns for one in job.tries()) for job in jobs)
    if unknown:
        gaps.append(f"When {unknown:,} of {len(jobs):,} jobs began is not known.")
    return gaps


def _contradictions(jobs: list[_Job]) -> list[str]:
    """Return a sentence on tries that end before they start; those took no time."""
    tries = [
        one for job in jobs for one in job.tries() if one.start_ns is not None and one.end_ns is not None
    ]
    wrong = sum((one.end_ns or 0) < (one.start_ns or 0) - _SKEW_NS for one in tries)
    said = f"The endtime of {wrong:,} of {len(tries):,} jobs is before its starttime: they took no time."
    return [said] if wrong else []


class _Rows:
    """Rows of the tables, as they come together."""

    def __init__(self, files: Files) -> None:
        self._disk = files
        self._files: dict[str, int] = {}
        self.tables: Rows = {"tasks": [], "phases": [], "edges": [], "files": [], "totals": []}

    def add_job(self, number: int, job: _Job) -> None:
        """Add a job with its tries and its files."""
        tries = job.tries()
        self.tables["tasks"].append(_task(number, job, ran=bool(tries)))
        for attempt, one in enumerate(tries, start=1):
            phase = self._add_try(number, job, attempt, one)
            if one is tries[-1] and not one.failed and job.logged is not None and job.logged.benchmark:
                self.tables["totals"] += measured(self._disk.read(job.logged.benchmark), phase)
        for name in (*job.inputs, *job.outputs):
            self._file(name)

    def _add_try(self, task: int, job: _Job, attempt: int, one: Try) -> int:
        """Add a try; return its execution."""
        whole = len(self.tables["phases"]) + 1
        status = Status.FAILED if one.failed else Status.OK if one.end_ns is not None else Status.UNFINISHED
        spent: Row = {"end_ns": one.end_ns}
        if one.start_ns is not None:
            spent = times(one.start_ns, None if one.end_ns is None else max(one.start_ns, one.end_ns))
        known = {
            "task": task,
            "attempt": attempt,
            "name": job.rule,
            "count": 1,
            "status": status.value,
            **spent,
        }
        said = {"shell": replace_secrets(job.shell), "job": job.cluster_job}
        facts = json.dumps({name: value for name, value in said.items() if value})
        self.tables["phases"] += [
            {**known, "id": whole, "kind": "job", "attributes": facts},
            {**known, "id": whole + 1, "kind": "exec", "parent": whole},
        ]
        return whole + 1

    def _file(self, name: str) -> int:
        if name not in self._files:
            self._files[name] = len(self._files) + 1
            self.tables["files"].append(
                {"id": self._files[name], "name": name, "bytes": self._disk.size_of(name)}
            )
        return self._files[name]

    def add_edges(self, jobs: list[_Job]) -> None:
        """Add an edge for each file that one job made and another used."""
        makers = {output: number for number, job in enumerate(jobs, start=1) for output in job.outputs}
        for number, job in enumerate(jobs, start=1):
            for name in dict.fromkeys(job.inputs):
                if makers.get(name, number) != number:
                    self.tables["edges"].append(self._edge(makers[name], number, name))

    def _edge(self, maker: int, user: int, name: str) -> Row:
        return {
            "id": len(self.tables["edges"]) + 1,
            "kind": "data",
            "from_task": maker,
            "to_task": user,
            "file": self._file(name),
            "bytes": self._disk.size_of(name),
        }


def _task(number: int, job: _Job, *, ran: bool) -> Row:
    logged = job.logged
    wildcards = logged.wildcards if logged is not None else ""
    known: dict[str, Any] = {}
    if logged is not None:
        known["threads"] = int(logged.threads) if logged.threads.isdecimal() else 1
    if wildcards:
        pairs = (pair.partition("=") for pair in wildcards.split(", "))
        known["wildcards"] = {name: value for name, _, value in pairs}
    named = wildcards or (job.outputs[0] if job.outputs and logged is None else "")
    return {
        "id": number,
        "name": f"{job.rule} {named}".strip(),
        "type": job.rule,
        "resources": json.dumps(known),
        "outcome": "ran" if ran else "never",
    }
