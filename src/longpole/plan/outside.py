"""Files from outside a workflow: where they lie, how large they are, and which members of sets they tell."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from longpole.model.patterns import matcher, parse
from longpole.model.workflow import NamedSet, Place, Unreadable, Workflow, WorkflowError
from longpole.plan.expansion import looked_up
from longpole.plan.relations import Relation
from longpole.units import Bytes

_NOWHERE = Place()


class Outside:
    """What is known of the files that no task makes. Each is looked at once."""

    def __init__(self, workflow: Workflow) -> None:
        """Take the workflow whose files they are."""
        self._workflow = workflow
        self._sizes: dict[str, Bytes | None] = {}
        self._folders: dict[str, bool] = {}

    def path(self, name: str) -> str:
        """Return where a file lies, absolute; empty where it has an address only."""
        place = self._workflow.files.get(name, _NOWHERE)
        if place.url and not place.path:
            return ""
        return os.path.join(self._workflow.folder, place.path or name)

    def is_missing(self, name: str) -> bool:
        """Return whether a file is neither where it should lie nor at an address."""
        place = self._workflow.files.get(name, _NOWHERE)
        return not place.url and self._stored(name) is None

    def is_there(self, name: str) -> bool:
        """Return whether a file lies on the disk."""
        return self._stored(name) is not None

    def size(self, name: str) -> Bytes | None:
        """Return how large a file is, as it lies there or as the author says; None if nobody knows."""
        stored = self._stored(name)
        return stored if stored is not None else self._workflow.files.get(name, _NOWHERE).size_bytes

    def _stored(self, name: str) -> Bytes | None:
        if name not in self._sizes:
            path = self.path(name)
            self._sizes[name] = _size(path) if path and self._has_folder(os.path.dirname(path)) else None
        return self._sizes[name]

    def _has_folder(self, folder: str) -> bool:
        """Return whether there is a folder: where there is none, thousands of files need not be asked for."""
        if folder not in self._folders:
            self._folders[folder] = os.path.isdir(folder)
        return self._folders[folder]


def found_members(workflow: Workflow) -> dict[str, Relation]:
    """Return the members of all sets that are looked up among files.

    Raises:
        WorkflowError: A file cannot be read, and its set does not drop such files.
    """
    return {
        each.name: looked_up(each, sorted(_readable(each, workflow)))
        for each in workflow.sets.values()
        if each.glob
    }


def _readable(named: NamedSet, workflow: Workflow) -> Iterator[str]:
    for name in _files(named.glob, workflow.folder):
        if not _is_text(name):
            _refuse(named, workflow, os.fsencode(name).decode(errors="replace"), "is not UTF-8. Rename it")
            continue
        if os.access(os.path.join(workflow.folder, name), os.R_OK):
            yield name
        else:
            _refuse(named, workflow, name, "cannot be read. Make it readable")


def _refuse(named: NamedSet, workflow: Workflow, name: str, why: str) -> None:
    """Refuse a file, unless its set drops such files."""
    if named.unreadable is Unreadable.FAIL:
        raise WorkflowError(
            f"{workflow.at(named.line)}'{name}' of the set '{named.name}' {why}, "
            "or leave such files out with 'on_unreadable: drop'."
        )


def _is_text(name: str) -> bool:
    """Say whether a name can be written down: not every name of a file is text."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _files(pattern: str, folder: str) -> Iterator[str]:
    """Yield the names of a pattern's files; places stand for no slash, so it is as deep as it is written."""
    parsed = parse(pattern)
    text = "".join([parsed.literals[0], *(f"\0{literal}" for literal in parsed.literals[1:])])
    parts = [re.compile("[^/]+".join(map(re.escape, part.split("\0")))) for part in text.split("/")]
    fits = matcher(pattern)
    return (name for name in _below(parts, folder, "") if fits.fullmatch(name))


def _below(parts: list[re.Pattern[str]], folder: str, before: str) -> Iterator[str]:
    try:
        entries = sorted(entry.name for entry in os.scandir(folder) if parts[0].fullmatch(entry.name))
    except OSError:
        return
    for entry in entries:
        path = os.path.join(folder, entry)
        if len(parts) == 1:
            yield f"{before}{entry}"
        elif parts[1:] == [re.compile("")]:
            if os.path.isdir(path):
                yield f"{before}{entry}/"
        elif os.path.isdir(path):
            yield from _below(parts[1:], path, f"{before}{entry}/")


def _size(path: str) -> Bytes | None:
    """Return the size of a file, or of all files in a folder; None if it is not there."""
    try:
        if not os.path.isdir(path):
            return os.stat(path).st_size
        return sum(
            os.stat(os.path.join(root, name)).st_size for root, _, names in os.walk(path) for name in names
        )
    except OSError:
        return None
