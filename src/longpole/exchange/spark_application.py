"""A Spark application while its events come: jobs, stages and what they wait for; tasks and executors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longpole.exchange.growing import GrowingTable
from longpole.exchange.rows import as_columns
from longpole.exchange.sentences import count_of
from longpole.exchange.spark_events import (
    ApplicationEnd,
    ApplicationStart,
    Event,
    ExecutorAdded,
    ExecutorRemoved,
    JobEnd,
    JobStart,
    StageCompleted,
    StageInfo,
    StageSubmitted,
    TaskEnd,
    TaskStart,
)
from longpole.exchange.spark_executors import Executors
from longpole.exchange.spark_phases import Phase, Phases
from longpole.exchange.spark_tasks import Stage, Tasks
from longpole.model.columns import Columns
from longpole.model.execution import Status

Whole = NDArray[np.int64]
_REASON_LETTERS = 200
_MOST_BYTES = (1 << 63) - 1
_SUCCEEDED = "JobSucceeded"
_EDGES = ("id", "kind", "from_phase", "to_phase", "bytes")


@dataclass(slots=True)
class _Job:
    """A job, and how it ended if it has."""

    phase: int
    start: JobStart
    end: JobEnd | None = None


@dataclass(slots=True)
class _StageTry:
    """A try of a stage, as it was told last."""

    stage: Stage
    info: StageInfo


class Application:
    """Takes events in the order of the log, and makes tables of them."""

    def __init__(self) -> None:
        """Begin without any event."""
        self._phases = Phases()
        self._phase = self._phases.next_id()
        self._executors = Executors()
        self._tasks = Tasks(self._phases, self._executors)
        self._jobs: dict[int, _Job] = {}
        self._job_of: dict[int, int] = {}
        self._stages: dict[int, dict[int, _StageTry]] = {}
        self._edges = GrowingTable("edges", _EDGES)
        self._start: ApplicationStart | None = None
        self._end_ms: int | None = None
        self._unfinished = self._skipped = self._contradictory = 0

    @property
    def name(self) -> str:
        """What the application is called; empty if it is not known."""
        return self._start.app_name if self._start is not None else ""

    def is_another(self, start: ApplicationStart) -> bool:
        """Return whether an application has begun before that is not this one."""
        return self._start is not None and self._start.app_id != start.app_id

    @property
    def all_contradict(self) -> bool:
        """Whether there are tasks that ended, and each of them before it was launched."""
        return 0 < self._tasks.contradictory == self._tasks.ended

    def take(self, event: Event) -> None:  # noqa: C901  one branch for each kind of event
        """Take the next event."""
        match event:
            case TaskStart():
                self._tasks.start(event, self._stage(event.stage_id, event.stage_attempt_id))
            case TaskEnd():
                self._tasks.end(event, self._stage(event.stage_id, event.stage_attempt_id))
            case StageSubmitted() | StageCompleted():
                self._take_stage(event.stage_info)
            case JobStart():
                self._start_job(event)
            case JobEnd():
                if event.job_id in self._jobs:
                    self._jobs[event.job_id].end = event
            case ExecutorAdded():
                self._executors.add(event)
            case ExecutorRemoved():
                self._executors.remove(event)
            case ApplicationStart():
                self._start = event
            case ApplicationEnd():
                self._end_ms = event.timestamp

    def finished(self) -> dict[str, Columns]:
        """Return all tables but the empty ones; no event may follow."""
        self._add_application()
        for job in self._jobs.values():
            self._add_job(job)
        for tries in self._stages.values():
            for one in tries.values():
                self._add_stage(one)
        self._unfinished = self._tasks.finish()
        tables = {
            "tasks": self._tasks.rows.columns(),
            "phases": self._phases.columns(),
            "edges": self._edges.columns(),
            "totals": self._tasks.totals.columns(),
            **{table: as_columns(table, rows) for table, rows in self._executors.rows().items()},
        }
        return {name: columns for name, columns in tables.items() if columns.rows}

    def stages(self) -> tuple[Whole, Whole, list[str]]:
        """Return which stage comes before which, by their places in a list of their names."""
        places = {stage: place for place, stage in enumerate(self._stages)}
        pairs = [
            (places[before], places[stage])
            for stage, tries in self._stages.items()
            for before in {parent for one in tries.values() for parent in one.info.parent_ids}
            if before in places
        ]
        befores, afters = np.array(pairs, np.int64).reshape(-1, 2).T
        return befores, afters, [f"stage {stage}" for stage in places]

    def gaps(self) -> Iterator[str]:
        """Yield a sentence for each thing that is missing."""
        if self._start is None:
            yield "The log does not have its begin, so when the application was started is not known."
        if self._end_ms is None:
            yield "The log does not have the end of the application: it still ran, or it was killed."
        if self._unfinished:
            yield f"{count_of(self._unfinished, 'task')} had not ended when the log was written."
        if self._tasks.contradictory:
            tasks = count_of(self._tasks.contradictory, "task")
            yield f"Of {tasks} the end ('Finish Time') is before the launch: it is not known."
        if self._contradictory:
            many = f"{self._contradictory:,}"
            yield f"Of {many} jobs or stages the end ('Completion Time') is before the begin: not known."
        if self._skipped:
            edges = count_of(self._skipped, "edge")
            yield f"{edges} would lead from a stage that Spark skipped, as its output was there: left out."

    def _stage(self, stage: int, attempt: int) -> Stage:
        known = self._stages.setdefault(stage, {})
        if attempt not in known:
            self._take_stage(StageInfo(stage, attempt))
        return known[attempt].stage

    def _take_stage(self, info: StageInfo) -> None:
        known = self._stages.setdefault(info.stage_id, {})
        if info.stage_attempt_id in known:
            known[info.stage_attempt_id].info = info
            return
        name = info.stage_name or f"stage {info.stage_id}"
        stage = Stage(self._phases.next_id(), name, info.submission_time)
        known[info.stage_attempt_id] = _StageTry(stage, info)

    def _start_job(self, event: JobStart) -> None:
        job = self._jobs.setdefault(event.job_id, _Job(self._phases.next_id(), event))
        for stage in event.stage_ids:
            self._job_of.setdefault(stage, job.phase)

    def _add_application(self) -> None:
        if self._start is None and self._end_ms is None:
            return
        start_ms = self._start.timestamp if self._start is not None else None
        ended = self._end_ms is not None and self._end_ms >= (start_ms or 0)
        status = Status.OK if ended else Status.UNFINISHED
        end_ms = self._end_ms if ended else None
        self._phases.add(Phase(self._phase, "application", self.name or "?", start_ms, end_ms, status))

    def _add_job(self, job: _Job) -> None:
        start, end = job.start, job.end
        properties = start.properties
        called = (properties.description or properties.call_site) if properties is not None else ""
        ran = sum(stage in self._stages for stage in start.stage_ids)
        facts = {"job": start.job_id, "stages": ran, "skipped_stages": len(start.stage_ids) - ran}
        end_ms = end.completion_time if end is not None else None
        status = Status.UNFINISHED
        if end is not None:
            status = Status.OK if end.job_result.result == _SUCCEEDED else Status.FAILED
        self._phases.add(
            Phase(
                *(job.phase, "sparkjob", called or f"job {start.job_id}", start.submission_time),
                *(self._not_before(start.submission_time, end_ms), status, self._phase),
                attributes=json.dumps(facts),
            )
        )

    def _add_stage(self, one: _StageTry) -> None:
        info = one.info
        begin_ms, end_ms = one.stage.submitted_ms or info.submission_time, info.completion_time
        facts: dict[str, object] = {
            "stage": info.stage_id,
            "attempt": info.stage_attempt_id,
            "tasks": info.number_of_tasks,
        }
        if info.failure_reason:
            facts["failure"] = info.failure_reason.partition("\n")[0][:_REASON_LETTERS]
        ended = Status.FAILED if info.failure_reason else Status.OK
        self._phases.add(
            Phase(
                *(
                    one.stage.phase,
                    "sparkstage",
                    one.stage.name,
                    begin_ms,
                    self._not_before(begin_ms, end_ms),
                ),
                *(
                    Status.UNFINISHED if end_ms is None else ended,
                    self._job_of.get(info.stage_id, self._phase),
                ),
                attempt=info.stage_attempt_id + 1,
                attributes=json.dumps(facts),
            )
        )
        self._add_edges(one, begin_ms)

    def _add_edges(self, one: _StageTry, begin_ms: int | None) -> None:
        parents = one.info.parent_ids
        # Of several it is not told which handed over how much.
        handed = min(one.stage.shuffle_read, _MOST_BYTES) if len(parents) == 1 else None
        for parent in parents:
            tries = [before.stage for before in self._stages.get(parent, {}).values()]
            if not tries:
                self._skipped += 1
                continue
            earlier = [stage for stage in tries if (stage.submitted_ms or 0) <= (begin_ms or 0)]
            before = earlier[-1] if earlier else tries[0]
            self._edges.add(len(self._edges) + 1, "data", before.phase, one.stage.phase, handed)

    def _not_before(self, begin_ms: int | None, end_ms: int | None) -> int | None:
        """Return an end, unless it is before its begin."""
        wrong = end_ms is not None and end_ms < (begin_ms or 0)
        self._contradictory += wrong
        return None if wrong else end_ms
