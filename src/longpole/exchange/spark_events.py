"""Events of a Spark event log: the few of them and of their fields that are read, each checked.

Form: one JSON object a line, its ``Event`` naming what it is, its keys words apart by spaces. Times are
milliseconds since 1970, CPU time is nanoseconds. Lines of other events are skipped; a line that is no JSON,
or a field that cannot be (a time below zero, a word for a number), is counted, and the first is named.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated

import msgspec

from longpole.exchange.sentences import count_of

Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=1 << 42)]  # until the year 2109
Id = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 50)]
_SPELLED = {"id": "ID", "ids": "IDs", "cpu": "CPU", "gc": "GC", "jvm": "JVM", "of": "of"}


def _key(name: str) -> str:
    """Return how Spark spells a field.

    Examples:
        >>> _key("stage_attempt_id"), _key("jvm_gc_time")
        ('Stage Attempt ID', 'JVM GC Time')
    """
    return " ".join(_SPELLED.get(word, word.capitalize()) for word in name.split("_"))


class _Part(msgspec.Struct, frozen=True, rename=_key):
    """A part of an event."""


class ExecutorInfo(_Part, frozen=True):
    """Where an executor is, and how many tasks it can run at once."""

    host: str = ""
    total_cores: Id | None = None


class JobResult(_Part, frozen=True):
    """``JobSucceeded`` or ``JobFailed``."""

    result: str = ""


class JobProperties(msgspec.Struct, frozen=True):
    """What a job is called: by its author, or by the line that asked for it."""

    description: str = msgspec.field(name="spark.job.description", default="")
    call_site: str = msgspec.field(name="callSite.short", default="")


class StageInfo(_Part, frozen=True):
    """A stage, as it stands."""

    stage_id: Id
    stage_attempt_id: Id = 0
    stage_name: str = ""
    number_of_tasks: Id = 0
    parent_ids: tuple[Id, ...] = ()
    submission_time: Milliseconds | None = None
    completion_time: Milliseconds | None = None
    failure_reason: str | None = None


class TaskInfo(_Part, frozen=True):
    """A try of a task; a moment of 0 has not come."""

    task_id: Number
    index: Id
    launch_time: Milliseconds
    executor_id: str = ""
    host: str = ""
    partition_id: Annotated[int, msgspec.Meta(ge=-1, le=1 << 31)] = -1
    locality: str = ""
    speculative: bool = False
    getting_result_time: Milliseconds = 0
    finish_time: Milliseconds = 0


class EndReason(_Part, frozen=True):
    """``Success``, or why not."""

    reason: str = ""


class ShuffleRead(_Part, frozen=True):
    """What a task took from stages before it."""

    remote_bytes_read: Number = 0
    local_bytes_read: Number = 0
    fetch_wait_time: Number = 0


class ShuffleWrite(_Part, frozen=True):
    """What a task left for stages after it; the time is nanoseconds."""

    shuffle_bytes_written: Number = 0
    shuffle_write_time: Number = 0


class InputRead(_Part, frozen=True):
    """What a task read from outside."""

    bytes_read: Number = 0


class OutputWritten(_Part, frozen=True):
    """What a task wrote to outside."""

    bytes_written: Number = 0


class TaskMetrics(_Part, frozen=True):
    """What a try used."""

    executor_deserialize_time: Number = 0
    executor_run_time: Number = 0
    executor_cpu_time: Number | None = None
    result_serialization_time: Number = 0
    jvm_gc_time: Number = 0
    memory_bytes_spilled: Number = 0
    disk_bytes_spilled: Number = 0
    shuffle_read_metrics: ShuffleRead = ShuffleRead()
    shuffle_write_metrics: ShuffleWrite = ShuffleWrite()
    input_metrics: InputRead = InputRead()
    output_metrics: OutputWritten = OutputWritten()


class ApplicationStart(_Part, frozen=True):
    """The application began."""

    app_name: str
    timestamp: Milliseconds
    app_id: str | None = None


class ApplicationEnd(_Part, frozen=True):
    """The application ended."""

    timestamp: Milliseconds


class ExecutorAdded(_Part, frozen=True):
    """An executor is there."""

    timestamp: Milliseconds
    executor_id: str
    executor_info: ExecutorInfo = ExecutorInfo()


class ExecutorRemoved(_Part, frozen=True):
    """An executor is gone."""

    timestamp: Milliseconds
    executor_id: str


class JobStart(_Part, frozen=True):
    """A job was asked for."""

    job_id: Id
    submission_time: Milliseconds
    stage_ids: tuple[Id, ...] = ()
    properties: JobProperties | None = None


class JobEnd(_Part, frozen=True):
    """A job ended."""

    job_id: Id
    completion_time: Milliseconds
    job_result: JobResult = JobResult()


class StageSubmitted(_Part, frozen=True):
    """A stage could begin: all before it are done."""

    stage_info: StageInfo


class StageCompleted(_Part, frozen=True):
    """A stage ended."""

    stage_info: StageInfo


class TaskStart(_Part, frozen=True):
    """A task was handed to an executor."""

    stage_id: Id
    task_info: TaskInfo
    stage_attempt_id: Id = 0


class TaskEnd(_Part, frozen=True):
    """A try of a task ended."""

    stage_id: Id
    task_info: TaskInfo
    stage_attempt_id: Id = 0
    task_end_reason: EndReason = EndReason()
    task_metrics: TaskMetrics | None = None


Event = (
    ApplicationStart
    | ApplicationEnd
    | ExecutorAdded
    | ExecutorRemoved
    | JobStart
    | JobEnd
    | StageSubmitted
    | StageCompleted
    | TaskStart
    | TaskEnd
)


class _Named(msgspec.Struct):
    """What an event is."""

    kind: str = msgspec.field(name="Event")


_NAMED = msgspec.json.Decoder(_Named)
_DECODERS: dict[str, msgspec.json.Decoder[Event]] = {
    f"SparkListener{kind.__name__}": msgspec.json.Decoder(kind)
    for kind in (
        *(ApplicationStart, ApplicationEnd, ExecutorAdded, ExecutorRemoved, JobStart, JobEnd),
        *(StageSubmitted, StageCompleted, TaskStart, TaskEnd),
    )
}


@dataclass(slots=True)
class Reading:
    """How the reading of a log went.

    Attributes:
        file: What the user calls it.
        events: How many events there are, of any kind.
        odd: How many lines could not be understood.
        first_odd: Which line is the first of those, and why.
        cut: Whether the last line is not whole.
    """

    file: str
    events: int = 0
    odd: int = 0
    first_odd: str = ""
    cut: bool = False

    def gaps(self) -> Iterator[str]:
        """Yield what must be said about it."""
        if self.odd:
            lines = count_of(self.odd, "line")
            yield f"{lines} of {self.file} could not be understood, the first is {self.first_odd}."
        if self.cut:
            yield f"{self.file} ends in the middle of a line: it is read up to there."


def events_of(content: bytes, reading: Reading) -> Iterator[Event]:
    """Yield the events of a log that tell of jobs, stages, tasks and executors, in their order."""
    for number, line in enumerate(BytesIO(content), start=1):
        if not line.strip():
            continue
        try:
            decoder = _DECODERS.get(_NAMED.decode(line).kind)
            event = decoder.decode(line) if decoder is not None else None
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            _note(reading, number, line, error)
            continue
        reading.events += 1
        if event is not None:
            yield event


def _note(reading: Reading, number: int, line: bytes, error: Exception) -> None:
    if not line.endswith(b"\n") and not isinstance(error, msgspec.ValidationError):
        reading.cut = True
        return
    if not reading.odd:
        reading.first_odd = f"line {number} ({_reason(error)})"
    reading.odd += 1


def _reason(error: Exception) -> str:
    return (
        " ".join(str(error).split()).rstrip(".")[:200] if isinstance(error, msgspec.MsgspecError) else "bytes"
    )
