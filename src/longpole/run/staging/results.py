"""The way of results: copies into a user's folder, beside what a user has there.

A directory takes the place, as a whole, of the one that an earlier run has put there, if that is still as it
was left: what it was then is noted in a hidden folder beside the results. What no run has put there, or what
was changed since, is never removed. A file takes the place of a file of its name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from longpole.model.staging import Item, Moved, StagingError
from longpole.run.staging.checksums import Checksums
from longpole.run.staging.copy import CopyWay
from longpole.run.staging.errands import bring_each
from longpole.run.staging.landing import HIDDEN, hidden_in, is_directory, settle
from longpole.run.staging.refusals import check_names
from longpole.run.staging.trees import identity_of, parts_of

NOTES = f"{HIDDEN}delivered"
_NAME_BYTES = 16


class ResultsWay:
    """Copies that replace what earlier runs have put there; see ``model.ports.Way``."""

    name = "results"

    def __init__(self, checksums: Checksums = Checksums.ON) -> None:
        """Say whether copies are checked."""
        self._checksums = checksums
        self._copy = CopyWay(checksums)

    def bring(self, items: Sequence[Item], folder: str) -> Moved:
        """Copy results into a folder of a user's."""
        check_names(items)
        names = [item.name for item in items]
        check_places(names, folder)
        whole = [name for name in names if name.endswith("/")]

        def put(hidden: str, target: str) -> None:
            for name in whole:  # both count while one takes the place of the other
                _note(target, name, [*_noted(target, name), _identity(f"{hidden}/{name}")])
            settle(hidden, target, whole)
            for name in whole:
                _note(target, name, [_identity(f"{target}/{name}")])

        return bring_each(items, folder, self._checksums, self._copy.copy, put)

    def send(self, items: Sequence[Item], folder: str) -> Moved:
        """Copy items of a folder to where a run keeps them."""
        return self._copy.send(items, folder)


def check_places(names: Iterable[str], folder: str) -> None:
    """Refuse results that would take the place of what no run has put there.

    Raises:
        StagingError: One would; the sentence names it.
    """
    for name in names:
        for path in (f"{folder}/{part}" for part in _folders(name)):
            if os.path.lexists(path) and not is_directory(path):
                raise _taken(path, "is no folder")
        target = f"{folder}/{name}".rstrip("/")
        if is_directory(target):
            if not name.endswith("/"):
                raise _taken(target, "is a folder, and a result of this name is a file")
            if os.listdir(target) and _identity(target) not in _noted(folder, name):
                raise _taken(target, "has something in it that no run has put there")


def _taken(path: str, why: str) -> StagingError:
    return StagingError(
        f"Results cannot go to {path}: it {why}. Move it away, or choose another folder with --out."
    )


def _folders(name: str) -> list[str]:
    """Return all that is a folder in a name."""
    parts = name.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _identity(path: str) -> str:
    """Return what a directory is known by; nothing of one that cannot be looked at."""
    try:
        return identity_of(parts_of(path))
    except OSError:
        return ""


def _note_of(folder: str, name: str) -> str:
    mark = blake2b(name.encode(errors="surrogateescape"), digest_size=_NAME_BYTES).hexdigest()
    return os.path.join(folder, NOTES, mark)


def _noted(folder: str, name: str) -> list[str]:
    """Return the identities that a directory has had when a run put it there."""
    try:
        with open(_note_of(folder, name), encoding="ascii", errors="replace") as file:
            return file.read().split()
    except OSError:
        return []


def _note(folder: str, name: str, identities: Sequence[str]) -> None:
    notes = os.path.join(folder, NOTES)
    os.makedirs(notes, exist_ok=True)
    fresh = hidden_in(notes)
    with open(fresh, "w", encoding="ascii") as file:
        file.write("\n".join(identities))
    os.replace(fresh, _note_of(folder, name))
