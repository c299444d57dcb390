"""What drivers of a workflow wrote into the logs of a run, for who asks where it stands or goes on with it.

Only logs of drivers are read, which their names tell, and of them only what is asked for: phases within
attempts are passed over, but for processes of attempts that have no end. What cannot be understood is passed
over as well: a driver that goes on does again what no commit tells of.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any

import msgspec

from longpole.errors import DamagedRunError
from longpole.log.files import DRIVER, LOG_FOLDER, read_logs
from longpole.log.frames import FRAME_VERSION, NOTES, Frame
from longpole.store.derive.attempts import COMMITTED
from longpole.store.derive.note import Moment, Name, Note, Number
from longpole.store.derive.notes import Clock, Ended, Host
from longpole.store.derive.workflow_notes import Driver, Files, Group, Outcomes, Parts, Planned, Start
from longpole.store.driver_log import DriverLog, JobLog, OpenAttempt, Output, Session


class _End(Note, frozen=True, tag="end"):
    """The end of an attempt, without its phases."""

    job: Number
    attempt: Number
    at: Moment
    status: Number = 0
    outputs: tuple[Output, ...] = ()
    cause: Name = ""
    value: str = ""


_Told = Driver | Files | Planned | Group | Start | Parts | _End | Outcomes | Host | Clock | Ended
_DECODER: msgspec.json.Decoder[_Told] = msgspec.json.Decoder(_Told)


def read_driver_logs(run_path: str | os.PathLike[str]) -> DriverLog:
    """Return what the drivers of a run told; nothing at all where the run has none.

    Raises:
        DamagedRunError: A log of a driver cannot be read, or is of a later version.
    """
    reader = _Reader()
    for frames in _in_order(frames for path in _paths(run_path) for frames, _ in read_logs(path)):
        reader.take(note for frame in frames for note in _notes(frame))
    return reader.log()


def has_driver(run_path: str | os.PathLike[str]) -> bool:
    """Return whether a driver of a workflow wrote into a run; one that only made its file has not.

    Raises:
        DamagedRunError: The log folder cannot be read.
    """
    return any(map(_bytes_of, _paths(run_path)))


class _Reader:
    """Takes what drivers told, one after the other."""

    def __init__(self) -> None:
        self._sessions: list[Session] = []
        self._files: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        self._planned: dict[int, Planned] = {}
        self._groups: dict[int, str] = {}
        self._outcomes: dict[int, str] = {}
        self._last: dict[int, int] = {}
        self._starts: dict[tuple[int, int], OpenAttempt] = {}
        self._pids: dict[tuple[int, int], list[int]] = {}
        self._ends: dict[tuple[int, int], _End] = {}
        self._told_in: dict[tuple[int, int], int] = {}
        # Which tasks the driver at hand has put into a job of several, and which a commit was of.
        self._joined: dict[int, list[int]] = {}
        self._members: dict[tuple[int, int], tuple[int, ...]] = {}
        self._host = Host()
        self._driver: Driver | None = None
        self._clock: Clock | None = None
        self._ended = False
        self._last_ns = 0

    def take(self, notes: Iterable[_Told]) -> None:
        """Add what one driver told; each finds out anew which tasks need not run, or cannot."""
        self._outcomes, self._joined = {}, {}
        self._host, self._driver, self._clock, self._ended, self._last_ns = Host(), None, None, False, 0
        for note in notes:
            taker = _TAKERS.get(type(note))
            if taker is not None:
                taker(self, note)
        self._sessions.append(self._session())

    def log(self) -> DriverLog:
        """Return all that was told."""
        self._sizes |= {
            number: size
            for end in self._ends.values()
            if end.status == COMMITTED
            for number, size, _ in end.outputs
            if size >= 0
        }
        return DriverLog(
            tuple(self._sessions),
            self._files,
            self._sizes,
            self._planned,
            self._groups,
            self._jobs(),
            self._outcomes,
        )

    def _session(self) -> Session:
        driver = self._driver or Driver(0, 0, "", "")
        offset = self._clock.offset if self._clock is not None else 0
        return Session(driver, self._host.name, self._host.boot, self._ended, offset, self._last_ns)

    def _jobs(self) -> dict[int, JobLog]:
        open_attempts: dict[int, list[OpenAttempt]] = {}
        for (job, attempt), begun in self._starts.items():
            if (job, attempt) not in self._ends:
                pids = tuple(self._pids.get((job, attempt), ()))
                open_attempts.setdefault(job, []).append(msgspec.structs.replace(begun, pids=pids))
        causes: dict[int, list[str]] = {}
        committed: dict[int, _End] = {}
        for (job, _), end in sorted(self._ends.items()):
            if end.status == COMMITTED:
                committed[job] = end
            elif end.cause:
                causes.setdefault(job, []).append(end.cause)
        return {
            job: self._job(job, committed.get(job), causes.get(job, ()), open_attempts.get(job, ()))
            for job in self._last
        }

    def _job(
        self, job: int, commit: _End | None, causes: Iterable[str], open_attempts: Iterable[OpenAttempt]
    ) -> JobLog:
        last = self._last[job]
        end = commit or self._ends.get((job, last))
        status = end.status if end is not None else None
        outputs, value = (commit.outputs, commit.value) if commit is not None else ((), "")
        told = (self._told_in[end.job, end.attempt], end.at) if end is not None else (-1, 0)
        members = self._members.get((job, end.attempt), ()) if end is not None else ()
        return JobLog(last, status, outputs, value, tuple(causes), tuple(open_attempts), *told, members)

    def _take_files(self, note: Files) -> None:
        self._files.update(enumerate(note.names, note.first))
        known = zip(range(note.first, note.first + len(note.names)), note.sizes, strict=False)
        self._sizes.update({number: size for number, size in known if size >= 0})

    def _take_start(self, note: Start) -> None:
        key = note.job, note.attempt
        self._last_ns = max(self._last_ns, note.at)
        self._starts.setdefault(key, OpenAttempt(note.attempt, len(self._sessions), note.at))
        self._last[note.job] = max(self._last.get(note.job, 0), note.attempt)

    def _take_parts(self, note: Parts) -> None:
        pids = [part.pid for part in note.parts if part.pid and part.own]
        if pids and note.job:
            known = self._pids.setdefault((note.job, note.attempt), [])
            known += [pid for pid in pids if pid not in known]

    def _take_end(self, note: _End) -> None:
        key = note.job, note.attempt
        self._last_ns = max(self._last_ns, note.at)
        self._last[note.job] = max(self._last.get(note.job, 0), note.attempt)
        before = self._ends.get(key)
        if before is None or before.status != COMMITTED:
            self._ends[key] = note
            self._told_in[key] = len(self._sessions)
            if note.status == COMMITTED:
                self._members[key] = tuple(self._joined.get(note.job, ()))

    def _take_driver(self, note: Driver) -> None:
        self._driver = self._driver or note
        self._last_ns = max(self._last_ns, note.at)

    def _take_clock(self, note: Clock) -> None:
        self._clock = self._clock or note

    def _take_host(self, note: Host) -> None:
        self._host = note

    def _take_ended(self, note: Ended) -> None:
        self._ended = True
        self._last_ns = max(self._last_ns, note.at)

    def _take_planned(self, note: Planned) -> None:
        self._planned[note.id] = note
        if note.job:
            self._joined.setdefault(note.job, []).append(note.id)

    def _take_group(self, note: Group) -> None:
        self._groups[note.id] = note.label

    def _take_outcomes(self, note: Outcomes) -> None:
        self._outcomes.update(dict.fromkeys(note.tasks, note.outcome))


_TAKERS: dict[type[Note], Callable[[_Reader, Any], None]] = {
    Files: _Reader._take_files,
    Planned: _Reader._take_planned,
    Group: _Reader._take_group,
    Start: _Reader._take_start,
    Parts: _Reader._take_parts,
    _End: _Reader._take_end,
    Outcomes: _Reader._take_outcomes,
    Driver: _Reader._take_driver,
    Host: _Reader._take_host,
    Clock: _Reader._take_clock,
    Ended: _Reader._take_ended,
}


def _paths(run_path: str | os.PathLike[str]) -> list[str]:
    folder = os.path.join(run_path, LOG_FOLDER)
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if DRIVER in name]
    except OSError as error:
        raise DamagedRunError(f"Cannot read the log of this run, {folder}: {error.strerror}.") from error


def _bytes_of(path: str) -> int:
    try:
        return os.lstat(path).st_size
    except OSError:
        return 0  # removed meanwhile


def _in_order(logs: Iterable[Iterator[Frame]]) -> list[Iterator[Frame]]:
    """Return logs in the order in which they began, as their first clocks tell."""
    begun = []
    for frames in logs:
        first = list(islice(frames, 1))
        clocks = [
            note.at + note.offset for frame in first for note in _notes(frame) if isinstance(note, Clock)
        ]
        begun.append((min(clocks, default=0), chain(first, frames)))
    return [frames for _, frames in sorted(begun, key=lambda pair: pair[0])]


def _notes(frame: Frame) -> Iterator[_Told]:
    if frame.kind != NOTES or frame.version > FRAME_VERSION:
        return
    for line in bytes(frame.payload).split(b"\n"):
        try:
            yield _DECODER.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue  # of another kind, or damaged
