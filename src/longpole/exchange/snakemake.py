"""What Snakemake says while it runs a workflow, as rows of a run's tables.

What becomes of it: rules are types, jobs are tasks, named by rule and wildcards. Each attempt is a phase
``job`` from the moment it could have started to its end, with ``queue`` (its inputs were there, but Snakemake
had no cores for it) and ``exec``, or ``submitted`` where another system executes it, with its queue and its
execution in there as far as that system tells (``snakemake_cluster``).
Files are inputs and outputs with their sizes, and an edge leads from the job that made a file to the one that
uses it. What a ``benchmark:`` file says is in the totals.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from longpole.exchange.rows import Row, Rows, times
from longpole.exchange.sacct_entry import Entry
from longpole.exchange.snakemake_cluster import Cluster, Submission
from longpole.exchange.snakemake_files import Files, measured, names
from longpole.model.execution import Status

TELLER = "Snakemake"


@dataclass(slots=True)
class _Job:
    """A job as far as it is known."""

    number: int
    rule: str = ""
    attempt: int = 0
    ready_ns: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    local: bool = False
    failed: bool = False
    phases: tuple[int, int, int] = (0, 0, 0)
    outputs: list[str] = field(default_factory=list)
    benchmark: str = ""
    submission: Submission | None = None


def task_said(number: int, attempt: int) -> str:
    """Return how a command says, in its environment, which attempt of which job it runs for.

    Examples:
        >>> task_said(7, 1)
        'Snakemake:8:1'
    """
    return f"{TELLER}:{number + 1}:{attempt}"


def task_named(rule: str, wildcards: Mapping[str, Any], attempt: int) -> str:
    """Return the same for a job whose number is not known.

    Examples:
        >>> task_named("work", {"s": "a"}, 1)
        'Snakemake:work s=a:1'
    """
    return f"{TELLER}:{_name(rule, wildcards)}:{attempt}"


class Workflow:
    """Turns events into rows, in the order in which they come."""

    def __init__(self, files: Files) -> None:
        """Ask for what is known of files there."""
        self._disk = files
        self._jobs: dict[int, _Job] = {}
        self._files: dict[str, int] = {}
        self._makers: dict[str, _Job] = {}
        self._edges = self._phases = 0
        self._cluster = Cluster()
        self._began_ns: int | None = None
        self.remote = False

    @property
    def failed(self) -> bool:
        """Whether a job has failed, and not succeeded since."""
        return any(job.failed for job in self._jobs.values())

    def start_workflow(self, now_ns: int) -> None:
        """Snakemake begins to execute jobs."""
        self._began_ns = now_ns

    def start_jobs(self, numbers: Iterable[int], now_ns: int) -> None:
        """Jobs were chosen to run now: each begins its next attempt."""
        for number in numbers:
            job = self._jobs.setdefault(number, _Job(number))
            if job.attempt:
                job.ready_ns = job.ended_ns
            job.attempt += 1
            job.started_ns, job.ended_ns, job.submission = now_ns, None, None
            job.phases = (self._phases + 1, self._phases + 2, self._phases + 3)
            self._phases += 3

    def describe_job(self, number: int, facts: Mapping[str, Any], now_ns: int) -> Rows:
        """Snakemake says what a job is, as it starts."""
        job = self._jobs.setdefault(number, _Job(number))
        if not job.attempt or job.ended_ns is not None:  # of a group, whose start names no jobs
            self.start_jobs([number], now_ns)
        job.rule, job.local = str(facts.get("rule_name") or "?"), bool(facts.get("local"))
        inputs, job.outputs = names(facts.get("input")), names(facts.get("output"))
        job.benchmark = str(facts.get("benchmark") or "")
        before = [self._makers[name] for name in inputs if name in self._makers]
        rows: Rows = self._end_unheard(before)
        if job.attempt == 1:
            ends = [maker.ended_ns for maker in before if maker.ended_ns is not None]
            job.ready_ns = max([*ends, *([] if self._began_ns is None else [self._began_ns])], default=None)
        rows.update(tasks=[_task(job, facts)], edges=[])
        for name in dict.fromkeys(inputs):
            rows["files"] += self._file(name)
            maker = self._makers.get(name)
            if maker is not None and job.attempt == 1:
                rows["edges"].append(self._edge(maker, job, name))
        for name in job.outputs:
            self._makers[name] = job
        rows["phases"] += self._attempt(job, Status.UNFINISHED)
        return rows

    def submit_job(self, number: int, identity: str) -> None:
        """A job went to a cluster, which calls it so; an empty name is none that Slurm gives."""
        job = self._jobs.get(number)
        if job is not None and job.started_ns is not None and job.submission is None:
            job.submission = Submission(number + 1, job.rule, job.attempt, job.phases[2], job.started_ns)
            self._cluster.add(identity, job.submission)

    def end_job(self, number: int, now_ns: int, *, failed: bool) -> Rows:
        """A job has finished, or failed."""
        job = self._jobs.get(number)
        if job is None or not job.attempt or job.ended_ns is not None:
            return {}
        job.ended_ns, job.failed = now_ns, failed
        status = Status.FAILED if failed else Status.OK
        if job.submission is not None:
            job.submission.end_ns, job.submission.status = now_ns, status
        rows: Rows = {"phases": self._attempt(job, status), "files": []}
        if not failed:
            for name in job.outputs:
                rows["files"] += self._file(name)
            rows["totals"] = measured(self._disk.read(job.benchmark), job.phases[2]) if job.benchmark else []
        return rows

    def end_workflow(self, now_ns: int) -> Rows:
        """Snakemake ends; jobs whose end was not said ended when they last wrote their outputs, if any."""
        rows = self._end_unheard(list(self._jobs.values()))
        for job in self._jobs.values():
            if job.rule and not job.outputs and job.ended_ns is None and not self.failed:
                rows["phases"] += self.end_job(job.number, now_ns, failed=False)["phases"]
        return rows

    @property
    def cluster_jobs(self) -> tuple[str, ...]:
        """Ids of the jobs that went to Slurm."""
        return self._cluster.jobs

    def account(self, entries: Sequence[Entry]) -> Rows:
        """Slurm tells when these jobs ran there; asked once, when the workflow has ended."""
        return self._cluster.account(entries, count(self._phases + 1))

    def unaccounted(self, entries: Sequence[Entry], reason: str = "") -> str:
        """Return a sentence if this does not tell when all jobs ran in the cluster."""
        return self._cluster.gap(entries, reason)

    def _end_unheard(self, jobs: list[_Job]) -> Rows:
        """Return the ends of jobs of which Snakemake, told to be quiet, has not said that they finished."""
        rows: Rows = {"phases": [], "files": [], "totals": []}
        for job in jobs:
            written = [self._disk.changed_ns(name) for name in job.outputs]
            if job.ended_ns is None and job.started_ns is not None and written and None not in written:
                last = max(moment for moment in written if moment is not None)
                for table, some in self.end_job(job.number, max(last, job.started_ns), failed=False).items():
                    rows[table] += some
        return rows

    def _attempt(self, job: _Job, status: Status) -> list[Row]:
        """Return the rows of an attempt, as far as it has come."""
        assert job.started_ns is not None
        whole, queue, execution = job.phases
        ready = job.started_ns if job.ready_ns is None else min(job.ready_ns, job.started_ns)
        known = {"task": job.number + 1, "attempt": job.attempt, "name": job.rule, "count": 1}
        inside = {**known, "parent": whole}
        kind = "exec" if job.local or not self.remote else "submitted"
        waited, ran = times(ready, job.started_ns), times(job.started_ns, job.ended_ns)
        return [
            {**known, "id": whole, "kind": "job", **times(ready, job.ended_ns), "status": status.value},
            {**inside, "id": queue, "kind": "queue", **waited, "status": Status.OK.value},
            {**inside, "id": execution, "kind": kind, **ran, "status": status.value},
        ]

    def _file(self, name: str) -> list[Row]:
        identity = self._files.setdefault(name, len(self._files) + 1)
        return [{"id": identity, "name": name, "bytes": self._disk.size_of(name)}]

    def _edge(self, maker: _Job, user: _Job, name: str) -> Row:
        self._edges += 1
        tasks = {"from_task": maker.number + 1, "to_task": user.number + 1}
        return {
            "id": self._edges,
            "kind": "data",
            **tasks,
            "file": self._files[name],
            "bytes": self._disk.size_of(name),
        }


def _name(rule: str, wildcards: Mapping[str, Any]) -> str:
    named = ", ".join(f"{name}={value}" for name, value in wildcards.items())
    return f"{rule} {named}".strip()


def _task(job: _Job, facts: Mapping[str, Any]) -> Row:
    wildcards = {str(name): str(value) for name, value in dict(facts.get("wildcards") or {}).items()}
    resources = {
        str(name): value
        for name, value in dict(facts.get("resources") or {}).items()
        if isinstance(value, int | float | str) and not str(name).startswith("_")
    }
    declared = {
        "threads": facts.get("threads"),
        **resources,
        **({"wildcards": wildcards} if wildcards else {}),
    }
    return {
        "id": job.number + 1,
        "name": _name(job.rule, wildcards),
        "type": job.rule,
        "resources": json.dumps(declared, default=str),
        "outcome": "ran",
    }
