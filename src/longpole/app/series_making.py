"""Making the runs of a series: one process after the other, each in a work folder of its own.

Each run starts from nothing and leaves nothing but itself and its results. A run that fails is said, and the
rest goes on; a group that fails twice in a row is given up. Signals go to the run that is going on, and end
the series after it. What is missing is made by the same command with the series' name.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from shutil import rmtree
from types import FrameType

import msgspec

from longpole.app.series import Series, SeriesGroup, Turn, turns_made
from longpole.app.series_screen import SeriesScreen
from longpole.app.work_folder import take_work_folder
from longpole.errors import UsageError
from longpole.run.request import as_text
from longpole.store.workflow import has_driver

FAILED, INTERRUPTED = 1, 130
# A group is not tried again after so many failures in a row.
_FAILURES = 2
_LOOK_S = 0.5
# How long a run may take to stop whose series was killed.
_STOPPING_S = 25.0
# The work folder of one run: its round, and its group.
_FOLDER = re.compile(r"\d+-\d+")
_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Making:
    """Makes a series.

    Attributes:
        series: The series.
        name: What its runs are called.
        runs: Where runs are kept.
        work: Where runs have their work folders.
        failed: Turns that failed.
        kept: The work folder of the first run that failed, to look at.
    """

    series: Series
    name: str
    runs: str
    work: str
    failed: list[Turn] = field(default_factory=list)
    kept: str = ""
    _in_a_row: Counter[SeriesGroup] = field(default_factory=Counter)
    _child: subprocess.Popen[str] | None = None
    _asked_to_stop: int = 0
    _passed_on: int = 0

    def make(self) -> int:
        """Make what is missing; return the exit code: 0, 1 if runs failed, 130 if it was stopped, 2 or 3.

        Raises:
            UsageError: Somebody else makes it, or its runs were asked for otherwise.
        """
        with take_work_folder(self.work), _signals(self._pass_on):
            _clear(self.work)
            made = turns_made(self.series, self.runs)
            left = [turn for turn in self.series.turns() if turn not in made]
            with SeriesScreen(self.series, len(left)) as screen:
                code = self._make_all(left, screen)
        _remove_if_empty(self.work)
        return code

    def _make_all(self, left: list[Turn], screen: SeriesScreen) -> int:
        for turn in left:
            if self._stopping():
                return INTERRUPTED
            if self._in_a_row[turn.group] >= _FAILURES:
                screen.give_up(turn)
                continue
            code = self._make_one(turn, screen)
            if self._stopping():
                return INTERRUPTED
            if code not in (0, FAILED):
                return code
        return FAILED if self.failed else 0

    def _make_one(self, turn: Turn, screen: SeriesScreen) -> int:
        work = os.path.join(self.work, f"{turn.round_number}-{self.series.groups.index(turn.group) + 1}")
        began = time.monotonic()
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            self._child = subprocess.Popen(
                self._command(turn, work),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=said,
                text=True,
                process_group=0,
            )
            if self._stopping() and not self._passed_on:  # it came before there was anything to pass it on to
                self._child.send_signal(signal.SIGINT)
            code = self._wait(self._child, turn, screen)
            assert self._child.stdout is not None
            path = self._child.stdout.readline().strip()
            self._child = None
            _remove_if_never_begun(path)
            run = path.rpartition("-")[2] if os.path.isdir(path) else ""
            self._note(turn, code, work)
            if code == 0:
                screen.made(turn, run, time.monotonic() - began)
            elif not self._asked_to_stop and code != INTERRUPTED:
                said.seek(0)
                screen.failed(turn, run, said.read())
        return code

    def _command(self, turn: Turn, work: str) -> list[str]:
        scratch = self.series.request.scratch or os.path.join(work, "scratch")
        request = msgspec.structs.replace(
            self.series.request_of(turn.group), work=work, scratch=scratch, reuse=False
        )
        facts = [as_text(request), self.name, self.runs, self.series.name, str(turn.round_number)]
        return [sys.executable, "-P", "-m", "longpole.app.series_run", str(os.getpid()), *facts]

    def _wait(self, child: subprocess.Popen[str], turn: Turn, screen: SeriesScreen) -> int:
        while True:
            screen.show(turn, self._asked_to_stop)
            try:
                code = child.wait(_LOOK_S)
            except subprocess.TimeoutExpired:
                continue
            return code if code >= 0 else FAILED

    def _note(self, turn: Turn, code: int, work: str) -> None:
        """Count failures, and remove what a run has worked in; that of the first failure stays."""
        if code == FAILED and not self._asked_to_stop:
            self.failed.append(turn)
            self._in_a_row[turn.group] += 1
            if not self.kept:
                self.kept = work
                return
        elif code == 0:
            self._in_a_row[turn.group] = 0
        _remove(work)

    def _stopping(self) -> bool:
        return self._asked_to_stop > 0

    def _pass_on(self, number: int, _frame: FrameType | None) -> None:
        self._asked_to_stop += 1
        if self._child is not None and self._child.poll() is None:
            self._passed_on += 1
            self._child.send_signal(number)


@contextmanager
def _signals(handler: object) -> Iterator[None]:
    """Let signals that end us be handled, and be as before afterwards."""
    before = {number: signal.signal(number, handler) for number in _PASSED_ON}  # type: ignore[arg-type]
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _clear(folder: str) -> None:
    """Remove what runs have left whose series was killed; one that still stops is waited for.

    Raises:
        UsageError: One goes on, or something cannot be removed.
    """
    limit = time.monotonic() + _STOPPING_S
    for name in filter(_FOLDER.fullmatch, os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isdir(path):
            _remove_once_free(path, limit)
        if os.path.isdir(path):
            raise UsageError(
                f"Cannot remove {path}, which an earlier run has left. Remove it, or choose another folder "
                "with --work."
            )


def _remove_once_free(path: str, limit: float) -> None:
    while True:
        try:
            with take_work_folder(path):
                _remove(path)
                return
        except UsageError:
            if time.monotonic() > limit:
                raise
            time.sleep(_LOOK_S)


def _remove(folder: str) -> None:
    """Remove a folder as far as that is permitted; tasks may have made some of it read-only."""
    rmtree(folder, ignore_errors=True)
    if os.path.isdir(folder):
        _make_writable(folder)
        rmtree(folder, ignore_errors=True)


def _make_writable(folder: str) -> None:
    for path, names, _ in os.walk(folder):
        for inner in (os.path.join(path, name) for name in names):
            if not os.path.islink(inner):
                with suppress(OSError):  # somebody else's
                    os.chmod(inner, 0o700)


def _remove_if_never_begun(path: str) -> None:
    """Remove a run that was stopped before its driver wrote anything: there is nothing in it."""
    if os.path.isdir(path) and not has_driver(path):
        rmtree(path, ignore_errors=True)


def _remove_if_empty(folder: str) -> None:
    """Remove the folder of a series once nothing but its lock is in it."""
    try:
        if os.listdir(folder) == ["lock"]:
            os.unlink(os.path.join(folder, "lock"))
            os.rmdir(folder)
    except OSError:
        pass  # somebody else has begun to use it
