"""What the runner tells an engine to do, and what it hears of it. Jobs and tasks go by their numbers."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from longpole.units import Bytes


class Verdict(StrEnum):
    """How a part of a job went."""

    OK = "ok"
    FAILED = "failed"
    OUT_OF_MEMORY = "out of memory"
    TIMED_OUT = "timed out"
    STOPPED = "stopped"


class Auxiliary(StrEnum):
    """What the runner itself does for a workflow, beside its tasks."""

    CREATE_DIR = "create_dir"
    STAGE_OUT = "stage_out"
    REGISTER = "register"
    CLEANUP = "cleanup"


class Made(NamedTuple):
    """A file that a job has made, and that is in place."""

    name: str
    size_bytes: Bytes
    checksum: str


class Open(NamedTuple):
    """Make a job's folder and bring its files; a job of one task is then executed and closed, too."""

    job: int
    attempt: int


class Execute(NamedTuple):
    """Execute one task of an open job of several."""

    job: int
    task: int


class Close(NamedTuple):
    """Put what an open job of several tasks has made in its place."""

    job: int


class Discard(NamedTuple):
    """Forget an attempt of a job: it failed."""

    job: int


class Abandon(NamedTuple):
    """Give a job up, and leave its folder for the user to look at: its last attempt failed."""

    job: int


class Stop(NamedTuple):
    """Stop what a job executes."""

    job: int


class Assist(NamedTuple):
    """Do something for a workflow; of stage_out and register, for the jobs of a level."""

    kind: Auxiliary
    level: int


class Opened(NamedTuple):
    """A job of several tasks is ready for them."""

    job: int


class Executed(NamedTuple):
    """A task of a job of several has ended: how, the names of the files it made, and what it returned."""

    job: int
    task: int
    verdict: Verdict = Verdict.OK
    cause: str = ""
    made: tuple[str, ...] = ()
    value: bytes = b""


class Closed(NamedTuple):
    """What a job has made is in its place; by task, and what functions returned."""

    job: int
    made: dict[int, tuple[Made, ...]]
    values: dict[int, bytes]


class Broken(NamedTuple):
    """A job could not be opened or closed, or its one task has failed."""

    job: int
    verdict: Verdict
    cause: str


class Assisted(NamedTuple):
    """Something was done for the workflow, or could not be."""

    kind: Auxiliary
    level: int
    cause: str = ""


Instruction = Open | Execute | Close | Discard | Abandon | Stop | Assist
Event = Opened | Executed | Closed | Broken | Assisted
