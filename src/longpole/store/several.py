"""Which runs a person means by a few words: single ones, all of a name, of a pattern, or of a series."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from longpole.errors import RunNotFoundError
from longpole.store.selection import LATEST, RunEntry, entry_of, find_run, is_run, list_runs

_WILD = frozenset("*?[")


def find_runs(wanted: Sequence[str], folder: str | os.PathLike[str]) -> tuple[RunEntry, ...]:
    """Return the runs meant by words, in their order and then the oldest first; each run once.

    A word is a run as ``find_run`` knows it; or the name of a series, or of runs: all of these; or a pattern
    of such names, with ``*``, ``?`` or ``[...]`` in it.

    Raises:
        RunNotFoundError: A word means none, or is the beginning of more than one id.
    """
    entries = list_runs(folder)
    found: dict[str, RunEntry] = {}
    for word in wanted:
        found.update({os.fspath(entry.path): entry for entry in _meant(word, entries, folder)})
    return tuple(found.values())


def latest_series(folder: str | os.PathLike[str]) -> str:
    """Return the name of the series that this user last made a run for; empty if there is none."""
    for entry in reversed(list_runs(folder)):
        if entry.manifest.series and entry.manifest.user == os.getuid():
            return entry.manifest.series
    return ""


def series_runs(name: str, folder: str | os.PathLike[str]) -> list[RunEntry]:
    """Return the runs of a series, the oldest first."""
    return [entry for entry in list_runs(folder) if entry.manifest.series == name]


def _meant(word: str, entries: Sequence[RunEntry], folder: str | os.PathLike[str]) -> Sequence[RunEntry]:
    if not word or word == LATEST or word.startswith(f"{LATEST}:"):
        return [_single(word, folder)]
    exact = [entry for entry in entries if word in (entry.manifest.id, entry.path.name)]
    named = (
        exact
        or [entry for entry in entries if entry.manifest.series == word]
        or [entry for entry in entries if entry.manifest.name == word]
    )
    if named:
        return named
    if not _WILD.isdisjoint(word) and not (os.sep in word and is_run(Path(word).expanduser())):
        return _of_pattern(word, entries, folder)
    return [_single(word, folder)]


def _of_pattern(word: str, entries: Sequence[RunEntry], folder: str | os.PathLike[str]) -> Sequence[RunEntry]:
    fitting = [
        entry
        for entry in entries
        if any(fnmatchcase(name, word) for name in (entry.manifest.series, entry.manifest.name) if name)
    ]
    if not fitting:
        raise RunNotFoundError(word, os.fspath(folder))
    return fitting


def _single(word: str, folder: str | os.PathLike[str]) -> RunEntry:
    return entry_of(find_run(word, folder))
