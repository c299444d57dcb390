"""One line of Slurm's accounting: a job, or a step of one, in our units."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A job, or one of its steps; None and empty texts are what is not known.

    Attributes:
        job: ``123``, or ``123_4`` for an element of an array.
        step: ``batch``, ``extern`` or a number; empty for the job itself.
        state: Slurm's word for how it ended, without what follows it.
        submit_line: The command line it was submitted with.
    """

    job: str
    step: str = ""
    name: str = ""
    state: str = ""
    exit_code: int | None = None
    signal: int | None = None
    submit_ns: int | None = None
    eligible_ns: int | None = None
    start_ns: int | None = None
    end_ns: int | None = None
    cpu_user_ns: int | None = None
    cpu_system_ns: int | None = None
    peak_bytes: int | None = None
    nodes: str = ""
    node_count: int | None = None
    tasks: int | None = None
    cpus: int | None = None
    memory: str = ""
    partition: str = ""
    folder: str = ""
    submit_line: str = ""
