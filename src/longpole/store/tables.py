"""The tables of a run: built from its log when they are missing or of another log, and kept beside it.

``tables/stamp.json`` says of which log, by which version, the Parquet files beside it were made. It is taken
away before the first file changes and put back after the last, and each file is replaced at once, so a
reader sees whole files however many build at the same time. Where the run's folder cannot be written, and
for a run that is still going, the tables lie in a temporary folder until they are closed.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import weakref
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from longpole.errors import DamagedRunError, QueryError, UnreadableLogError
from longpole.log.files import LOG_FOLDER, read_plain_file
from longpole.model.execution import TABLES
from longpole.model.manifest import Manifest, State
from longpole.model.recording import Reading, RecordingNotes
from longpole.store.database import Writer
from longpole.store.manifest import SCHEMA_VERSION

if TYPE_CHECKING:
    from longpole.store.derive.build import Built

TABLES_FOLDER = "tables"
STAMP = "stamp.json"
# Raised whenever the same log would give other tables.
BUILDER = 13


class Origin(msgspec.Struct, frozen=True):
    """What tables are made from: tables of another origin are not used."""

    logs: dict[str, tuple[int, int]]
    manifest: int
    schema_version: int = SCHEMA_VERSION
    builder: int = BUILDER


class Stamp(msgspec.Struct, frozen=True):
    """What lies in a folder of tables."""

    origin: Origin
    files: dict[str, int]
    reading: Reading
    recording: RecordingNotes


class Tables:
    """Parquet files that belong to the log as it is now."""

    def __init__(self, folder: Path, stamp: Stamp) -> None:
        """Take a folder whose stamp was checked."""
        self.folder = folder
        self.stamp = stamp

    def files(self) -> dict[str, list[str]]:
        """Return the file of each table."""
        return {name: [str(self.folder / f"{name}.parquet")] for name in TABLES}


def origin_of(run: Path, manifest: bytes) -> Origin:
    """Return what tables of this run must be made from."""
    return Origin(_states_of_logs(run / LOG_FOLDER), zlib.crc32(manifest))


def kept_tables(run: Path, origin: Origin) -> Tables | None:
    """Return the tables beside the log, if they are whole and of this log."""
    folder = run / TABLES_FOLDER
    try:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            return None
        stamp = msgspec.json.decode(read_plain_file(str(folder / STAMP)), type=Stamp)
        sound = stamp.origin == origin and _sizes(folder) == stamp.files
    except (OSError, UnreadableLogError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None
    return Tables(folder, stamp) if sound else None


def build_tables(run: Path, manifest: Manifest, state: State, origin: Origin) -> Tables:
    """Build the tables from the log, beside it where that can be, else in a temporary folder.

    Raises:
        DamagedRunError: Nothing of the log can be read, or there is no room for the tables.
    """
    if state is not State.RUNNING and os.access(run, os.W_OK):
        try:
            return _write_beside(run / TABLES_FOLDER, _built(run, manifest, state), origin)
        except (OSError, QueryError):
            pass  # a folder that is not ours after all, or a full disk
    return _write_temporary(_built(run, manifest, state), origin)


def _built(run: Path, manifest: Manifest, state: State) -> Built:
    from longpole.store.derive.build import build
    from longpole.store.derive.content import read_content

    content = read_content(run / LOG_FOLDER, state)
    if content.errors and not (content.logs or content.told):
        raise content.errors[0]
    return build(content, manifest, state)


def _write_beside(folder: Path, built: Built, origin: Origin) -> Tables:
    try:
        folder.mkdir(0o700)
    except FileExistsError:
        if folder.is_symlink():
            raise
    (folder / STAMP).unlink(missing_ok=True)
    fresh = Path(tempfile.mkdtemp(dir=folder, prefix="."))
    try:
        tables = _write(fresh, built, origin)
        for name in (*tables.stamp.files, STAMP):
            os.replace(fresh / name, folder / name)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return Tables(folder, tables.stamp)


def _write_temporary(built: Built, origin: Origin) -> Tables:
    try:
        folder = Path(tempfile.mkdtemp(prefix="longpole-"))
    except OSError as error:
        raise DamagedRunError(
            f"There is no room for the run's tables: {error.strerror}. Set TMPDIR."
        ) from error
    try:
        tables = _write(folder, built, origin)
    except (OSError, QueryError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise DamagedRunError(
            f"The run's tables could not be written to {folder}: {error} Set TMPDIR."
        ) from error
    weakref.finalize(tables, shutil.rmtree, folder, ignore_errors=True)
    return tables


def _write(folder: Path, built: Built, origin: Origin) -> Tables:
    missing = dict(TABLES)
    with Writer() as writer:
        for name, parts in built.tables:
            writer.write(str(folder / f"{name}.parquet"), missing.pop(name), parts)
        for name, table in missing.items():
            writer.write(str(folder / f"{name}.parquet"), table, ())
    stamp = Stamp(origin, _sizes(folder), built.reading, built.recording)
    (folder / STAMP).write_bytes(msgspec.json.encode(stamp))
    return Tables(folder, stamp)


def _sizes(folder: Path) -> dict[str, int]:
    """Return the size of each table's file.

    Raises:
        OSError: One is missing, or is no plain file.
    """
    sizes = {}
    for name in TABLES:
        path = folder / f"{name}.parquet"
        status = os.lstat(path)
        if not stat.S_ISREG(status.st_mode):
            raise FileNotFoundError(str(path))
        sizes[path.name] = status.st_size
    return sizes


def _states_of_logs(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of change of each log file: what tells whether tables are of this log.

    A run that was copied without its times is built once more: cheaper than to overlook damage.
    """
    try:
        with os.scandir(folder) as entries:
            states = {entry.name: entry.stat(follow_symlinks=False) for entry in entries}
        return {name: (state.st_size, state.st_mtime_ns) for name, state in states.items()}
    except OSError:
        return {}
