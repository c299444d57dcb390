"""The journal of a run: every task, attempt and commit, in the run's log before anything builds on it.

Lines wait until ``flush``; what is flushed survives this process, however it ends. Tasks, jobs of several
tasks and files have numbers there that stay the same when another driver goes on with the run.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from longpole.errors import UNMEASURABLE, LongpoleError
from longpole.log.files import LogWriter
from longpole.model.workflow import Resources, Task
from longpole.record.rundir import boot_id
from longpole.run.messages import Made
from longpole.store.derive.notes import Clock, Ended, Host
from longpole.store.derive.workflow_notes import (
    Driver,
    End,
    Files,
    Group,
    Outcomes,
    Outline,
    Part,
    Parts,
    Planned,
    Sizes,
    Start,
)
from longpole.units import Bytes

_NAMES_AT_ONCE = 500
_BYTES_AT_ONCE = 1 << 20
# A commit is one note, so that it is told whole or not at all, however many files and values are in it.
_LARGEST_BYTES = 1 << 30
_LONGEST_CAUSE = 4000


class JournalError(LongpoleError):
    """The journal cannot be written: nothing may go on without it."""

    exit_code = UNMEASURABLE


def auxiliary_key(name: str) -> str:
    """Return what the runner's own job is known by, so that a task may be called the same."""
    return f"({name})"


class Journal:
    """The driver's log of one run."""

    def __init__(self, run_path: str, known: Mapping[str, int], files: Mapping[str, int]) -> None:
        """Open a log of our own; ``known`` are numbers of tasks and groups, ``files`` of files, given before.

        Raises:
            JournalError: There is no room for it.
        """
        self._run_path = run_path
        self._numbers = dict(known)
        self._files = dict(files)
        self._next = max(self._numbers.values(), default=0) + 1
        self._next_file = max(self._files.values(), default=0) + 1
        self._lines: list[bytes] = []
        self._encode = msgspec.json.Encoder().encode
        try:
            place = f"driver-{os.urandom(4).hex()}"
            self._log = LogWriter(run_path, time.time_ns(), place, _LARGEST_BYTES)
        except OSError as error:
            raise JournalError(f"Cannot write a log into {run_path}: {error.strerror}.") from error

    def begin(self, driver: Driver) -> None:
        """Say who drives the run, where, and by which clock."""
        uname = os.uname()
        before = time.monotonic_ns()
        utc_ns = time.time_ns()
        after = time.monotonic_ns()
        cores = len(os.sched_getaffinity(0))
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        self._note(Host(uname.nodename, uname.release, uname.machine, boot_id(), cores, memory))
        self._note(Clock(before, utc_ns - (before + after) // 2, (after - before + 1) // 2))
        self._note(driver)
        self.flush()

    def plan(self, task: Task, job: int = 0, after: Sequence[int] = ()) -> int:
        """Say that there is a task; return its number."""
        number = self._number(task.name)
        inputs = self.files(name for names in task.inputs for name in names)
        outputs = self.files(name for names in task.outputs for name in names)
        needs = _needs(task.template.resources)
        self._note(Planned(number, task.name, task.template.name, inputs, outputs, tuple(after), needs, job))
        return number

    def plan_auxiliary(self, name: str, kind: str) -> int:
        """Say that the runner itself does something; return its number."""
        number = self._number(auxiliary_key(name))
        self._note(Planned(number, name, kind, auxiliary=True))
        return number

    def group(self, label: str, needs: Resources | None = None) -> int:
        """Say that there is a job of several tasks, and what it gets; return its number."""
        number = self._number(f"[{label}]")
        self._note(Group(number, label, needs.cores, needs.gpus) if needs else Group(number, label))
        return number

    def files(self, names: Iterable[str]) -> tuple[int, ...]:
        """Return the numbers of files, saying which they are if that was never said."""
        known, found, new = self._files, [], []
        for name in names:
            number = known.get(name)
            if number is None:
                number = known[name] = self._next_file
                self._next_file += 1
                new.append(name)
            found.append(number)
        first = self._next_file - len(new)
        for at in range(0, len(new), _NAMES_AT_ONCE):
            self._note(Files(first + at, tuple(new[at : at + _NAMES_AT_ONCE])))
        return tuple(found)

    def start(self, job: int, attempt: int, at_ns: int, ready_ns: int) -> None:
        """Say that an attempt of a job begins."""
        self._note(Start(job, attempt, at_ns, ready_ns))

    def parts(self, job: int, attempt: int, parts: Sequence[Part]) -> None:
        """Say what an attempt has done so far."""
        self._note(Parts(job, attempt, tuple(parts)))

    def commit(self, job: int, attempt: int, at_ns: int, parts: Sequence[Part], result: Result) -> None:
        """Say that a job is done, and what it made: it never runs again."""
        numbers = self.files(each.name for each in result.made) if result.made else ()
        made = tuple((number, *each[1:]) for number, each in zip(numbers, result.made, strict=True))
        value, began_ns = result.value.hex(), result.began_ns
        self._note(End(job, attempt, at_ns, 0, tuple(parts), made, "", value, began_ns))

    def fail(self, job: int, attempt: int, at_ns: int, parts: Sequence[Part], failure: Failure) -> None:
        """Say that an attempt has failed, or was stopped."""
        status, cause, began_ns = failure.status, failure.cause[:_LONGEST_CAUSE], failure.began_ns
        self._note(End(job, attempt, at_ns, status, tuple(parts), (), cause, "", began_ns))

    def outcomes(self, outcome: str, tasks: Sequence[int]) -> None:
        """Say which tasks did not run, and why."""
        if tasks:
            self._note(Outcomes(outcome, tuple(tasks)))

    def sizes(self, sizes: Mapping[str, Bytes]) -> None:
        """Say how large files are that were there before."""
        known = [(number, size) for name, size in sizes.items() if (number := self._files.get(name))]
        for at in range(0, len(known), _NAMES_AT_ONCE):
            self._note(Sizes(tuple(known[at : at + _NAMES_AT_ONCE])))

    def outline(self, outline: Outline) -> None:
        """Say what the workflow turned out to be."""
        self._note(outline)

    def flush(self) -> None:
        """Put everything on the disk.

        Raises:
            JournalError: That cannot be done.
        """
        if not self._lines:
            return
        lines, self._lines = self._lines, []
        for some in _pieces(lines):
            self._log.notes(some)
            self._log.flush()
        if self._log.trouble or self._log.lost:
            why = self._log.trouble or "a note is too large for it"
            raise JournalError(f"Cannot write the log of this run, {self._run_path}: {why}.")

    def close(self) -> None:
        """Say the last word."""
        self._note(Ended(time.monotonic_ns()))
        for some in _pieces(self._lines):
            self._log.notes(some)
            self._log.flush()
        self._lines = []
        self._log.close()

    def _number(self, name: str) -> int:
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = self._next
            self._next += 1
        return number

    def _note(self, note: msgspec.Struct) -> None:
        self._lines.append(self._encode(note))


class Result(msgspec.Struct, frozen=True):
    """What a job has made, what its function returned, and when it began if it waited at the engine."""

    made: tuple[Made, ...] = ()
    value: bytes = b""
    began_ns: int = 0


class Failure(msgspec.Struct, frozen=True):
    """Why an attempt was no success: 1 failed, 2 stopped; and when it began if it waited at the engine."""

    status: int
    cause: str
    began_ns: int = 0


def _needs(needs: Resources) -> tuple[int, int, int, int, int]:
    memory = -1 if needs.memory_bytes is None else needs.memory_bytes
    return needs.cores, memory, needs.gpus, needs.nodes, needs.ranks


def _pieces(lines: list[bytes]) -> Iterator[list[bytes]]:
    """Yield lines in pieces that a log takes at once."""
    piece: list[bytes] = []
    size = 0
    for line in lines:
        piece.append(line)
        size += len(line)
        if size >= _BYTES_AT_ONCE:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece
