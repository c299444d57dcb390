"""Going on with a run: what its log says is done, and what its last driver left half done."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from longpole.model.patterns import matcher
from longpole.model.workflow import Task
from longpole.plan.expansion import Expansion
from longpole.run.jobs import Job
from longpole.run.journal import auxiliary_key
from longpole.run.messages import Made
from longpole.run.policy import Known
from longpole.store.driver_log import DriverLog, JobLog


class _Commit(NamedTuple):
    """What a job has committed; of several tasks, what each returned, by its number."""

    made: tuple[Made, ...]
    value: bytes
    values: dict[int, bytes]


class Past:
    """What was done in a run before this driver."""

    def __init__(self, log: DriverLog, expansion: Expansion, holds: Callable[[Made], bool]) -> None:
        """Take the log, and what tells whether a file is still the one that was made."""
        self._log, self._expansion, self._holds = log, expansion, holds
        self.tasks = {
            auxiliary_key(planned.name) if planned.auxiliary else planned.name: number
            for number, planned in log.planned.items()
        }
        self.tasks.update({f"[{label}]": number for number, label in log.groups.items()})
        self.files = log.numbers()
        self.sessions = len(log.sessions)
        self._commits: dict[int, _Commit | None] = {}
        self._committed_in = _last_commits(log)

    def attempts(self, job: Job) -> int:
        """Return how often a job was tried."""
        found = self._job(job)
        return found.attempts if found is not None else 0

    def job_of(self, task: int) -> str | None:
        """Return the label of the job that a task is committed in, empty if alone; None if it has to run."""
        number = self._where(self._expansion.tasks[task])
        return None if self._commit(number) is None else self._log.groups.get(number, "")

    def has(self, label: str) -> bool:
        """Return whether a job of several tasks is committed, and its files are still there."""
        return self._commit(self.tasks.get(f"[{label}]", 0)) is not None

    def known(self, job: Job) -> Sequence[Known] | None:
        """Return what the tasks of a job have made, if all were committed and their files are still there.

        Which tasks are one job may depend on what came first: each is looked up by its own name.
        """
        found = []
        for task in job.tasks:
            known = self._task(self._expansion.tasks[task])
            if known is None:
                return None
            found.append(known)
        return found

    def unfinished(self) -> list[tuple[int, int]]:
        """Return the jobs and attempts that have begun and never ended."""
        return [(number, begun.attempt) for number, job in self._log.jobs.items() for begun in job.open]

    def _task(self, task: Task) -> Known | None:
        number = self._where(task)
        commit = self._commit(number)
        if commit is None:
            return None
        if number not in self._log.groups:
            return Known(commit.made, commit.value)
        value = commit.values.get(self.tasks.get(task.name, 0), b"")
        return Known(_made_by(task, commit.made), value)

    def _where(self, task: Task) -> int:
        """Return the number of the job that a task was last committed in, as far as it ever was."""
        return self._committed_in.get(self.tasks.get(task.name, 0), 0)

    def _commit(self, number: int) -> _Commit | None:
        """Return what a job has committed, if all files of it are still there."""
        if number not in self._commits:
            job = self._log.jobs.get(number)
            self._commits[number] = self._looked_at(job, number) if job is not None else None
        return self._commits[number]

    def _looked_at(self, job: JobLog, number: int) -> _Commit | None:
        made = [Made(self._log.files.get(file, ""), size, total) for file, size, total in job.outputs]
        if not job.committed or not all(self._is_there(each) for each in made):
            return None
        value = bytes.fromhex(job.value)
        return _Commit(tuple(made), value, _apart(value) if number in self._log.groups else {})

    def _job(self, job: Job) -> JobLog | None:
        name = f"[{job.label}]" if job.label else self._expansion.tasks[job.tasks[0]].name
        return self._log.jobs.get(self.tasks.get(name, 0))

    def _is_there(self, made: Made) -> bool:
        """Return whether a file is as it was committed; what stayed within a cluster need not be there."""
        return made.size_bytes < 0 or self._holds(made)


def together(values: Mapping[int, bytes]) -> bytes:
    """Return what the functions of a job of several tasks returned as one value, for the journal."""
    return msgspec.msgpack.encode(values)


def _last_commits(log: DriverLog) -> dict[int, int]:
    """Return for each task that was committed in which job, the last time.

    What was planned last tells nothing: a later driver may have put it elsewhere, and come no further.
    """
    found: dict[int, int] = {}
    committed = ((number, job) for number, job in log.jobs.items() if job.committed)
    for number, job in sorted(committed, key=lambda each: (each[1].session, each[1].ended)):
        found.update(dict.fromkeys(job.members if number in log.groups else (number,), number))
    return found


def _apart(value: bytes) -> dict[int, bytes]:
    try:
        return msgspec.msgpack.decode(value, type=dict[int, bytes]) if value else {}
    except msgspec.MsgspecError:
        return {}


def _made_by(task: Task, made: Sequence[Made]) -> tuple[Made, ...]:
    """Return what one task of a cluster has made."""
    names = {name for some in task.outputs for name in some}
    patterns = [matcher(pattern) for some in task.many for pattern in some]
    return tuple(
        each for each in made if each.name in names or any(fits.fullmatch(each.name) for fits in patterns)
    )
