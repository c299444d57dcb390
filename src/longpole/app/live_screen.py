"""Lines that are drawn over again on a terminal, and what is written instead where there is none."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import IO, Protocol

from longpole.model.standing import Standing
from longpole.model.text import visible
from longpole.present.failure import failure_sentence
from longpole.present.lines import Line, clipped, drawn, is_terminal, surface_of, width_of
from longpole.present.standing import live_lines, progress_sentence

_LATER_S = 10.0
_STEP = 0.1


class Screen(Protocol):
    """Where a run is shown while it goes on."""

    # How long it wishes to be left alone between two showings.
    interval_s: float

    def show(self, standing: Standing, stopping: str) -> None:
        """Show where a run stands, and what is said if the user has asked to stop it."""

    def end(self, lines: Sequence[Line]) -> None:
        """Show how it ended, or stands at last."""


def screen_on(stream: IO[str]) -> Screen:
    """Return a screen that suits a stream."""
    return LiveScreen(stream) if is_terminal(stream) else Notes(stream)


class LiveScreen:
    """Draws on a terminal, each time over what it has drawn before."""

    interval_s = 0.125

    def __init__(self, stream: IO[str]) -> None:
        """Take the terminal."""
        self._stream = stream
        self._widths: list[int] = []

    def show(self, standing: Standing, stopping: str) -> None:
        """Draw where a run stands."""
        surface = surface_of(self._stream)
        lines = [clipped(line, surface.width) for line in live_lines(standing, surface, stopping)]
        text = "".join(f"{line}\x1b[K\n" for line in drawn(lines, surface))
        write(self._stream, f"{self._back()}{text}\x1b[J")
        self._widths = [width_of(line) for line in lines]

    def end(self, lines: Sequence[Line]) -> None:
        """Draw the last lines over what was drawn; they stay."""
        page = "\n".join(["", *drawn(lines, surface_of(self._stream)), "", ""])
        write(self._stream, f"{self._back()}\x1b[J{page}")
        self._widths = []

    def _back(self) -> str:
        """Return what leads to where the lines began; a window made narrower has broken some of them."""
        if not self._widths:
            return ""
        columns = self._columns()
        rows = sum(max(1, -(-width // columns)) for width in self._widths)
        return f"\r\x1b[{rows}A"

    def _columns(self) -> int:
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


class Notes:
    """Writes a line now and then: every ten seconds, or when a tenth more is done; failures at once."""

    interval_s = 0.5

    def __init__(self, stream: IO[str]) -> None:
        """Take the stream."""
        self._stream = stream
        self._said_at = time.monotonic()
        self._said_share = 0.0
        self._failures = 0
        self._stopping = ""
        self._begun = False

    def show(self, standing: Standing, stopping: str) -> None:
        """Write what is new."""
        if not self._begun:
            self._begun = True
            self._say(f"run {standing.run} of workflow '{standing.workflow}', placement {standing.placement}")
        for failed in standing.failures[self._failures :]:
            self._say(f"failed: {failure_sentence(failed)}")
        self._failures = len(standing.failures)
        if stopping and stopping != self._stopping:
            self._say(stopping)
        self._stopping = stopping
        now = time.monotonic()
        share = standing.sum.done / standing.known if standing.known and standing.sum.total else 0.0
        told = standing.sum.failed <= len(standing.failures)  # what a failure was is said before its number
        if told and (now - self._said_at >= _LATER_S or share >= self._said_share + _STEP):
            self._said_at, self._said_share = now, share
            self._say(progress_sentence(standing))

    def end(self, lines: Sequence[Line]) -> None:
        """Write the last lines."""
        write(self._stream, "\n".join(["", *drawn(lines, surface_of(self._stream)), "", ""]))

    def _say(self, text: str) -> None:
        write(self._stream, f"longpole: {visible(text)}\n")


def write(stream: IO[str], text: str) -> None:
    """Write to a stream; a run goes on whoever has closed it."""
    try:
        stream.write(text)
        stream.flush()
    except (OSError, ValueError):
        pass  # nobody looks any more
