"""Where a run of a workflow stands by what its drivers wrote down: cheap to tell, while it runs and after."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from longpole.errors import DamagedRunError, UsageError
from longpole.model.failure import FailedTask
from longpole.model.manifest import State
from longpole.model.standing import DriverSession, Results, RunningTask, RunState, Standing, TypeStanding
from longpole.record.rundir import boot_id
from longpole.run.engines.printed import last_lines
from longpole.run.request import as_request
from longpole.store.derive.workflow_notes import Planned
from longpole.store.driver_log import DriverLog, JobLog, Session
from longpole.store.selection import RunEntry, entry_of, find_run, list_runs
from longpole.store.workflow import has_driver, read_driver_logs

_INTERRUPTED = 130
_FAILED = 1
_SHOWN_LINES = 10


@dataclass(frozen=True, slots=True)
class Moment:
    """When it is asked: by both clocks of this machine, and which boot of it this is."""

    utc_ns: int
    monotonic_ns: int
    boot: str

    def on_clock_of(self, session: Session) -> int:
        """Return when that is by the clock of a driver."""
        return self.monotonic_ns if session.boot == self.boot else self.utc_ns - session.offset


def standing_in(entry: RunEntry) -> Standing:
    """Return where a run stands now.

    Raises:
        UsageError: It is not the run of a workflow.
        DamagedRunError: A log of a driver cannot be read.
    """
    log = read_driver_logs(entry.path)
    if not log.sessions:
        raise UsageError(
            f"Run {entry.manifest.id} is not the run of a workflow. "
            f"'longpole show {entry.manifest.id}' shows it."
        )
    now = Moment(time.time_ns(), time.monotonic_ns(), boot_id())
    standing = standing_of(log, entry, now)
    return replace(standing, failures=tuple(_with_output(each, entry) for each in failures_of(log, standing)))


def workflow_run(wanted: str, folder: str | os.PathLike[str]) -> RunEntry:
    """Return the run that is meant; the latest of a workflow if nothing is said.

    Raises:
        UsageError: There is none.
        RunNotFoundError: There is none of that name, or more than one.
    """
    if wanted:
        return entry_of(find_run(wanted, folder))
    for entry in reversed(list_runs(folder)):
        if entry.manifest.user == os.getuid() and _is_driven(entry):
            return entry
    raise UsageError(
        f"There is no run of a workflow in {os.fspath(folder)}. 'longpole run WORKFLOW' makes one."
    )


def standing_of(log: DriverLog, entry: RunEntry, now: Moment) -> Standing:
    """Return where a run stands by its log; failures are told by ``failures_of``."""
    last, manifest = log.sessions[-1], entry.manifest
    state = _state(log, entry)
    begun = _begun(log) if state is RunState.RUNNING else []
    running = tuple(_running(log, begun, now.on_clock_of(last)))
    out = _out(last)
    return Standing(
        run=manifest.id,
        workflow=last.driver.workflow,
        placement=last.driver.placement,
        state=state,
        elapsed_s=_elapsed_s(entry, last, now),
        cores=last.driver.cores or None,
        jobs_running=len(running),
        types=_types(log, state, {number for _, number, _ in begun}),
        running=running,
        sessions=tuple(_session(one, at, log, state, now) for at, one in enumerate(log.sessions)),
        results=Results(out) if out and state is RunState.FINISHED else None,
        exit_code=manifest.exit_code if state is not RunState.RUNNING else None,
    )


def failures_of(log: DriverLog, standing: Standing) -> list[FailedTask]:
    """Return what has failed for good, in the order in which it did; ``output`` is not known yet."""
    last = len(log.sessions) - 1
    failed = [
        (job.session, job.ended, number)
        for number, job in log.jobs.items()
        if job.status == _FAILED and (job.session == last or standing.exit_code is not None)
    ]
    return [_failure(log, number) for _, _, number in sorted(failed)]


def _failure(log: DriverLog, number: int) -> FailedTask:
    job = log.jobs[number]
    if number in log.groups:
        several = sum(task.job == number for task in log.planned.values())
        name = f"{log.groups[number]}, a job of {several:,} tasks"
    else:
        name = log.planned[number].name if number in log.planned else f"job {number}"
    cause = job.causes[-1] if job.causes else "It failed."
    return FailedTask(name, job.attempts, cause, output=f".{number}.{job.attempts}.log")


def _with_output(failed: FailedTask, entry: RunEntry) -> FailedTask:
    """Return a failure with the file it printed into, found by the end of its name."""
    folder = entry.path / "output"
    try:
        names = [name for name in os.listdir(folder) if name.endswith(failed.output)]
    except OSError:
        names = []
    if not names:
        return replace(failed, output="")
    path = os.fspath(folder / names[0])
    return replace(failed, output=path, last_lines=tuple(last_lines(path, _SHOWN_LINES)))


def _is_driven(entry: RunEntry) -> bool:
    try:
        return has_driver(entry.path)
    except DamagedRunError:
        return False


def _state(log: DriverLog, entry: RunEntry) -> RunState:
    if entry.state is State.RUNNING:
        return RunState.RUNNING
    code = entry.manifest.exit_code
    if entry.state is State.BROKEN or not log.sessions[-1].ended:
        return RunState.BROKEN_OFF
    if code == _INTERRUPTED:
        return RunState.STOPPED
    return RunState.FINISHED if code == 0 else RunState.FAILED


def _types(log: DriverLog, state: RunState, running: Container[int]) -> tuple[TypeStanding, ...]:
    """Return where each type of task stands, in the order of the workflow as far as a driver told it."""
    after = dict(log.sessions[-1].driver.types)
    tasks: dict[str, list[tuple[int, Planned]]] = {name: [] for name in after}
    for number, planned in log.planned.items():
        if not planned.auxiliary:
            tasks.setdefault(planned.type, []).append((number, planned))
    committed = _types_committed(log)
    return tuple(
        _type(name, every, log, _Word(len(log.sessions) - 1, state, running))
        if every or committed.issuperset(after.get(name, ()))
        else TypeStanding(name, known_after=after[name])
        for name, every in tasks.items()
    )


def _types_committed(log: DriverLog) -> set[str]:
    """Return types of which some tasks are known, and all of them are over."""
    left: dict[str, int] = {}
    for number, planned in log.planned.items():
        job = log.jobs.get(planned.job or number)
        over = log.outcomes.get(number) == "cached" or (job is not None and job.committed)
        left[planned.type] = left.get(planned.type, 0) + (not over)
    return {name for name, count in left.items() if not count}


def _type(name: str, every: Iterable[tuple[int, Planned]], log: DriverLog, word: _Word) -> TypeStanding:
    words: Counter[str] = Counter()
    again = 0
    for number, planned in every:
        job = log.jobs.get(planned.job or number)
        words[word.of(planned.job or number, job, log.outcomes.get(number, ""))] += 1
        again += job is not None and job.committed and job.attempts > 1
    return TypeStanding(
        name,
        words.total(),
        ran=words["ran"],
        cached=words["cached"],
        running=words["running"],
        failed=words["failed"],
        stopped=words["stopped"],
        skipped=words["skipped"],
        tried_again=again,
    )


@dataclass(frozen=True, slots=True)
class _Word:
    """Finds what is to be said of a task: as the last driver has it, while that one is at work."""

    last: int
    state: RunState
    running: Container[int]

    def of(self, number: int, job: JobLog | None, outcome: str) -> str:
        if job is not None and job.committed:
            return "ran"
        if number in self.running:
            return "running"
        if outcome in ("cached", "skipped"):
            return outcome
        if job is None or (self.state is RunState.RUNNING and job.session < self.last):
            return "left"
        return "failed" if job.status == _FAILED else "stopped"


def _begun(log: DriverLog) -> list[tuple[int, int, int]]:
    """Return the start, number and attempt of jobs that run, in the order in which they began.

    A driver hands some tasks over before there is a core for them: what is beyond its cores still waits.
    """
    last, cores = len(log.sessions) - 1, log.sessions[-1].driver.cores
    begun = sorted(
        (each.start, number, each.attempt)
        for number, job in log.jobs.items()
        for each in job.open
        if each.session == last and job.status is None
    )
    used, found = 0, []
    for start_ns, number, attempt in begun:
        if not cores or used < cores:
            found.append((start_ns, number, attempt))
        used += log.planned[number].resources[0] if number in log.planned else cores
    return found


def _running(log: DriverLog, begun: Iterable[tuple[int, int, int]], now_ns: int) -> Iterator[RunningTask]:
    for start_ns, number, attempt in begun:
        planned = log.planned.get(number)
        name = planned.name if planned is not None else log.groups.get(number, f"job {number}")
        yield RunningTask(name, attempt, max(0, now_ns - start_ns) / 1e9)


def _session(one: Session, at: int, log: DriverLog, state: RunState, now: Moment) -> DriverSession:
    going = state is RunState.RUNNING and at == len(log.sessions) - 1
    end_ns = now.on_clock_of(one) if going else one.last
    began_ns = one.driver.at
    utc = datetime.fromtimestamp((began_ns + one.offset) / 1e9, UTC)
    seconds = max(0, end_ns - began_ns) / 1e9 if began_ns else None
    return DriverSession(
        utc.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        one.host,
        one.driver.pid,
        seconds,
        one.ended,
    )


def _elapsed_s(entry: RunEntry, last: Session, now: Moment) -> float | None:
    if entry.state is State.RUNNING:
        return max(0, now.on_clock_of(last) - last.driver.at) / 1e9
    if entry.manifest.makespan_s is not None and entry.state is State.FINISHED:
        return entry.manifest.makespan_s
    return max(0, last.last - last.driver.at) / 1e9


def _out(session: Session) -> str:
    try:
        return as_request(session.driver.request).out
    except UsageError:
        return ""
