"""A stored run: its manifest, its state, and its tables, each read when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from longpole.errors import DamagedRunError, NewerLogError, QueryError, UsageError
from longpole.model.columns import Columns
from longpole.model.execution import TABLES
from longpole.model.manifest import Manifest, State
from longpole.model.recording import Reading, RecordingNotes
from longpole.store.database import Database
from longpole.store.life import LOG_FOLDER, state_of
from longpole.store.manifest import MANIFEST, manifest_bytes, parse_manifest, substitute
from longpole.store.tables import Tables, build_tables, kept_tables, origin_of


class StoredRun:
    """One run as it lies on the disk; a run that is still going is seen as it was at the first question.

    Attributes:
        path: The run's folder.
        manifest: What the run says about itself.
        state: Where it stands; running only if its launcher still lives.
    """

    def __init__(self, path: Path, manifest: Manifest, problem: str = "") -> None:
        """Take a run whose manifest was read; ``problem`` says what is wrong with it."""
        self.path = path
        self.manifest = manifest
        self.state = state_of(path, manifest)
        self._problem = problem
        self._tables: Tables | None = None
        self._database: Database | None = None

    @property
    def reading(self) -> Reading:
        """How much of the log is readable, and what is wrong with it.

        Raises:
            DamagedRunError: Nothing of it is.
        """
        reading = self.tables.stamp.reading
        if not self._problem:
            return reading
        return Reading(reading.readable, reading.expected, (self._problem, *reading.problems))

    @property
    def recording(self) -> RecordingNotes:
        """What the recorder said about its own work."""
        return self.tables.stamp.recording

    @property
    def tables(self) -> Tables:
        """The tables of the log as it is, or was at the first question."""
        if self._tables is None:
            origin = origin_of(self.path, self._manifest_bytes())
            running = self.state is State.RUNNING
            kept = None if running else kept_tables(self.path, origin)
            self._tables = kept or build_tables(self.path, self.manifest, self.state, origin)
        return self._tables

    def table(self, name: str, columns: Sequence[str] | None = None) -> Columns:
        """Return a table, or the columns of it that are named; no others are read.

        Raises:
            UsageError: There is no such table or column.
        """
        known = [field.name for field in TABLES[name].fields] if name in TABLES else []
        wanted = known if columns is None else list(columns)
        if not known or not set(wanted) <= set(known):
            raise UsageError(f"There is no table '{name}' with columns {', '.join(wanted) or 'of any name'}.")
        return self.query(f"SELECT {', '.join(wanted)} FROM {name}")

    def query(self, sql: str, parameters: Sequence[object] = ()) -> Columns:
        """Return what a statement of ours answers, over views named as the tables are.

        Raises:
            QueryError: The statement is wrong.
        """
        try:
            return self._open().columns(sql, parameters)
        except QueryError:
            if self._tables_are_sound():
                raise
        self._rebuild()
        return self._open().columns(sql, parameters)

    def close(self) -> None:
        """Let memory and temporary files go."""
        if self._database is not None:
            self._database.close()
        self._database = self._tables = None

    def __enter__(self) -> StoredRun:
        return self

    def __exit__(
        self, failure: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> Database:
        if self._database is None:
            self._database = Database(self.tables.files())
        return self._database

    def _tables_are_sound(self) -> bool:
        """Return whether every column can be read: a table file may be damaged, or forged."""
        try:
            for name, table in TABLES.items():
                fields = ", ".join(f"max({field.name}) AS {field.name}" for field in table.fields)
                self._open().columns(f"SELECT {fields} FROM {name}")
        except QueryError:
            return False
        return True

    def _rebuild(self) -> None:
        self.close()
        origin = origin_of(self.path, self._manifest_bytes())
        self._tables = build_tables(self.path, self.manifest, self.state, origin)

    def _manifest_bytes(self) -> bytes:
        try:
            return manifest_bytes(str(self.path / MANIFEST))
        except DamagedRunError:
            return b""


def open_run(path: str | os.PathLike[str]) -> StoredRun:
    """Return a run; one that has lost its manifest but has a log is opened all the same.

    Raises:
        NewerLogError: A later version of Longpole wrote it.
        DamagedRunError: It is no run.
    """
    folder = Path(path).absolute()
    file = str(folder / MANIFEST)
    try:
        return StoredRun(folder, parse_manifest(file, manifest_bytes(file)))
    except NewerLogError:
        raise
    except DamagedRunError as error:
        if not (folder / LOG_FOLDER).is_dir():
            raise
        return StoredRun(folder, substitute(folder), str(error))
