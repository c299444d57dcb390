"""The working directory of a Snakemake workflow, read without trust in it.

Only regular files are read, up to a size; in place of a file a link, a pipe or a device is passed over.
Nothing in it is executed, and Snakemake is not needed.
"""

from __future__ import annotations

import os
import stat
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from dataclasses import replace
from datetime import tzinfo
from pathlib import Path

from longpole.exchange.cycles import check_tables
from longpole.exchange.snakemake_log import read_log
from longpole.exchange.snakemake_records import read_records
from longpole.exchange.unreadable import UnreadableFileError
from longpole.model.told import Told

_OWN = ".snakemake"
_MOST_RECORDS = 1_000_000
_MOST_LOGS = 1000
_RECORD_BYTES = 16 << 20
_LOG_BYTES = 256 << 20
_DEEPEST = 32


def read_folder(folder: Path, zone: tzinfo | None = None, name: str = "") -> Told:
    """Return what the working directory of a workflow tells.

    Args:
        folder: The directory, or the ``.snakemake`` in it.
        zone: Where times without a zone were written; None for here.
        name: What to call the run; by default as the directory.

    Raises:
        UnreadableFileError: It is no such directory, tells of no job, or of jobs that wait for each other.
    """
    if folder.name == _OWN:
        folder = folder.parent
    own = folder / _OWN
    if not os.path.isdir(own / "metadata") and not os.path.isdir(own / "log"):
        raise UnreadableFileError(
            f"{folder} is a directory in which Snakemake has not run: there is no {_OWN}/metadata in it."
        )
    logs = [read_log(text, zone) for text in _logs(own / "log")]
    called = name or folder.absolute().name or "snakemake"
    try:
        told = read_records(_records(own / "metadata"), logs, _Files(folder), called)
        check_tables(told.tables)
    except UnreadableFileError as error:
        raise UnreadableFileError(f"Nothing can be made of {folder}: {error}") from error
    return replace(told, gaps=(*told.gaps, *_unfinished(own / "incomplete")))


def _unfinished(folder: Path) -> list[str]:
    marked = sum(bool(entry.name.startswith("@") or _decoded(entry.name)) for entry in _entries(folder))
    said = f"{marked:,} outputs are marked incomplete: their jobs were under way when Snakemake last ended."
    return [said] if marked else []


class _Files:
    """Files of the workflow, which names them from its directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def size_of(self, name: str) -> int | None:
        status = self._status(name)
        return status.st_size if status else None

    def changed_ns(self, name: str) -> int | None:
        status = self._status(name)
        return status.st_mtime_ns if status else None

    def read(self, name: str) -> str:
        return _text(self._folder / name, _RECORD_BYTES) or ""

    def _status(self, name: str) -> os.stat_result | None:
        try:
            status = os.stat(self._folder / name)
        except (OSError, ValueError):
            return None
        return status if stat.S_ISREG(status.st_mode) else None


def _records(folder: Path, before: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield each output and its record; long names of outputs are cut into folders that begin with '@'."""
    for entry in _entries(folder)[:_MOST_RECORDS]:
        if entry.is_dir(follow_symlinks=False):
            if entry.name.startswith("@") and depth < _DEEPEST:
                yield from _records(Path(entry.path), before + entry.name[1:], depth + 1)
        elif (output := _decoded(before + entry.name)) and entry.is_file(follow_symlinks=False):
            yield output, _text(Path(entry.path), _RECORD_BYTES) or ""


def _logs(folder: Path) -> Iterator[str]:
    """Yield the logs, the earliest first: their names are moments."""
    named = [entry for entry in _entries(folder) if entry.name.endswith(".snakemake.log")]
    for entry in named[-_MOST_LOGS:]:
        yield _text(Path(entry.path), _LOG_BYTES) or ""


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []


def _decoded(name: str) -> str:
    try:
        return urlsafe_b64decode(name.encode()).decode()
    except ValueError:
        return ""


def _text(path: Path, most_bytes: int) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    with open(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
            return None
        return file.read(most_bytes).decode("utf-8", errors="replace")
