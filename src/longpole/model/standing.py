"""Where a run of a workflow stands: what its user sees while it goes, at its end, and when asking later."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from longpole.model.failure import FailedTask
from longpole.units import Bytes


class RunState(StrEnum):
    """How far a run has come."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    BROKEN_OFF = "broken off"


@dataclass(frozen=True, slots=True)
class TypeStanding:
    """All tasks of one type.

    Attributes:
        name: The type.
        total: How many there are; None while that is not known.
        ran: How many this run has made.
        cached: How many were made before this run, and have not changed.
        running: How many run now.
        failed: How many have failed for good.
        stopped: How many were begun and then stopped, by the user or with their driver.
        skipped: How many cannot run, since one before them has failed.
        tried_again: How many of those that ran needed more than one attempt.
        known_after: Types whose tasks must all have run before these are known.
    """

    name: str
    total: int | None = None
    ran: int = 0
    cached: int = 0
    running: int = 0
    failed: int = 0
    stopped: int = 0
    skipped: int = 0
    tried_again: int = 0
    known_after: tuple[str, ...] = ()

    @property
    def done(self) -> int:
        """How many need not run any more, since what they make is there."""
        return self.ran + self.cached

    @property
    def left(self) -> int:
        """How many of those that are known have neither begun nor been given up."""
        over = self.done + self.running + self.failed + self.stopped + self.skipped
        return max(0, (self.total or 0) - over)


@dataclass(frozen=True, slots=True)
class RunningTask:
    """A task that runs: its attempt, and for how long; None while its files still come."""

    name: str
    attempt: int
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class DriverSession:
    """One driver of a run: when it began (UTC), where, for how long, and whether it ended in order."""

    began: str
    host: str
    pid: int
    seconds: float | None
    ended: bool


@dataclass(frozen=True, slots=True)
class Results:
    """What was put where the user wants it: a folder, and how many files of how many bytes went there."""

    folder: str
    files: int | None = None
    size_bytes: Bytes | None = None


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast tasks were done lately.

    Attributes:
        per_s: Tasks in a second.
        left_s: How long those will take that are known, at this pace; None where that cannot be told.
        whole: Whether these are all: no set is still to be known, and each type has been seen to run.
    """

    per_s: float
    left_s: float | None = None
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a run stands.

    Attributes:
        run: Its id.
        workflow: What it runs.
        placement: Where its data goes.
        state: How far it has come.
        elapsed_s: How long it has taken so far, or took; of a run that was resumed, since then.
        cores: How many cores jobs may use; None where that is not known.
        jobs_running: How many jobs run now; one may be of several tasks.
        types: Its tasks by type, in the order of the workflow.
        running: Tasks that run now, the one first that began first.
        failures: What has failed for good, in the order in which it did.
        sessions: Its drivers, in their order.
        results: What became of its results.
        pace: How fast it goes.
        exit_code: What it ended with; None while it goes on, or where it was broken off.
    """

    run: str
    workflow: str
    placement: str
    state: RunState = RunState.RUNNING
    elapsed_s: float | None = None
    cores: int | None = None
    jobs_running: int = 0
    types: tuple[TypeStanding, ...] = ()
    running: tuple[RunningTask, ...] = ()
    failures: tuple[FailedTask, ...] = ()
    sessions: tuple[DriverSession, ...] = ()
    results: Results | None = None
    pace: Pace | None = None
    exit_code: int | None = None

    @property
    def sum(self) -> TypeStanding:
        """All tasks together; their total is None while one type's is."""
        every = self.types
        unknown = any(each.total is None for each in every)
        return TypeStanding(
            name="",
            total=None if unknown else sum(each.total or 0 for each in every),
            ran=sum(each.ran for each in every),
            cached=sum(each.cached for each in every),
            running=sum(each.running for each in every),
            failed=sum(each.failed for each in every),
            stopped=sum(each.stopped for each in every),
            skipped=sum(each.skipped for each in every),
            tried_again=sum(each.tried_again for each in every),
        )

    @property
    def known(self) -> int:
        """How many tasks are known."""
        return sum(each.total or 0 for each in self.types)

    @property
    def never(self) -> int:
        """How many tasks that are known have not begun: of a run that is over, they never ran."""
        return sum(each.left for each in self.types)
