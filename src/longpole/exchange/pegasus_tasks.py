"""What is a task in a run of Pegasus: what its author described, and what Pegasus added.

A task of the workflow that one job does is one row. A job that does none (staging, creating and removing
folders, registration) is a row of its own, its type what it is for, so that no dependency between jobs is
lost. A job that does several (clustered) is a row of its own, and each of its tasks is one. A task without a
job was skipped: Pegasus found its outputs.
"""

from __future__ import annotations

import json

from longpole.exchange.pegasus_database import Database, Job, Task
from longpole.exchange.rows import Row

_CLUSTERED = "clustered"


class Tasks:
    """Rows of tasks, and which row a job or a task of one database is.

    Attributes:
        rows: The rows so far, over all databases.
        of_job: Row by id of the job.
        of_job_name: Row by workflow and name of the job.
        of_task: Row by workflow and name of the task.
    """

    def __init__(self) -> None:
        """Begin without any."""
        self.rows: list[Row] = []
        self.of_job: dict[int, int] = {}
        self.of_job_name: dict[tuple[int, str], int] = {}
        self.of_task: dict[tuple[int, str], int] = {}

    def add(self, database: Database, ran: set[int]) -> None:
        """Add the tasks and jobs of a database, of which ``ran`` are the jobs that were executed."""
        self.of_job, self.of_job_name, self.of_task = {}, {}, {}
        labels = {workflow.id: workflow.label or "" for workflow in database.workflows}
        known = {job.id for job in database.jobs}
        done_by: dict[int | None, list[Task]] = {}
        for task in database.tasks:
            done_by.setdefault(task.job if task.job in known else None, []).append(task)
        for job in database.jobs:
            outcome = "ran" if job.id in ran else "never"
            self._add_job(job, done_by.get(job.id, []), labels.get(job.workflow, ""), outcome)
        for task in done_by.get(None, []):
            self._add_task(task, None, labels.get(task.workflow, ""), "skipped")

    def _add_job(self, job: Job, tasks: list[Task], label: str, outcome: str) -> None:
        if len(tasks) == 1:
            number = self._add_task(tasks[0], job, label, outcome)
        else:
            number = self._row(job.name, _type_of(job, tasks), outcome, {**_facts(job), "workflow": label})
            for task in tasks:
                self._add_task(task, None, label, outcome)
        self.of_job[job.id] = self.of_job_name[job.workflow, job.name] = number

    def _add_task(self, task: Task, job: Job | None, label: str, outcome: str) -> int:
        name = job.name if job is not None else f"{task.transformation}_{task.name}"
        facts = {**(_facts(job) if job is not None else {}), "task": task.name, "workflow": label}
        number = self._row(name, task.transformation, outcome, facts)
        self.of_task[task.workflow, task.name] = number
        return number

    def _row(self, name: str, kind: str, outcome: str, facts: dict[str, object]) -> int:
        number = len(self.rows) + 1
        self.rows.append(
            {"id": number, "name": name, "type": kind, "resources": json.dumps(facts), "outcome": outcome}
        )
        return number


def kind_of(job: Job) -> str:
    """Return what a job is for, in our letters.

    Examples:
        >>> kind_of(Job(1, 1, "stage_in_local_0", "stage-in-tx", 1))
        'stage_in'
    """
    return job.kind.removesuffix("-tx").replace("-", "_")


def _type_of(job: Job, tasks: list[Task]) -> str:
    return _CLUSTERED if tasks else kind_of(job)


def _facts(job: Job) -> dict[str, object]:
    return {"job": job.name, "job_type": job.kind, "retries": job.retries}
