"""Where a run of a workflow stands, as text: while it goes, at its end, and whenever somebody asks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from longpole.model.standing import DriverSession, Pace, Results, RunState, Standing
from longpole.model.text import one_line, visible
from longpole.present.blocks import bar
from longpole.present.failure import failure_lines, failure_sentence
from longpole.present.lines import EMPTY, Line, Piece, Surface, fitted, labelled, room_beside, spread, wrapped
from longpole.present.task_types import task_types
from longpole.present.words import counted
from longpole.units import show_bytes, show_seconds

_LEAST_ROWS = 3
_MOST_RUNNING = 3
_LISTED_RUNNING = 8
_MOST_TYPES = 20
_WIDEST_BAR = 40
_STYLES = {
    RunState.RUNNING: "warning",
    RunState.FINISHED: "good",
    RunState.FAILED: "failure",
    RunState.STOPPED: "warning",
    RunState.BROKEN_OFF: "failure",
}


def live_lines(standing: Standing, surface: Surface, stopping: str = "") -> list[Line]:
    """Return a run that goes on, in as many lines as there is room for.

    Args:
        standing: Where it stands.
        surface: What is drawn on.
        stopping: What is said at the end, if the user has asked to stop.
    """
    foot = [*_longest(standing, surface), *_newest_failure(standing, surface)]
    if stopping:
        foot += [(Piece(f" {line}", "warning"),) for line in wrapped(stopping, surface.width - 1)]
    head = [_live_head(standing, surface), *_progress(standing, surface), EMPTY]
    rows = max(_LEAST_ROWS, surface.height - len(head) - len(foot) - 5)
    table = task_types(standing, surface, rows)
    lines = [*head, *table, *([EMPTY] if foot else []), *foot]
    return lines[: max(1, surface.height - 1)]


def standing_lines(
    standing: Standing, following: Sequence[str], surface: Surface, most: int | None = _MOST_TYPES
) -> list[Line]:
    """Return where a run stands on a page of its own, the root cause first if it failed.

    Args:
        standing: Where it stands.
        following: Commands that could come next.
        surface: What is drawn on.
        most: How many types of task are listed; None: all of them.
    """
    lines = [_headline(standing, surface), *_facts(standing, surface), EMPTY]
    lines += failure_lines(standing.failures, surface)
    if standing.types:
        rows = len(standing.types) if most is None else most
        lines += [*task_types(standing, surface, rows), EMPTY]
    below = [*_running(standing, surface), *_results(standing.results, surface)]
    below += [*_sessions(standing.sessions, surface), *_remarks(standing, surface)]
    # A command is never broken: a broken one could not be copied.
    return [*lines, *below, *labelled("Next", map(visible, following))]


def progress_sentence(standing: Standing) -> str:
    """Return how far a run is, on one line."""
    every = standing.sum
    known = " known so far" if every.total is None else ""
    parts = [f"{every.done:,} of {counted(standing.known, 'task')}{known} done", f"{every.running:,} running"]
    parts += [f"{every.failed:,} failed"] if every.failed else []
    left = f"; {left}" if (left := _left(standing.pace)) else ""
    return f"{whole_seconds(standing.elapsed_s)}: {', '.join(parts)}{left}"


def whole_seconds(seconds: float | None) -> str:
    """Return a time that is shown again and again: without fractions, which would only flicker.

    Examples:
        >>> whole_seconds(0.4), whole_seconds(12.7), whole_seconds(75.2)
        ('0 s', '12 s', '1 min 15 s')
    """
    if seconds is None:
        return "?"
    return f"{int(seconds)} s" if seconds < 60 else show_seconds(int(seconds))


def _live_head(standing: Standing, surface: Surface) -> Line:
    jobs = counted(standing.jobs_running, "job")
    cores = f" on {counted(standing.cores, 'core')}" if standing.cores and surface.width >= 50 else ""
    name = Piece(f" {one_line(standing.workflow)}", "title")
    placed = Piece(f"  {standing.placement}" if surface.width >= 50 else "", "quiet")
    took = Piece(f"  {jobs}{cores}, {whole_seconds(standing.elapsed_s)} ", "figure")
    return spread((name, placed), (took,), surface.width)


def _progress(standing: Standing, surface: Surface) -> Iterator[Line]:
    every, known = standing.sum, standing.known
    text = f"{every.done:,} of {counted(known, 'task')}"
    if every.total is None:
        text += " known so far"
    pace = standing.pace
    if pace is not None:
        text += f", {_rate(pace.per_s)}" + (f", {left}" if (left := _left(pace)) else "")
    width = min(_WIDEST_BAR, surface.width - len(text) - 4)
    if width < 8 or not known or every.total is None:
        yield (Piece(f" {fitted(text, surface.width - 1)}", "quiet"),)
        return
    filled = bar(every.done / known, width, surface.encoding)
    yield Piece(f" {filled:<{width}}  ", "bar"), Piece(text, "quiet")


def _rate(per_s: float) -> str:
    return f"{per_s:,.0f}/s" if per_s >= 10 else f"{per_s:.1f}/s" if per_s >= 1 else f"{60 * per_s:.1f}/min"


def _left(pace: Pace | None) -> str:
    if pace is None or pace.left_s is None or pace.left_s < 1:
        return ""
    return f"{'about' if pace.whole else 'at least'} {whole_seconds(pace.left_s)} left"


def _longest(standing: Standing, surface: Surface) -> Iterator[Line]:
    named = [
        f"{one_line(task.name)}  {whole_seconds(task.seconds)}" if task.seconds is not None else ""
        for task in islice(standing.running, _MOST_RUNNING)
    ]
    room = room_beside(surface)
    yield from labelled("Longest", [fitted(text, room) for text in named if text], "quiet")


def _newest_failure(standing: Standing, surface: Surface) -> Iterator[Line]:
    if standing.failures:
        text = failure_sentence(standing.failures[0])
        yield from labelled("Failed", [fitted(text, room_beside(surface))], "failure")


def _headline(standing: Standing, surface: Surface) -> Line:
    name = Piece(f" {one_line(standing.workflow)}", "title")
    return spread((name,), (Piece(f"  {_outcome(standing)} ", _STYLES[standing.state]),), surface.width)


def _outcome(standing: Standing) -> str:
    took = "an unknown time" if standing.elapsed_s is None else show_seconds(standing.elapsed_s)
    match standing.state:
        case RunState.RUNNING:
            return f"running for {took}"
        case RunState.FINISHED:
            return f"finished in {took}"
        case _:
            return f"{standing.state} after {took}"


def _facts(standing: Standing, surface: Surface) -> Iterator[Line]:
    every = standing.sum
    total = f"{counted(standing.known, 'task')}{' known so far' if every.total is None else ''}"
    over = standing.state is not RunState.RUNNING
    counts = {
        "ran": every.ran,
        "cached": every.cached,
        "running": every.running,
        "failed": every.failed,
        "stopped": every.stopped,
        "skipped": every.skipped,
        "never ran" if over else "to come": standing.never,
    }
    parts = [f"{number:,} {word}" for word, number in counts.items() if number]
    said = f"{total}: {', '.join(parts)}" if parts else total
    text = f"{said}; placement {standing.placement}, run {standing.run}"
    yield from ((Piece(f" {line}", "quiet"),) for line in wrapped(text, surface.width - 2))


def _running(standing: Standing, surface: Surface) -> Iterator[Line]:
    texts = []
    for task in standing.running[:_LISTED_RUNNING]:
        long = "" if task.seconds is None else f"  {whole_seconds(task.seconds)}"
        again = f", attempt {task.attempt}" if task.attempt > 1 else ""
        texts.append(fitted(f"{one_line(task.name)}{again}{long}", room_beside(surface)))
    more = len(standing.running) - len(texts)
    yield from labelled("Running", [*texts, *([f"and {more:,} more"] if more > 0 else [])])


def _results(results: Results | None, surface: Surface) -> Iterator[Line]:
    if results is None or results.files == 0:
        return
    if results.files is None or results.size_bytes is None:
        yield from labelled("Results", [f"in {visible(results.folder)}"])
        return
    text = f"{counted(results.files, 'file')}, {show_bytes(results.size_bytes)}, in {visible(results.folder)}"
    yield from labelled("Results", [text] if len(text) <= room_beside(surface) else text.rsplit(" in ", 1))


def _sessions(sessions: Sequence[DriverSession], surface: Surface) -> Iterator[Line]:
    if len(sessions) < 2:
        return
    texts = []
    for at, one in enumerate(sessions):
        took = "" if one.seconds is None else f", {show_seconds(one.seconds)}"
        how = "resumed" if at else "began"
        end = "" if one.ended or at == len(sessions) - 1 else ", killed"
        texts.append(fitted(f"{how} {one.began[:19].replace('T', ' ')} UTC{took}{end}", room_beside(surface)))
    yield from labelled("Drivers", texts)


def _remarks(standing: Standing, surface: Surface) -> Iterator[Line]:
    again = standing.sum.tried_again
    if again:
        tasks = counted(again, "task")
        yield from labelled("Attempts", wrapped(f"{tasks} needed more than one", room_beside(surface)))
