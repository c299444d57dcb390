"""Tasks that failed, as text: what, why, what they printed last, and where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longpole.model.failure import FailedTask
from longpole.model.text import one_line, visible
from longpole.present.lines import EMPTY, Line, Piece, Surface, labelled, padded, room_beside, wrapped
from longpole.present.words import counted

_MOST = 5
_MOST_LINES = 12


def failure_lines(failures: Sequence[FailedTask], surface: Surface) -> Iterator[Line]:
    """Yield a block for each failure, the one first that happened first; how many more there are is said."""
    for failed in failures[:_MOST]:
        yield from _block(failed, room_beside(surface))
        yield EMPTY
    more = len(failures) - _MOST
    if more > 0:
        yield from labelled("", [f"and {counted(more, 'more failure')}"], "failure")
        yield EMPTY


def failure_sentence(failed: FailedTask) -> str:
    """Return a failure on one line."""
    again = f", attempt {failed.attempt}" if failed.attempt > 1 else ""
    return f"{one_line(failed.task)}{again}: {one_line(failed.cause)}"


def _block(failed: FailedTask, width: int) -> Iterator[Line]:
    again = f", attempt {failed.attempt}" if failed.attempt > 1 else ""
    title, *more = wrapped(f"{one_line(failed.task)}{again}", width)
    yield Piece(padded(" Failed", 12), "failure"), Piece(title, "title")
    yield from labelled("", more, "title")
    yield from labelled("", wrapped(one_line(failed.cause), width))
    yield from labelled("Command", _some(failed.command.strip().splitlines(), width))
    yield from labelled("Printed", _some(failed.last_lines, width), "quiet")
    # Paths are never broken: a broken one could not be copied.
    yield from labelled("Output", [visible(failed.output)] if failed.output else [])
    yield from labelled("Folder", [visible(failed.folder)] if failed.folder else [])
    if failed.skipped:
        tasks = "1 task that depends" if failed.skipped == 1 else f"{failed.skipped:,} tasks that depend"
        yield from labelled("Skipped", wrapped(f"{tasks} on it", width))


def _some(texts: Sequence[str], width: int) -> list[str]:
    """Return lines as they were written, broken where they are too long, and not too many of them."""
    lines = [line for text in texts for line in wrapped(text.expandtabs(4), width)]
    return lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], "…"]
