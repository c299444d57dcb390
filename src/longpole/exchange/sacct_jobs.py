"""From lines of Slurm's accounting to a run: attempts in their order, what each waited for, and edges."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from longpole.exchange.sacct_entry import Entry
from longpole.exchange.sentences import count_of
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.columns import Columns, floats, integers, texts
from longpole.model.execution import Metric, Scope, Source, Status
from longpole.model.told import Told

TELLER = "Slurm accounting"
_GOING_ON = {"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING", "RESIZING", "STAGE_OUT"}
_PHASE_COLUMNS = (
    *("id", "parent", "kind", "name", "task", "attempt"),
    *("start_ns", "end_ns", "duration_ns", "status", "attributes"),
)
_AFTER = re.compile(r"after(?:ok|any|notok|corr|burstbuffer)?:([\d_:+]+)")


@dataclass(slots=True)
class Attempt:
    """One try of a job, and its steps."""

    job: Entry
    steps: list[Entry] = field(default_factory=list)


def tell(entries: list[Entry], gaps: tuple[str, ...], name: str) -> Told:
    """Return the run that these lines make; a job's steps follow it.

    Raises:
        UnreadableFileError: Of no job the end is after its begin, though some have both.
    """
    jobs, wrong = attempts_of(entries), sum(_contradicts(entry) for entry in entries)
    if wrong and not any(entry.end_ns for entry in entries if not _contradicts(entry)):
        raise UnreadableFileError("the End of all jobs is before their Start.")
    rows = _Rows({job: number for number, job in enumerate(jobs, start=1)})
    for job, attempts in jobs.items():
        rows.add_task(job, attempts)
        for number, attempt in enumerate(attempts, start=1):
            rows.add_attempt(number, attempt)
    rows.add_sums()
    names = dict.fromkeys(attempts[-1].job.name for attempts in jobs.values())
    called = name or (next(iter(names)) if len(names) == 1 else "slurm")
    doubts = (*_going(jobs), *_doubts(entries, wrong))
    return Told(TELLER, called or "slurm", rows.tables(), (*gaps, *doubts))


def attempts_of(entries: list[Entry]) -> dict[str, list[Attempt]]:
    """Return the attempts of each job, the earliest first."""
    jobs: dict[str, list[Attempt]] = {}
    for entry in (replace(one, end_ns=None) if _contradicts(one) else one for one in entries):
        if not entry.step:
            jobs.setdefault(entry.job, []).append(Attempt(entry))
        elif entry.job in jobs:
            jobs[entry.job][-1].steps.append(entry)
    for attempts in jobs.values():
        attempts.sort(
            key=lambda one: (one.job.submit_ns or 0, one.job.start_ns is None, one.job.start_ns or 0)
        )
    return jobs


def _contradicts(entry: Entry) -> bool:
    """Return whether a job or step ends before it starts."""
    return entry.end_ns is not None and entry.start_ns is not None and entry.end_ns < entry.start_ns


def _going(jobs: dict[str, list[Attempt]]) -> Iterator[str]:
    if going := sum(attempts[-1].job.state in _GOING_ON for attempts in jobs.values()):
        yield f"{count_of(going, 'job')} had not ended when sacct was asked."


def _doubts(entries: list[Entry], wrong: int) -> Iterator[str]:
    if wrong:
        yield f"The End of {wrong:,} of {len(entries):,} jobs and steps is before their Start: left out."
    started = [one for one in entries if not one.step and one.start_ns is not None]
    ended = [one for one in started if one.state and one.state not in _GOING_ON]
    if unknown := sum(one.end_ns is None for one in ended):
        yield f"The End of {unknown:,} of {len(ended):,} jobs that have ended tells no time."


class _Rows:
    """Rows of the tables, as they come together."""

    def __init__(self, tasks: dict[str, int]) -> None:
        """Take the id of each job's task."""
        self._ids = tasks
        self._of_array: dict[str, list[int]] = {}
        for job, identity in tasks.items():
            self._of_array.setdefault(job.partition("_")[0], []).append(identity)
        self._tasks: list[tuple[int, str, str, str]] = []
        self._phases: list[tuple[Any, ...]] = []
        self._totals: list[tuple[int | None, Metric, float]] = []
        self._edges: list[tuple[int, int]] = []

    def add_task(self, job: str, attempts: list[Attempt]) -> None:
        """Add a job, and what it depends on."""
        last = attempts[-1].job
        known = {
            "cpus": last.cpus,
            "nodes": last.node_count,
            "memory": last.memory,
            "partition": last.partition,
        }
        resources = json.dumps({name: value for name, value in known.items() if value})
        ran = any(attempt.job.start_ns is not None for attempt in attempts)
        self._tasks.append((self._ids[job], last.name or job, resources, "ran" if ran else "never"))
        for before in dict.fromkeys(self._before(last)):
            self._edges.append((before, self._ids[job]))

    def _before(self, entry: Entry) -> Iterator[int]:
        """Yield the tasks that a job was submitted to wait for; of an array, all elements."""
        for named in _AFTER.findall(_dependency(entry.submit_line)):
            for job in filter(None, re.split(r"[:+]", named)):
                yield from [self._ids[job]] if job in self._ids else self._of_array.get(job, [])

    def add_attempt(self, number: int, attempt: Attempt) -> None:
        """Add an attempt with what it waited for, its execution, and the steps of that."""
        entry = attempt.job
        whole = self._phase(entry, "job", number, (entry.submit_ns or entry.start_ns, entry.end_ns))
        for kind, times in _waits(entry).items():
            self._phase(entry, kind, number, times, whole)
        if entry.start_ns is None:
            return
        ran = self._phase(entry, "exec", number, (entry.start_ns, entry.end_ns), whole)
        self._add_use(ran, used_by(attempt))
        for step in attempt.steps:
            at = self._phase(step, "jobstep", number, (step.start_ns, step.end_ns), ran)
            self._add_use(at, step)

    def _phase(
        self,
        entry: Entry,
        kind: str,
        attempt: int,
        times: tuple[int | None, int | None],
        parent: int | None = None,
    ) -> int:
        identity = len(self._phases) + 1
        name = entry.name or entry.step or entry.job
        status = _status(entry) if kind in ("job", "exec", "jobstep") else _waited(times)
        facts = attributes_of(entry) if kind in ("job", "jobstep") else None
        took = None if None in times else max(0, (times[1] or 0) - (times[0] or 0))
        self._phases.append(
            (identity, parent, kind, name, self._ids[entry.job], attempt, *times, took, status, facts)
        )
        return identity

    def _add_use(self, phase: int, entry: Entry) -> None:
        uses = {
            Metric.CPU_USER: entry.cpu_user_ns,
            Metric.CPU_SYSTEM: entry.cpu_system_ns,
            Metric.PEAK_MEMORY: entry.peak_bytes,
        }
        self._totals += [(phase, metric, float(value)) for metric, value in uses.items() if value is not None]

    def add_sums(self) -> None:
        """Add the CPU time of all executions, as that of the run."""
        ran = {row[0] for row in self._phases if row[2] == "exec"}
        for metric in (Metric.CPU_USER, Metric.CPU_SYSTEM):
            known = [value for phase, of, value in self._totals if of is metric and phase in ran]
            if known:
                self._totals.append((None, metric, sum(known)))

    def tables(self) -> dict[str, Columns]:
        """Return all rows."""
        return {"tasks": self._task_rows(), "phases": self._phase_rows(), **self._other_rows()}

    def _task_rows(self) -> Columns:
        ids, names, resources, outcomes = _turned(self._tasks, 4)
        return Columns(
            {
                "id": integers(ids),
                "name": texts(names),
                "type": texts(names),
                "resources": texts(resources),
                "outcome": texts(outcomes),
            }
        )

    def _phase_rows(self) -> Columns:
        columns = _turned(self._phases, len(_PHASE_COLUMNS))
        by_name = dict(zip(_PHASE_COLUMNS, columns, strict=True))
        words = {name: texts(by_name[name]) for name in ("kind", "name", "status", "attributes")}
        numbers = {name: integers(values) for name, values in by_name.items() if name not in words}
        return Columns({**numbers, **words, "count": integers([1] * len(self._phases))})

    def _other_rows(self) -> dict[str, Columns]:
        befores, afters = _turned(self._edges, 2)
        phases, metrics, values = _turned(self._totals, 3)
        return {
            "edges": Columns(
                {
                    "id": integers(range(1, len(self._edges) + 1)),
                    "kind": texts(["control"] * len(self._edges)),
                    "from_task": integers(befores),
                    "to_task": integers(afters),
                }
            ),
            "totals": Columns(
                {
                    "scope": texts(
                        [Scope.RUN.value if phase is None else Scope.PHASE.value for phase in phases]
                    ),
                    "owner": integers(phases),
                    "metric": texts([metric.value for metric in metrics]),
                    "value": floats(values),
                    "source": texts([Source.DECLARED.value] * len(self._totals)),
                }
            ),
        }


def _turned(rows: Sequence[tuple[Any, ...]], columns: int) -> list[list[Any]]:
    """Return rows as columns."""
    return [list(column) for column in zip(*rows, strict=True)] if rows else [[] for _ in range(columns)]


def _dependency(line: str) -> str:
    """Return what a submission was told to wait for.

    Examples:
        >>> _dependency("sbatch --dependency=afterok:12:13 job.sh"), _dependency("sbatch -d afterany:7 x")
        ('afterok:12:13', 'afterany:7')
    """
    try:
        words = shlex.split(line)
    except ValueError:
        words = line.split()
    for at, word in enumerate(words):
        if word.startswith("--dependency="):
            return word.partition("=")[2]
        if word in ("--dependency", "-d") and at + 1 < len(words):
            return words[at + 1]
        if word.startswith("-dafter"):
            return word[2:]
    return ""


def used_by(attempt: Attempt) -> Entry:
    """Return what an attempt used: as said of the job, else summed over steps; memory is the largest's."""
    job, steps = attempt.job, attempt.steps
    peaks = [entry.peak_bytes for entry in (job, *steps) if entry.peak_bytes is not None]
    user, system = job.cpu_user_ns, job.cpu_system_ns
    if user is None and system is None:
        user = sum(step.cpu_user_ns or 0 for step in steps) if steps else None
        system = sum(step.cpu_system_ns or 0 for step in steps) if steps else None
    return replace(job, cpu_user_ns=user, cpu_system_ns=system, peak_bytes=max(peaks, default=None))


def _waits(entry: Entry) -> Mapping[str, tuple[int | None, int | None]]:
    """Return when a job was held, and when it was in the queue; it may have been cancelled in either."""
    since, until = entry.submit_ns, entry.start_ns or entry.end_ns
    ready = max(filter(None, (entry.eligible_ns, since)), default=None)
    if since is not None and entry.start_ns is None and entry.never_eligible:
        return {"hold": (since, until)}
    if ready is None:
        return {}
    if since is None or ready <= since:
        return {"queue": (ready if until is None else min(ready, until), until)}
    if until is None or ready <= until:
        return {"hold": (since, ready), "queue": (ready, until)}
    held = {"hold": (since, until)}
    return held if entry.start_ns is None else {**held, "queue": (until, until)}


def _status(entry: Entry) -> str:
    if entry.state in _GOING_ON or entry.end_ns is None:
        return Status.UNFINISHED.value
    return Status.OK.value if entry.state == "COMPLETED" else Status.FAILED.value


def _waited(times: tuple[int | None, int | None]) -> str:
    return Status.UNFINISHED.value if times[1] is None else Status.OK.value


def attributes_of(entry: Entry) -> str:
    """Return what else is known of a job or a step, as JSON."""
    known = {
        "job": entry.job,
        "step": entry.step,
        "state": entry.state,
        "exit_code": entry.exit_code,
        "signal": entry.signal,
        "nodes": entry.nodes,
        "tasks": entry.tasks,
        "folder": entry.folder,
    }
    return json.dumps({name: value for name, value in known.items() if value not in (None, "")})
