"""What a task has left in its folder: the files it declared, and as many as there are of a pattern."""

from __future__ import annotations

import os
from collections.abc import Container, Iterable, Iterator

from longpole.model.patterns import matcher, parse
from longpole.model.text import visible
from longpole.run.engines.local.endings import not_made
from longpole.run.engines.opened import OpenJob
from longpole.run.orders import Output, TaskOrder


class MissingOutputError(Exception):
    """A task has not made what it declared, or under a name that no file may have; told as a sentence."""


def made_of(job: OpenJob, order: TaskOrder) -> list[str]:
    """Return the names of all files that a task of a job has made in the job's folder.

    Raises:
        MissingOutputError: One that must be there is not.
    """
    many = any(output.open for output in order.outputs)
    return made_by(order.outputs, job.folder, _foreign(job, order) if many else ())


def made_by(outputs: Iterable[Output], folder: str, foreign: Container[str] = ()) -> list[str]:
    """Return the names of all files that a task has made.

    Args:
        outputs: What it has declared.
        folder: Where it ran.
        foreign: Files there that it has not made, whatever pattern they fit.

    Raises:
        MissingOutputError: One that must be there is not.
    """
    found: list[str] = []
    for output in outputs:
        if output.open:
            names = sorted(name for name in _matching(output.name, folder) if name not in foreign)
            _check_names(names)
            found += names
        elif os.path.lexists(os.path.join(folder, output.name)):
            found.append(output.name)
        elif not output.optional:
            raise MissingOutputError(not_made(output.name))
    return found


def remove_left(job: OpenJob, order: TaskOrder) -> str:
    """Remove what a failed try of a task has left of its outputs, so that no other takes it for its own.

    What was brought, what others make and what the next try can go on from stays.

    Returns:
        Why that cannot be done, as a sentence; empty if it is done.
    """
    keep = {name.rstrip("/") for name in (*_foreign(job, order), *order.checkpoints, *order.unfinished)}
    try:
        for output in order.outputs:
            for name in [*_matching(output.name, job.folder)] if output.open else [output.name]:
                _remove(job.folder, name.rstrip("/"), keep)
    except OSError as error:
        return f"Cannot remove {error.filename}, which an earlier try has left: {error.strerror}."
    return ""


def _remove(folder: str, name: str, keep: Container[str]) -> None:
    """Remove a file, or a directory with all in it, but for what is to be kept."""
    path = os.path.join(folder, name)
    if name in keep or not os.path.lexists(path):
        return
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    for entry in os.listdir(path):
        _remove(folder, f"{name}/{entry}", keep)
    if not os.listdir(path):
        os.rmdir(path)


def _foreign(job: OpenJob, order: TaskOrder) -> set[str]:
    """Return what lies in a job's folder for a task, or is made there by others."""
    others = (other for other in job.orders.values() if other.task != order.task)
    return job.there | {output.name for other in others for output in other.outputs if not output.open}


def _matching(pattern: str, folder: str) -> Iterator[str]:
    """Yield the names of files of a pattern."""
    fits = matcher(pattern).fullmatch
    fixed = parse(pattern).literals[0].rpartition("/")[0]
    depth = pattern.count("/") - fixed.count("/") - (1 if fixed else 0)
    directory = pattern.endswith("/")
    for name in _names(folder, fixed, depth - (1 if directory else 0)):
        candidate = f"{name}/" if directory else name
        if fits(candidate.replace("\n", " ")) and os.path.isdir(os.path.join(folder, name)) is directory:
            yield candidate


def _check_names(names: Iterable[str]) -> None:
    """Refuse names that cannot be told to another task."""
    for name in names:
        if "\n" in name:
            raise MissingOutputError(f"It made '{visible(name)}'; names of files never contain line breaks.")
        shown = os.fsencode(name).decode(errors="replace")
        if shown != name:
            raise MissingOutputError(
                f"It made '{visible(shown)}', a name that is not UTF-8; give it another one."
            )


def _names(folder: str, within: str, depth: int) -> Iterator[str]:
    """Yield all names so many directories below a directory."""
    try:
        entries = os.listdir(os.path.join(folder, within))
    except (FileNotFoundError, NotADirectoryError):
        return
    for entry in entries:
        name = f"{within}/{entry}" if within else entry
        if depth > 0:
            yield from _names(folder, name, depth - 1)
        else:
            yield name
