"""Attempts of jobs and what these consist of, as rows of phases and totals.

An attempt is a phase ``job``, from when it could have begun to its end. In it lie ``queue``, until it began,
and what its driver told: stage_in, container, exec, stage_out, post, with transfers in them. What the driver
itself did lies in the run. Phases are called by the type of their task, but for what was told by a name.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longpole.model.execution import Metric, Scope, Source, Status
from longpole.store.derive.arrays import Arrays, Marks, Objects, Whole, hidden, stacked, texts
from longpole.store.derive.attempt_columns import AttemptColumns
from longpole.store.derive.known import Known
from longpole.store.derive.workflow_parts import PartColumns

_METRICS = texts(
    [
        *(Metric.CPU_USER.value, Metric.CPU_SYSTEM.value, Metric.READ.value, Metric.WRITTEN.value),
        *(Metric.STORAGE_READ.value, Metric.STORAGE_WRITTEN.value, Metric.PEAK_MEMORY.value),
    ]
)
# From what parts tell to nanoseconds and bytes.
_SCALES = np.array([1000, 1000, 1, 1, 1, 1, 1024], np.float64)
_STATUSES = texts([Status.OK.value, Status.FAILED.value, Status.UNFINISHED.value])
_UNKNOWN = -1


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """What jobs and tasks are called: by their numbers, which are in order.

    Attributes:
        tasks: Numbers of tasks.
        types: What kind each is of.
        labels: What groups are called, by their numbers.
        held: What groups hold while they are open, by the same numbers.
    """

    tasks: Whole
    types: Objects
    labels: dict[int, str]
    held: dict[int, dict[str, int]]

    def is_task(self, numbers: Whole) -> Marks:
        """Return which numbers of jobs are those of tasks."""
        groups = np.fromiter(self.labels, np.int64, len(self.labels))
        return np.isin(numbers, self.tasks) & ~np.isin(numbers, groups)

    def of(self, numbers: Whole) -> Objects:
        """Return what jobs and tasks are called."""
        known = dict(zip(self.tasks.tolist(), self.types.tolist(), strict=True)) | self.labels
        return texts([known.get(number) or f"job {number}" for number in numbers.tolist()])


class PhaseRows:
    """Ids of all phases of a workflow, from 1: attempts, then queues, then parts."""

    def __init__(self, attempts: AttemptColumns, names: Names) -> None:
        """Take attempts whose ends are settled."""
        self._attempts, self._names = attempts, names
        self._queued = np.flatnonzero(attempts.ready < attempts.start)
        self._is_task = names.is_task(attempts.job)
        self._called = names.of(attempts.job)
        self.first_part = 1 + len(attempts) + len(self._queued)

    @property
    def part_tasks(self) -> Whole:
        """The task of each part; 0 where it has none."""
        parts, job = self._attempts.parts, self._attempts.job
        if not len(job):
            return parts.numbers["task"]
        alone = (parts.owner >= 0) & self._is_task[parts.owner]
        own = np.where(alone, job[parts.owner], 0)
        return np.where(parts.numbers["task"] > 0, parts.numbers["task"], own)

    def table(self, placements: Sequence[str], known: Sequence[Known | None]) -> Arrays:
        """Return the rows, given placements by driver and the recorded processes of parts."""
        attempts = np.arange(len(self._attempts))
        jobs = self._of_attempts(attempts, "job", (self._attempts.ready, self._attempts.end))
        jobs["parent"] = hidden(np.zeros(len(attempts), np.int64), np.ones(len(attempts), np.bool_))
        jobs["status"] = _STATUSES[self._attempts.status]
        jobs["attributes"] = self._facts(placements)
        queues = self._of_attempts(self._queued, "queue", (self._attempts.ready, self._attempts.start))
        rows = stacked([jobs, queues, self._of_parts(known)])
        return {
            "id": np.arange(1, len(rows["kind"]) + 1),
            **rows,
            "count": np.ones(len(rows["kind"]), np.int64),
        }

    def totals(self) -> Arrays:
        """Return what processes that were started for parts have used."""
        used = self._attempts.parts.used
        rows = [at for at, some in enumerate(used) if some]
        amounts = np.full((len(rows), len(_SCALES)), -1.0)
        for row, at in enumerate(rows):
            amounts[row, : len(used[at])] = used[at]
        part, metric = np.nonzero(amounts >= 0)
        value = (amounts * _SCALES)[part, metric]
        return {
            "scope": np.full(len(value), Scope.PHASE.value, object),
            "owner": np.array(rows, np.int64)[part] + self.first_part if rows else np.zeros(0, np.int64),
            "metric": _METRICS[metric],
            "value": value,
            "source": np.full(len(value), Source.EXACT.value, object),
            "low": value,
            "high": value,
        }

    def _of_attempts(self, rows: Whole, kind: str, span: tuple[Whole, Whole]) -> Arrays:
        start, end = span[0][rows], span[1][rows]
        return {
            "parent": rows + 1,
            "kind": np.full(len(rows), kind, object),
            "name": self._called[rows],
            "task": hidden(self._attempts.job[rows], ~self._is_task[rows]),
            "attempt": self._attempts.attempt[rows],
            "process": hidden(np.zeros(len(rows), np.int64), np.ones(len(rows), np.bool_)),
            "start_ns": start,
            "end_ns": end,
            "duration_ns": end - start,
            "status": np.full(len(rows), Status.OK.value, object),
            "attributes": np.full(len(rows), None, object),
        }

    def _of_parts(self, known: Sequence[Known | None]) -> Arrays:
        parts, task = self._attempts.parts, self.part_tasks
        start, end = parts.numbers["start"], parts.numbers["end"]
        of_run = parts.owner < 0
        parent = np.where(parts.within >= 0, parts.within + self.first_part, parts.owner + 1)
        process = np.array([one.id if one is not None else 0 for one in known], np.int64)
        worker = (process > 0) & (parts.numbers["own"] == 0)
        attempt = self._attempts.attempt[parts.owner] if len(self._attempts) else parts.owner
        return {
            "parent": hidden(parent, parent == 0),
            "kind": parts.kind,
            "name": self._part_names(task),
            "task": hidden(task, task == 0),
            "attempt": hidden(attempt, of_run),
            "process": hidden(process, ~worker),
            "start_ns": start,
            "end_ns": end,
            "duration_ns": end - start,
            "status": _STATUSES[np.where(parts.going, 2, np.minimum(parts.numbers["status"], 1))],
            "attributes": _moved(parts),
        }

    def _part_names(self, task: Whole) -> Objects:
        """Return what parts are called: by what was told, else as their task, their job, or their kind."""
        parts = self._attempts.parts
        called = parts.kind.copy()
        if len(self._called):
            called = np.where(parts.owner >= 0, self._called[parts.owner], called)
        of_task = task > 0
        called[of_task] = self._names.of(task[of_task])
        return np.where(parts.name != "", parts.name, called)

    def _facts(self, placements: Sequence[str]) -> Objects:
        """Return what is known of attempts besides, as JSON."""
        plain = [json.dumps({"placement": placement}) if placement else None for placement in placements]
        found = [plain[session] for session in self._attempts.session.tolist()]
        held = [self._names.held.get(job, {}) for job in self._attempts.job.tolist()]
        for at, (cause, more) in enumerate(zip(self._attempts.cause, held, strict=True)):
            if cause or more:
                placement = placements[self._attempts.session[at]]
                said = {"cause": cause, "placement": placement, **more}
                known = {name: value for name, value in said.items() if value not in ("", None)}
                found[at] = json.dumps(known, ensure_ascii=False)
        return texts(found)


def _moved(parts: PartColumns) -> Objects:
    """Return how many bytes and files parts moved, as JSON; None for those that say nothing of it."""
    found: Objects = np.full(len(parts), None, object)
    size, count = parts.numbers["bytes"], parts.numbers["count"]
    rows = np.flatnonzero((size >= 0) | (count > 0))
    said = list(zip(size[rows].tolist(), count[rows].tolist(), strict=True))
    texts_of = {one: _moved_json(*one) for one in set(said)}
    found[rows] = [texts_of[one] for one in said]
    return found


def _moved_json(size: int, count: int) -> str:
    facts = {"bytes": size if size >= 0 else None, "files": count or None}
    return json.dumps({name: value for name, value in facts.items() if value is not None})
