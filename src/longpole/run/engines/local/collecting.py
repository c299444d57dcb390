"""What a task has left in its folder: the files it declared, and as many as there are of a pattern."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from longpole.model.patterns import matcher, parse
from longpole.run.engines.local.endings import not_made
from longpole.run.orders import Output


class MissingOutputError(Exception):
    """A task has not made what it declared; the message is a sentence."""


def made_by(outputs: Iterable[Output], folder: str) -> list[str]:
    """Return the names of all files that a task has made.

    Raises:
        MissingOutputError: One that must be there is not.
    """
    found: list[str] = []
    for output in outputs:
        if output.open:
            found += sorted(_matching(output.name, folder))
        elif os.path.lexists(os.path.join(folder, output.name)):
            found.append(output.name)
        elif not output.optional:
            raise MissingOutputError(not_made(output.name))
    return found


def _matching(pattern: str, folder: str) -> Iterator[str]:
    """Yield the names of files of a pattern."""
    fits = matcher(pattern).fullmatch
    fixed = parse(pattern).literals[0].rpartition("/")[0]
    depth = pattern.count("/") - fixed.count("/") - (1 if fixed else 0)
    directory = pattern.endswith("/")
    for name in _names(folder, fixed, depth - (1 if directory else 0)):
        candidate = f"{name}/" if directory else name
        if fits(candidate) and os.path.isdir(os.path.join(folder, name)) is directory:
            yield candidate


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
