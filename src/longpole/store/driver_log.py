"""Where a workflow stands that drivers of a run execute: its tasks, files, and what became of its jobs."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from longpole.store.derive.attempts import COMMITTED
from longpole.store.derive.note import Name, Number
from longpole.store.derive.workflow_notes import Driver, Planned, Size

Output = tuple[Number, Size, Name]


class Session(msgspec.Struct, frozen=True):
    """One driver: what it said of itself, where it ran, and whether it came to an orderly end.

    ``offset`` is what its clock lacks to UTC; ``last`` is the last moment, by its clock, that it told of.
    """

    driver: Driver
    host: str = ""
    boot: str = ""
    ended: bool = False
    offset: int = 0
    last: int = 0


class OpenAttempt(msgspec.Struct, frozen=True):
    """An attempt whose end nobody told.

    Attributes:
        attempt: Which try.
        session: Place of the driver that began it, among all.
        start: When it began, by that one's monotonic clock.
        pids: Processes that were started for it, as far as that was told.
    """

    attempt: int
    session: int
    start: int
    pids: tuple[int, ...] = ()


class JobLog(msgspec.Struct, frozen=True):
    """What became of a job.

    Attributes:
        attempts: Number of its last attempt.
        status: How that ended: 0 committed, 1 failed, 2 stopped; None while it has no end.
        outputs: Of each file that a commit tells of: its number, bytes and checksum.
        value: What a function returned, MessagePack in hexadecimal.
        causes: Why attempts failed, in their order.
        open: Attempts whose end nobody told.
        session: Place of the driver that told its last end, among all; -1 while it has none.
        ended: When that was, by that one's monotonic clock.
        members: Of several tasks: those whose commit it is, by number; some may belong elsewhere since.
    """

    attempts: int
    status: int | None = None
    outputs: tuple[Output, ...] = ()
    value: str = ""
    causes: tuple[str, ...] = ()
    open: tuple[OpenAttempt, ...] = ()
    session: int = -1
    ended: int = 0
    members: tuple[int, ...] = ()

    @property
    def committed(self) -> bool:
        """Whether its outputs are in place: it never runs again."""
        return self.status == COMMITTED


class DriverLog(msgspec.Struct, frozen=True):
    """All that drivers of a run told; what was told again replaces what was told before.

    Attributes:
        sessions: The drivers, in their order.
        files: Names of files by their number.
        sizes: Bytes of files that are known, by number, as last told or committed.
        planned: Tasks by number.
        groups: Labels of jobs of several tasks, by number.
        jobs: What became of jobs that were begun, by number.
        outcomes: Why tasks did not run, as the last driver told: cached, skipped or never; by number.
    """

    sessions: tuple[Session, ...]
    files: Mapping[int, str]
    sizes: Mapping[int, int]
    planned: Mapping[int, Planned]
    groups: Mapping[int, str]
    jobs: Mapping[int, JobLog]
    outcomes: Mapping[int, str]

    def numbers(self) -> dict[str, int]:
        """Return the number of each file by its name."""
        return {name: number for number, name in self.files.items()}
