"""Tasks of a Spark application: each partition of each stage, its tries, and what they used.

A task of a stage that was tried again is the same task where the log has partitions (from Spark 3.3 on), else
another. A try that was killed, as the slower of two copies is, counts as failed; its attributes say why.
What is 0 is left out of attributes and totals. Scheduler delay is what remains of a try without its
deserialisation, run, serialisation and fetching of its result, as Spark's own pages have it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from longpole.exchange.growing import GrowingTable
from longpole.exchange.spark_events import TaskEnd, TaskInfo, TaskMetrics, TaskStart
from longpole.exchange.spark_executors import Executor, Executors
from longpole.exchange.spark_phases import Phase, Phases
from longpole.model.execution import Metric, Scope, Source, Status

_NO_METRICS = TaskMetrics()
_SUCCESS = "Success"
# Said of a task that had ended well, when what it wrote was lost with its executor.
_RESUBMITTED = "Resubmitted"
# What is summed for the run; bytes of input and output are not, where they mean bytes by system call.
_OF_THE_RUN = (Metric.CPU_USER, Metric.SHUFFLE_READ, Metric.SHUFFLE_WRITTEN)
_Key = tuple[int, int, int]


@dataclass(slots=True)
class Stage:
    """What a task must know of its stage; ``shuffle_read`` counts the bytes that all its tasks took."""

    phase: int
    name: str
    submitted_ms: int | None
    shuffle_read: int = 0


@dataclass(slots=True)
class _Task:
    """A task so far."""

    id: int
    tries: int = 0
    last_end_ms: int | None = None


@dataclass(frozen=True, slots=True)
class _Try:
    """A try that was launched."""

    task: _Task
    attempt: int
    stage: Stage
    executor: Executor
    lane: int
    ready_ms: int
    info: TaskInfo


class Tasks:
    """All tasks and their tries.

    Attributes:
        ended: How many tries have ended, at a moment that is told.
        contradictory: How many of them before they were launched.
    """

    def __init__(self, phases: Phases, executors: Executors) -> None:
        """Add phases there, in executors from there."""
        self._phases, self._executors = phases, executors
        self._tasks: dict[_Key, _Task] = {}
        self._going: dict[int, _Try] = {}
        self._sums: dict[tuple[int | None, Metric], int] = {}
        self.rows = GrowingTable("tasks", ("id", "name", "type", "outcome"))
        self.totals = GrowingTable("totals", ("scope", "owner", "metric", "value", "source"))
        self.ended = self.contradictory = 0

    def start(self, event: TaskStart | TaskEnd, stage: Stage) -> None:
        """A try was launched."""
        info = event.task_info
        task = self._task(event, stage)
        task.tries += 1
        executor = self._executors.named(info.executor_id, info.host)
        ready_ms = max((one for one in (stage.submitted_ms, task.last_end_ms) if one is not None), default=0)
        if not 0 < ready_ms <= info.launch_time or info.speculative:
            ready_ms = info.launch_time
        self._going[info.task_id] = _Try(
            task, task.tries, stage, executor, executor.take_lane(), ready_ms, info
        )

    def end(self, event: TaskEnd, stage: Stage) -> None:
        """A try ended."""
        if event.task_end_reason.reason == _RESUBMITTED:
            return
        info = event.task_info
        if info.task_id not in self._going:  # its begin is not in the log
            self.start(event, stage)
        one = self._going.pop(info.task_id)
        one.executor.free_lane(one.lane)
        end_ms = info.finish_time or None
        self.ended += end_ms is not None
        if end_ms is not None and end_ms < one.info.launch_time:
            self.contradictory += 1
            end_ms = None
        one.task.last_end_ms = end_ms or one.task.last_end_ms
        metrics = event.task_metrics or _NO_METRICS
        status = Status.OK if event.task_end_reason.reason in (_SUCCESS, "") else Status.FAILED
        phase = self._add(one, end_ms, status, _facts(event, metrics, end_ms))
        self._use(phase, one, metrics)

    def finish(self) -> int:
        """Add the tries that have not ended, and all sums; return how many had not ended."""
        for one in self._going.values():
            self._add(one, None, Status.UNFINISHED, None)
        for (process, metric), value in self._sums.items():
            scope = Scope.RUN if process is None else Scope.PROCESS
            self.totals.add(scope.value, process, metric.value, float(value), Source.DECLARED.value)
        return len(self._going)

    def _task(self, event: TaskStart | TaskEnd, stage: Stage) -> _Task:
        info = event.task_info
        known = info.partition_id >= 0
        partition = info.partition_id if known else info.index
        key = (event.stage_id, -1 if known else event.stage_attempt_id, partition)
        if key not in self._tasks:
            self._tasks[key] = _Task(len(self._tasks) + 1)
            name = f"{stage.name} (stage {event.stage_id}, partition {partition})"
            self.rows.add(self._tasks[key].id, name, stage.name, "ran")
        return self._tasks[key]

    def _add(self, one: _Try, end_ms: int | None, status: Status, facts: str | None) -> int:
        """Add the phases of a try; return that of its execution."""
        whole, launched = self._phases.next_id(), one.info.launch_time
        task, attempt, name = one.task.id, one.attempt, one.stage.name
        self._phases.add(
            Phase(whole, "job", name, one.ready_ms, end_ms, status, one.stage.phase, task, attempt)
        )
        if one.ready_ms < launched:
            queue = self._phases.next_id()
            self._phases.add(
                Phase(queue, "queue", name, one.ready_ms, launched, Status.OK, whole, task, attempt)
            )
        execution, process = self._phases.next_id(), one.executor.process
        ran = Phase(
            execution, "exec", name, launched, end_ms, status, whole, task, attempt, process, one.lane, facts
        )
        self._phases.add(ran)
        return execution

    def _use(self, phase: int, one: _Try, metrics: TaskMetrics) -> None:
        read = metrics.shuffle_read_metrics
        shuffled = read.remote_bytes_read + read.local_bytes_read
        one.stage.shuffle_read += shuffled
        used = {
            Metric.CPU_USER: metrics.executor_cpu_time or 0,
            Metric.READ: metrics.input_metrics.bytes_read,
            Metric.WRITTEN: metrics.output_metrics.bytes_written,
            Metric.SHUFFLE_READ: shuffled,
            Metric.SHUFFLE_WRITTEN: metrics.shuffle_write_metrics.shuffle_bytes_written,
        }
        for metric, value in used.items():
            if value:
                declared = Source.DECLARED.value
                self.totals.add(Scope.PHASE.value, phase, metric.value, float(value), declared)
                for owner in (one.executor.process, None)[: 1 + (metric in _OF_THE_RUN)]:
                    self._sums[owner, metric] = self._sums.get((owner, metric), 0) + value


def _facts(event: TaskEnd, metrics: TaskMetrics, end_ms: int | None) -> str:
    """Return where the time of a try went and what else is known of it, as JSON."""
    info, reason = event.task_info, event.task_end_reason.reason
    fetched_ms = max(0, (end_ms or 0) - info.getting_result_time) if info.getting_result_time else 0
    worked_ms = (
        metrics.executor_deserialize_time + metrics.executor_run_time + metrics.result_serialization_time
    )
    delay_ms = 0 if end_ms is None else max(0, end_ms - info.launch_time - worked_ms - fetched_ms)
    known = {
        "reason": "" if reason == _SUCCESS else reason,
        "locality": info.locality,
        "speculative": info.speculative,
        "scheduler_delay_ms": delay_ms if event.task_metrics is not None else 0,
        "deserialize_ms": metrics.executor_deserialize_time,
        "run_ms": metrics.executor_run_time,
        "gc_ms": metrics.jvm_gc_time,
        "serialize_ms": metrics.result_serialization_time,
        "getting_result_ms": fetched_ms,
        "fetch_wait_ms": metrics.shuffle_read_metrics.fetch_wait_time,
        "shuffle_write_ms": round(metrics.shuffle_write_metrics.shuffle_write_time / 1e6, 3),
        "memory_spilled_bytes": metrics.memory_bytes_spilled,
        "disk_spilled_bytes": metrics.disk_bytes_spilled,
    }
    return json.dumps({name: value for name, value in known.items() if value})
