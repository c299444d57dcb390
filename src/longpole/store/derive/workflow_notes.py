"""What the driver of a workflow writes into its own log of a run: the truth about jobs.

Tables are made of it, and who goes on with a run reads it. Each is one note. Ids are the driver's own: tasks,
jobs and files are numbered from 1, and a driver that goes on with a run goes on counting. Times are of the
driver's monotonic clock; a ``Host`` and a ``Clock`` note begin each log. A ``Start`` is on
the disk before anything of its attempt runs; an ``End`` that is well commits the job: it never runs again.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from longpole.store.derive.note import Count, Moment, Name, Note, Number

# User and system CPU time in us, bytes read and written by calls, the same of storage, peak memory in KiB.
Used = Annotated[tuple[Count, ...], Meta(max_length=7)]
Size = Annotated[int, Meta(ge=-1, le=1 << 62)]


class Driver(Note, frozen=True):
    """A driver begins to run a workflow, or goes on with it."""

    at: Moment
    pid: Number
    workflow: Name
    placement: Name
    file: Name = ""
    # What it was asked for, as JSON: parameters, folders, placement; enough to go on with it.
    request: Annotated[str, Meta(max_length=1 << 24)] = ""
    # Types of task, each with those whose tasks must have run before its own are known.
    types: tuple[tuple[Name, tuple[Name, ...]], ...] = ()
    # How many cores jobs may use; 0: not said.
    cores: Number = 0
    # Parameters of the workflow as they were chosen, defaults included: names and their texts.
    parameters: Annotated[tuple[tuple[Name, Name], ...], Meta(max_length=1000)] = ()


class Files(Note, frozen=True):
    """Logical files, numbered from ``first``; a size of -1 is not known."""

    first: Number
    names: tuple[Name, ...]
    sizes: tuple[Size, ...] = ()


class Sizes(Note, frozen=True):
    """How large files are that no task makes, by their numbers (-1: not known); told when the run ends."""

    files: tuple[tuple[Number, Size], ...]


class Planned(Note, frozen=True):
    """A task. ``after`` are tasks it waits for that hand no file over; a job of 0 is one of its own.

    Resources are cores, memory in bytes (-1: not said), GPUs, nodes and ranks. An auxiliary one is a task of
    the runner itself: create_dir, stage_out, register, cleanup.
    """

    id: Number
    name: Name
    type: Name
    inputs: tuple[Number, ...] = ()
    outputs: tuple[Number, ...] = ()
    after: tuple[Number, ...] = ()
    resources: tuple[Count, Size, Count, Count, Count] = (1, -1, 0, 1, 1)
    job: Number = 0
    auxiliary: bool = False


class Group(Note, frozen=True):
    """A job of several tasks that share a directory: its number, its label, and the cores and GPUs it gets.

    A job that gets no cores is of a driver that did not tell.
    """

    id: Number
    label: Name
    cores: Count = 0
    gpus: Count = 0


class Start(Note, frozen=True):
    """An attempt of a job begins. A job of one task has the task's number; groups count with them."""

    job: Number
    attempt: Number
    at: Moment
    # When all it waits for was there.
    ready: Moment = 0


class Part(Struct, frozen=True, array_like=True):
    """A phase of an attempt: stage_in, container, exec, stage_out or post, or a transfer within one.

    Attributes:
        kind: Which.
        start: When it began.
        end: When it ended.
        status: 0 if it went well, 1 if not.
        task: In a group, the task it is of; else 0.
        bytes: How much it moved; -1: nothing to say.
        count: How many files it moved.
        pid: The process that was started for it, or the warm worker that did it; 0: none.
        own: 1 if that process was started for it alone.
        used: What that process and all it reaped have used; empty where that is not known.
        name: How it was done, or what was moved: ``http``, ``copy``, ``raw.txt``; else empty.
        within: Place in the same list of the phase it is part of; -1: the job.
    """

    kind: Name
    start: Moment
    end: Moment
    status: Number = 0
    task: Number = 0
    bytes: Size = -1
    count: Count = 0
    pid: Number = 0
    own: Number = 0
    used: Used = ()
    name: Name = ""
    within: Annotated[int, Meta(ge=-1, le=1 << 31)] = -1


class Parts(Note, frozen=True):
    """Phases of an attempt that has not ended yet; of job 0: what the driver itself did."""

    job: Number
    attempt: Number
    parts: tuple[Part, ...]


class End(Note, frozen=True):
    """An attempt of a job has ended; with status 0 its outputs are in place and it is committed.

    Attributes:
        job: Which.
        attempt: Which try, from 1.
        at: When.
        status: 0 well, 1 failed, 2 stopped by the user or because the driver before has died.
        parts: Its phases, but for those told before.
        outputs: Of each file made: its number, bytes and checksum (hexadecimal).
        cause: Why it failed, as a sentence.
        value: What a function returned, MessagePack in hexadecimal.
        began: When it really began, if it waited at the engine after its start; else 0.
    """

    job: Number
    attempt: Number
    at: Moment
    status: Number = 0
    parts: tuple[Part, ...] = ()
    outputs: tuple[tuple[Number, Size, Name], ...] = ()
    cause: Name = ""
    value: str = ""
    began: Moment = 0


class Outcomes(Note, frozen=True):
    """Tasks that did not run: cached (made before and unchanged), skipped (after a failure), never."""

    outcome: Name
    tasks: tuple[Number, ...]


class Outline(Note, frozen=True):
    """What the workflow turned out to be as a plan, told when all its tasks were known.

    Attributes:
        jobs: How many jobs there are, those whose outputs were there included.
        auxiliary: How many the runner adds.
        staged_in: How many files are staged in by the rule of the paper.
        input_files: How many files tasks use that no task makes.
        input_bytes: How large these are; -1: not known.
        images: In how many images tasks run.
        image_bytes: How large these are; -1: not known.
        connections: How many transfers go on at once.
    """

    jobs: Count
    auxiliary: Count = 0
    staged_in: Count = 0
    input_files: Count = 0
    input_bytes: Size = -1
    images: Count = 0
    image_bytes: Size = -1
    connections: Count = 0


WORKFLOW_NOTES = (Driver, Files, Sizes, Planned, Group, Start, Parts, End, Outcomes, Outline)
