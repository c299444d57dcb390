"""Screens: drawn over again on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import struct
import termios
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

import pytest

from longpole.app.live_screen import LiveScreen, Notes, screen_on
from longpole.model.standing import TypeStanding
from tests.present.standings import BROKEN, standing


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[int, IO[str]]]:
    """A terminal of 80 columns and 24 lines: its other end, and what is written to."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    ours, theirs = pty.openpty()
    resize(ours, 80)
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        yield ours, stream
    os.close(ours)


def resize(terminal: int, columns: int) -> None:
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


def seen(terminal: int) -> str:
    return os.read(terminal, 1 << 16).decode()


def test_a_screen_is_drawn_over_what_was_drawn_before(terminal: tuple[int, IO[str]]) -> None:
    ours, stream = terminal
    screen = screen_on(stream)
    screen.show(standing(), "")
    first = seen(ours)
    screen.show(standing(), "")

    assert "\x1b[" + str(first.count("\n")) + "A" in seen(ours)


def test_a_terminal_that_was_made_narrower_is_cleared_of_broken_lines(
    terminal: tuple[int, IO[str]],
) -> None:
    ours, stream = terminal
    screen = LiveScreen(stream)
    screen.show(standing(), "")
    lines = seen(ours).count("\n")
    resize(ours, 40)
    screen.show(standing(), "")

    up = int(seen(ours).split("\x1b[")[1].split("A")[0])
    assert up > lines


def test_no_colour_is_drawn_where_the_user_wants_none(terminal: tuple[int, IO[str]]) -> None:
    ours, stream = terminal
    LiveScreen(stream).show(standing(failures=(BROKEN,)), "")

    assert "\x1b[36m" not in (text := seen(ours))
    assert "\x1b[1;31m" not in text


def test_a_dumb_terminal_gets_lines(terminal: tuple[int, IO[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")

    assert isinstance(screen_on(terminal[1]), Notes)


def test_notes_say_the_start_failures_and_every_tenth() -> None:
    stream = io.StringIO()
    notes = Notes(stream)
    for ran in range(101):
        notes.show(standing(types=(TypeStanding("score", 100, ran=ran),)), "")
    notes.show(standing(types=(TypeStanding("score", 100, ran=100),), failures=(BROKEN,)), "")

    start, *some, failed = stream.getvalue().splitlines()
    assert start == "longpole: run 0badcafe of workflow 'tiles', placement links"
    assert 9 <= len(some) <= 11
    assert failed == "longpole: failed: score tile=7, attempt 2: It ended with exit code 3."


def test_notes_say_a_failure_and_a_stop_once() -> None:
    stream = io.StringIO()
    notes = Notes(stream)
    for _ in range(3):
        notes.show(standing(failures=(BROKEN,)), "stopping 2 jobs")

    assert stream.getvalue().count("failed: ") == 1
    assert stream.getvalue().count("stopping 2 jobs") == 1


def test_a_run_goes_on_when_nobody_looks_any_more() -> None:
    closed = io.StringIO()
    closed.close()
    reading, writing = os.pipe()
    os.close(reading)
    broken = os.fdopen(writing, "w")

    for stream in (closed, broken):
        for screen in (Notes(stream), LiveScreen(stream)):
            screen.show(standing(), "")
            screen.end([])
    with suppress(BrokenPipeError):
        broken.close()


def test_a_name_cannot_speak_to_the_terminal_of_who_reads_the_lines() -> None:
    stream = io.StringIO()
    Notes(stream).show(standing(workflow="odd\x1b]0;title\x07\u202e"), "")

    assert "workflow 'odd\\x1b]0;title\\x07\\u202e'" in stream.getvalue()
