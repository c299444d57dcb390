"""Jobs that Snakemake left to Slurm: when each really ran there, as rows of a run's tables.

Method: the executor says which job of the cluster it submitted for which job of the workflow, and Slurm's
accounting knows those. What becomes of it: in the phase ``submitted`` of an attempt, a phase ``queue`` up to
each start in the cluster and ``exec`` from there to its end, with CPU time and memory as Slurm has them.
Slurm counts whole seconds, on its own clock: they are put within the attempt as Snakemake saw it. Jobs of a
group share one job of the cluster, and each is given the whole of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longpole.exchange.rows import Row, Rows, times, total
from longpole.exchange.sacct_entry import Entry
from longpole.exchange.sacct_jobs import Attempt, attempts_of, attributes_of, used_by
from longpole.model.execution import Metric, Status

_MINUTE_NS = 60_000_000_000
# What executors say as they submit: jobs of the workflow, and the id that the cluster gave.
_SAID = (
    re.compile(r"job (?P<jobs>\S+) with external jobid '(?P<id>[^']*)'"),
    re.compile(r"Job (?P<jobs>\S+) has been submitted with SLURM jobid (?P<id>\S+)"),
    re.compile(r"Snakemake IDs (?P<jobs>\S+) and SLURM job ID (?P<id>\d+)\. .* IDs are (?P<first>\d+)-\d+\."),
)
# As sbatch has it, in a sentence or, with --parsable, alone or before a cluster's name.
_SLURM_ID = re.compile(r"(?:.* )?(\d+(?:_\d+)?)(?:;\S*)?")


@dataclass(slots=True)
class Submission:
    """One attempt of a job, as Snakemake saw it go to the cluster and come back.

    Attributes:
        phase: The phase ``submitted`` of that attempt.
    """

    task: int
    name: str
    attempt: int
    phase: int
    start_ns: int
    end_ns: int | None = None
    status: Status = Status.UNFINISHED


def submitted_in(message: str) -> list[tuple[str, str]]:
    """Return the jobs that an executor says it has submitted, each with the id of the cluster's job.

    Examples:
        >>> submitted_in("Submitted job 7 with external jobid 'Submitted batch job 4711'.")
        [('7', '4711')]
    """
    for pattern in _SAID:
        if found := pattern.search(message):
            said = found.groupdict()
            identity = _SLURM_ID.fullmatch(said["id"])
            jobs = said["jobs"].split(",")
            if identity is None:
                return [(job, "") for job in jobs]
            if "first" not in said:
                return [(job, identity.group(1)) for job in jobs]
            return [(job, f"{said['id']}_{at}") for at, job in enumerate(jobs, start=int(said["first"]))]
    return []


class Cluster:
    """What was submitted, by the id of the cluster's job."""

    def __init__(self) -> None:
        """Begin with nothing submitted."""
        self._submissions: dict[str, list[Submission]] = {}
        self._without_id = 0

    @property
    def jobs(self) -> tuple[str, ...]:
        """Ids of the cluster's jobs, as Slurm has them."""
        return tuple(self._submissions)

    def add(self, identity: str, submission: Submission) -> None:
        """An attempt went to the cluster; an empty id is none of Slurm's."""
        if identity:
            self._submissions.setdefault(identity, []).append(submission)
        else:
            self._without_id += 1

    def account(self, entries: Sequence[Entry], ids: Iterator[int]) -> Rows:
        """Return what these lines of the accounting tell, as rows of phases and totals."""
        rows: Rows = {"phases": [], "totals": []}
        for identity, attempts in attempts_of(list(entries)).items():
            for submission in self._submissions.get(identity, []):
                own = [one for one in attempts if _is_of(one.job, submission)]
                for table, some in _rows(submission, own, ids).items():
                    rows[table] += some
        return rows

    def gap(self, entries: Sequence[Entry], reason: str = "") -> str:
        """Return what is missing when this is all that the accounting told, and why; empty if nothing is."""
        begun = {entry.job for entry in entries if entry.start_ns is not None}
        every = self._without_id + sum(map(len, self._submissions.values()))
        known = sum(len(them) for job, them in self._submissions.items() if job in begun)
        why = reason or "Slurm's accounting does not tell."
        what = f"When {every - known:,} of {every:,} jobs began in the cluster is not known: {why}"
        return f"{what} Their phase 'submitted' holds the cluster's queue." if every > known else ""


def _is_of(entry: Entry, submission: Submission) -> bool:
    """Return whether this is the job that was submitted, and not an older one that had its number."""
    return entry.submit_ns is None or entry.submit_ns > submission.start_ns - _MINUTE_NS


def _rows(submission: Submission, attempts: list[Attempt], ids: Iterator[int]) -> Rows:
    """Return the waits and executions of an attempt; several where the cluster itself started it again."""
    rows: Rows = {"phases": [], "totals": []}
    free_ns, latest_ns = submission.start_ns, submission.end_ns
    for attempt in attempts:
        entry, is_last = attempt.job, attempt is attempts[-1]
        start_ns = _within(entry.start_ns, free_ns, latest_ns)
        end_ns = _within(entry.end_ns or latest_ns, start_ns or free_ns, latest_ns)
        waited = times(free_ns, end_ns if start_ns is None else start_ns)
        queued = Status.UNFINISHED if waited["end_ns"] is None else Status.OK
        rows["phases"].append(_phase(submission, next(ids), "queue", queued) | waited)
        if start_ns is None:
            continue
        ran, status = next(ids), submission.status if is_last else Status.FAILED
        known = {**times(start_ns, end_ns), "attributes": attributes_of(entry)}
        rows["phases"].append(_phase(submission, ran, "exec", status) | known)
        rows["totals"] += _uses(ran, used_by(attempt))
        free_ns = end_ns or start_ns
    return rows


def _within(moment: int | None, low: int, high: int | None) -> int | None:
    if moment is None:
        return None
    return max(low, moment if high is None else min(moment, high))


def _phase(submission: Submission, identity: int, kind: str, status: Status) -> Row:
    return {
        "id": identity,
        "parent": submission.phase,
        "kind": kind,
        "name": submission.name,
        "task": submission.task,
        "attempt": submission.attempt,
        "count": 1,
        "status": status.value,
    }


def _uses(phase: int, entry: Entry) -> list[Row]:
    uses = {
        Metric.CPU_USER: entry.cpu_user_ns,
        Metric.CPU_SYSTEM: entry.cpu_system_ns,
        Metric.PEAK_MEMORY: entry.peak_bytes,
    }
    return [total(phase, metric, float(value)) for metric, value in uses.items() if value is not None]
