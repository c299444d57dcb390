"""What a user sees while a series is made: a line for each run, and on a terminal how far it is."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from longpole.app.live_screen import write
from longpole.app.series import Series, Turn
from longpole.model.text import visible
from longpole.present.lines import is_terminal, surface_of
from longpole.present.terminal import shorten
from longpole.present.words import counted
from longpole.units import show_seconds

# What a run that failed says in short, and where it begins to say what to type.
_SHORT, _NEXT = "longpole: ", "\n Next "


class SeriesScreen:
    """Shows on standard error how a series is made."""

    def __init__(self, series: Series, left: int) -> None:
        """Take the series, and how many of its runs are still to be made."""
        self._series, self._left, self._every = series, left, len(series.turns())
        self._done = 0
        self._took_s: list[float] = []
        self._began_s = 0.0
        self._turn: Turn | None = None
        self._given_up: set[str] = set()
        self._stopping = 0
        self._any_failed = False
        self._live = is_terminal(sys.stderr)

    def __enter__(self) -> Self:
        series, there = self._series, self._every - self._left
        groups = f", {counted(len(series.groups), 'group')} in turns" if len(series.groups) > 1 else ""
        before = f"; {counted(there, 'run')} there already" if there else ""
        self._say(f"series '{series.name}': {counted(series.rounds, 'round')}{groups}{before}")
        return self

    def __exit__(
        self, failure: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wipe()

    def show(self, turn: Turn, stopping: int) -> None:
        """Show what goes on."""
        if turn is not self._turn:
            self._turn, self._began_s = turn, time.monotonic()
        if stopping > self._stopping:
            self._stopping = stopping
            again = "press Ctrl-C again" if self._live else "another signal is needed"
            self._say("ending the run at once" if stopping > 1 else f"stopping; {again} to end it at once")
        if self._live:
            passed = time.monotonic() - self._began_s
            line = f" {self._place(turn)}, {passed:.0f} s{self._rest()}"
            write(sys.stderr, f"\r{shorten(line, surface_of(sys.stderr).width - 1)}\x1b[K")

    def made(self, turn: Turn, run: str, took_s: float) -> None:
        """Say that a run was made."""
        self._done += 1
        self._took_s.append(took_s)
        self._say(f"{self._place(turn, self._done)}: run {run} in {show_seconds(took_s)}")

    def failed(self, turn: Turn, run: str, said: str) -> None:
        """Say that a run has failed, and what it said: of the first all, of others in short."""
        self._done += 1
        self._wipe()
        text = said.partition(_NEXT)[0].rstrip()  # a series goes on in another way than a run
        lines = [line for line in text.splitlines() if not self._any_failed or _SHORT in line]
        self._any_failed = True
        for line in lines:
            write(sys.stderr, f"  {visible(line)}\n")
        what = f"run {run} failed" if run else "no run was made"
        self._say(f"{self._place(turn, self._done)}: {what}")

    def give_up(self, turn: Turn) -> None:
        """Say, once, that a group is not tried any more."""
        self._done += 1
        label = turn.group.label
        if label not in self._given_up:
            self._given_up.add(label)
            self._say(f"{label} failed twice in a row, and is not tried again")

    def _place(self, turn: Turn, at: int = 0) -> str:
        number = self._every - self._left + (at or self._done + 1)
        return f"{number}/{self._every}, round {turn.round_number}, {turn.group.label}"

    def _rest(self) -> str:
        if not self._took_s:
            return ""
        left = self._left - self._done
        return f", about {show_seconds(sum(self._took_s) / len(self._took_s) * left)} left in all"

    def _say(self, text: str) -> None:
        self._wipe()
        write(sys.stderr, f"longpole: {visible(text)}\n")

    def _wipe(self) -> None:
        if self._live:
            write(sys.stderr, "\r\x1b[K")
