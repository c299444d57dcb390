"""A job that is open in this engine: its folder, what is in it, and what has been done for it so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from longpole.run.memory.limits import Limit
from longpole.run.messages import Verdict
from longpole.run.orders import TaskOrder
from longpole.store.derive.workflow_notes import Part
from longpole.units import Bytes


@dataclass(slots=True)
class Execution:
    """A task that is being executed.

    Attributes:
        order: What was ordered.
        start_ns: When it began.
        pid: Its process; 0 while a worker has it.
        key: What a worker was asked under; 0 if it is a process of its own.
        output: What it writes to, and the name of that for now.
        gpus: Which GPUs it was given.
        told: Whether it was told that it is being executed.
        limit: How its memory is held.
        verdict: Why it was ended by us; OK if it was not.
        cause: The same as a sentence.
        signalled: Whether it was asked to end.
    """

    order: TaskOrder
    start_ns: int
    pid: int = 0
    key: int = 0
    output: tuple[int, str] | None = None
    gpus: tuple[int, ...] = ()
    limit: Limit | None = None
    told: bool = False
    verdict: Verdict = Verdict.OK
    cause: str = ""
    signalled: bool = False


@dataclass(slots=True)
class OpenJob:
    """One open job.

    Attributes:
        number: The runner's number of it.
        identity: Its number in the journal.
        attempt: Which try this is.
        folder: Where its tasks run.
        own_folder: Whether that is its own, and holds files.
        shared: Whether it is a job of several tasks.
        wanted: Says which files somebody outside the job uses.
        task_ids: Returns the number of a task in the journal.
        parts: Phases so far that were not told yet.
        there: Names of files that are in the folder.
        orders: Its tasks, as they were ordered.
        executing: Those that are being executed.
        tried: Those that were executed before, and may have left something.
        made: Names of the files that each task has made.
        values: What functions returned.
        value_bytes: How large that is together.
        outputs: Where the output of each task is.
        stopped: Whether the user has stopped it.
        began_ns: When a worker began it that had it waiting; 0 if it did not wait.
        ended_ns: When a worker was done with all of it; 0 if it is not.
    """

    number: int
    identity: int
    attempt: int
    folder: str
    own_folder: bool
    shared: bool
    wanted: Callable[[str], bool]
    task_ids: Callable[[int], int]
    parts: list[Part] = field(default_factory=list)
    there: set[str] = field(default_factory=set)
    orders: dict[int, TaskOrder] = field(default_factory=dict)
    executing: dict[int, Execution] = field(default_factory=dict)
    tried: set[int] = field(default_factory=set)
    made: dict[int, list[str]] = field(default_factory=dict)
    values: dict[int, bytes] = field(default_factory=dict)
    value_bytes: Bytes = 0
    outputs: dict[int, str] = field(default_factory=dict)
    stopped: bool = False
    began_ns: int = 0
    ended_ns: int = 0

    def output_name(self, task: int) -> str:
        """Return the name of the file that what a task prints goes to."""
        return f"{self.orders[task].template.name}.{self.task_ids(task)}.{self.attempt}.log"

    def note_output(self, task: int, path: str) -> None:
        """Note where the output of a task is; empty: it has printed nothing."""
        if path:
            self.outputs[task] = path
