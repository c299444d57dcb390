"""A stored run: its manifest, its state, and its tables, each read when it is first asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from longpole.errors import DamagedRunError, NewerLogError, QueryError, UsageError
from longpole.log.files import LOG_FOLDER
from longpole.model.columns import Columns
from longpole.model.execution import TABLES
from longpole.model.manifest import Manifest, State
from longpole.model.recording import Reading, RecordingNotes
from longpole.store.database import Database
from longpole.store.life import state_of
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

    def damage(self) -> DamagedRunError | None:
        """Return what is wrong with the run, to be raised after all that is intact of it was shown.

        A run that still grows is never whole, and that is no damage.
        """
        reading = self.reading
        if self.state is State.RUNNING or (not reading.problems and reading.readable >= reading.expected):
            return None
        problems = " ".join(reading.problems) or f"{reading.sentence()}."
        return DamagedRunError(f"This run is damaged, and what is intact was shown: {problems}")

    def check_whole(self) -> None:
        """Refuse a damaged run.

        Raises:
            DamagedRunError: Some of its log cannot be read.
        """
        damage = self.damage()
        if damage is not None:
            raise damage

    def table(self, name: str, columns: Sequence[str] | None = None) -> Columns:
        """Return a table, or the columns of it that are named; no others are read.

        Raises:
            UsageError: There is no such table or column.
        """
        return self.query(_selection(name, columns))

    def arrow(self, name: str) -> Any:  # noqa: ANN401  a pyarrow.Table; the library may be absent
        """Return a table for Arrow.

        Raises:
            MissingLibraryError: pyarrow is not installed.
        """
        self.sound_tables()
        return self._open().arrow(_selection(name))

    def pandas(self, name: str) -> Any:  # noqa: ANN401  a pandas.DataFrame; the library may be absent
        """Return a table for pandas.

        Raises:
            MissingLibraryError: pandas is not installed.
        """
        self.sound_tables()
        return self._open().pandas(_selection(name))

    def query(self, sql: str, parameters: Sequence[object] = ()) -> Columns:
        """Return what a statement of ours answers, over views named as the tables are.

        Raises:
            QueryError: The statement is wrong.
        """
        try:
            return self._open().columns(sql, parameters)
        except QueryError:
            self.sound_tables()
            return self._open().columns(sql, parameters)

    def sound_tables(self) -> Tables:
        """Return the tables once every column of them can be read: a file may be damaged, or forged."""
        if not self._can_be_read():
            self.close()
            origin = origin_of(self.path, self._manifest_bytes())
            self._tables = build_tables(self.path, self.manifest, self.state, origin)
        return self.tables

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

    def _can_be_read(self) -> bool:
        try:
            for name, table in TABLES.items():
                fields = ", ".join(field.name for field in table.fields)
                self._open().columns(f"SELECT {fields} FROM {name} LIMIT 0")
        except QueryError:
            return False
        return True

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


def _selection(name: str, columns: Sequence[str] | None = None) -> str:
    known = [field.name for field in TABLES[name].fields] if name in TABLES else []
    wanted = known if columns is None else list(columns)
    if not known or not wanted or not set(wanted) <= set(known):
        what = (
            f"Table '{name}' has no column of {', '.join(wanted)}" if known else f"There is no table '{name}'"
        )
        raise UsageError(f"{what}. There are {', '.join(known or TABLES)}.")
    return f"SELECT {', '.join(wanted)} FROM {name}"
