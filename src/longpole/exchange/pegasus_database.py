"""A stampede database of Pegasus, read from bytes without trust.

Form: SQLite, schema version 14 of Pegasus 5 (older ones where they have the columns). It is opened in memory,
and its schema may say anything. So only plain tables are read, no views, virtual tables or computed columns;
columns are looked up before they are asked for; nothing but reading is permitted, and no function; and what
takes much longer than a file of its size can is stopped.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from longpole.exchange.pegasus_cells import Cells
from longpole.exchange.unreadable import UnreadableFileError

MAGIC = b"SQLite format 3\x00"
# Where the header says how the file is written, and what it must say to be read from memory.
_JOURNAL, _WITH_A_JOURNAL, _WITH_A_WAL = slice(18, 20), b"\x01\x01", b"\x02\x02"
_STEPS_AT_ONCE, _STEPS_PER_BYTE = 100_000, 10
_LONGEST_CELL = 64 << 20


@dataclass(frozen=True, slots=True)
class Workflow:
    """A workflow, or one inside another."""

    id: int
    label: str | None
    above: int | None


@dataclass(frozen=True, slots=True)
class WorkflowState:
    """A moment at which a workflow was started or ended; ``status`` is 0 for success."""

    workflow: int
    state: str
    at_ns: int | None
    restart: int | None
    status: int | None


@dataclass(frozen=True, slots=True)
class Job:
    """A job of the planned workflow; ``kind`` is Pegasus's word for what it is for."""

    id: int
    workflow: int
    name: str
    kind: str
    retries: int | None


@dataclass(frozen=True, slots=True)
class Task:
    """A task of the workflow as its author described it, and the job that does it."""

    workflow: int
    job: int | None
    name: str
    transformation: str


@dataclass(frozen=True, slots=True)
class Try:
    """A submission of a job; ``below`` is the workflow that it runs."""

    id: int
    job: int
    order: int | None
    host: int | None
    site: str | None
    cluster_job: str | None
    folder: str | None
    exit_code: int | None
    below: int | None


@dataclass(frozen=True, slots=True)
class JobState:
    """A moment in the life of a try."""

    attempt: int
    state: str
    at_ns: int | None
    order: int | None


@dataclass(frozen=True, slots=True)
class Invocation:
    """What a try executed; ``order`` is -1 for its script before, -2 for its script after."""

    attempt: int
    order: int
    start_ns: int | None
    took_ns: int | None
    cpu_ns: int | None
    exit_code: int | None
    transformation: str | None
    executable: str | None
    task: str | None
    peak_bytes: float | None


@dataclass(frozen=True, slots=True)
class Edge:
    """A dependency within a workflow, by names of jobs or of tasks."""

    workflow: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Host:
    """A machine."""

    id: int
    name: str
    system: str | None


@dataclass(frozen=True, slots=True)
class Database:
    """All that is read of a file, and sentences on what could not be."""

    file: str
    workflows: list[Workflow]
    workflow_states: list[WorkflowState]
    jobs: list[Job]
    tasks: list[Task]
    tries: list[Try]
    states: list[JobState]
    invocations: list[Invocation]
    job_edges: list[Edge]
    task_edges: list[Edge]
    hosts: list[Host]
    gaps: tuple[str, ...]


# Columns in the order of the rows above, each with what it holds; a mark for what older schemas lack.
_WORKFLOW = "wf_id:id dax_label:text parent_wf_id:whole"
_WORKFLOW_STATE = "wf_id:id state:name timestamp:moment restart_count:whole status:whole"
_JOB = "job_id:id wf_id:id exec_job_id:name type_desc:name max_retries:whole?"
_TASK = "wf_id:id job_id:whole abs_task_id:name transformation:name"
_TRY = (
    "job_instance_id:id job_id:id job_submit_seq:whole host_id:whole site:text sched_id:text work_dir:text? "
    "exitcode:whole subwf_id:whole"
)
_JOB_STATE = "job_instance_id:id state:name timestamp:moment jobstate_submit_seq:whole"
_INVOCATION = (
    "job_instance_id:id task_submit_seq:id start_time:moment remote_duration:seconds remote_cpu_time:seconds "
    "exitcode:whole transformation:text executable:text abs_task_id:text maxrss:bytes?"
)
_JOB_EDGE = "wf_id:id parent_exec_job_id:name child_exec_job_id:name"
_TASK_EDGE = "wf_id:id parent_abs_task_id:name child_abs_task_id:name"
_HOST = "host_id:id hostname:name uname:text"


def read_database(file: str, content: bytes) -> Database:
    """Return what a stampede database holds.

    Raises:
        UnreadableFileError: It is none, or damaged; names the file and what is wrong in it.
    """
    if not content.startswith(MAGIC):
        raise UnreadableFileError(f"{file} is no SQLite database, as those of Pegasus are.")
    try:
        with _opened(content) as connection:
            tables = _Tables(file, connection)
            connection.set_authorizer(_only_reading)
            return tables.read_all()
    except (sqlite3.Error, sqlite3.Warning, OverflowError, UnicodeDecodeError) as error:
        # What SQLite says may quote the file, and so be no text, or of several lines.
        said = "it is damaged" if isinstance(error, UnicodeDecodeError) else " ".join(str(error).split())
        raise UnreadableFileError(f"{file} cannot be read as a SQLite database: {said}.") from error


@contextmanager
def _opened(content: bytes) -> Iterator[sqlite3.Connection]:
    if (
        content[_JOURNAL] == _WITH_A_WAL
    ):  # which cannot be read from memory: what was not written back is lost
        content = content[: _JOURNAL.start] + _WITH_A_JOURNAL + content[_JOURNAL.stop :]
    left = len(content) * _STEPS_PER_BYTE + _STEPS_AT_ONCE * 10

    def out_of_patience() -> bool:
        nonlocal left
        left -= _STEPS_AT_ONCE
        return left < 0

    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(content)
        connection.text_factory = lambda raw: raw.decode("utf-8", errors="replace")
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_CELL)
        connection.set_progress_handler(out_of_patience, _STEPS_AT_ONCE)
        for setting in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {setting}")
        yield connection


def _only_reading(action: int, *_: object) -> int:
    return (
        sqlite3.SQLITE_OK if action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ) else sqlite3.SQLITE_DENY
    )


class _Tables:
    """The tables of one file."""

    def __init__(self, file: str, connection: sqlite3.Connection) -> None:
        """Look up which plain tables there are, and their stored columns."""
        self._file, self._connection = file, connection
        self._cells = Cells(file)
        listed = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        plain = [str(name) for name, sql in listed if str(sql).upper().startswith("CREATE TABLE")]
        self._columns = {name: self._columns_of(name) for name in plain}

    def read_all(self) -> Database:
        """Return all rows."""
        read = self._read
        return Database(
            self._file,
            [Workflow(*row) for row in read("workflow", _WORKFLOW)],
            [WorkflowState(*row) for row in read("workflowstate", _WORKFLOW_STATE)],
            [Job(*row) for row in read("job", _JOB)],
            [Task(*row) for row in read("task", _TASK)],
            [Try(*row) for row in read("job_instance", _TRY)],
            [JobState(*row) for row in read("jobstate", _JOB_STATE)],
            [Invocation(*row) for row in read("invocation", _INVOCATION)],
            [Edge(*row) for row in read("job_edge", _JOB_EDGE)],
            [Edge(*row) for row in read("task_edge", _TASK_EDGE)],
            [Host(*row) for row in read("host", _HOST)],
            tuple(self._cells.gaps()),
        )

    def _columns_of(self, table: str) -> frozenset[str]:
        asked = self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return frozenset(str(name) for (name,) in asked)

    def _read(self, table: str, wanted: str) -> Iterator[tuple[Any, ...]]:
        if table not in self._columns:
            raise UnreadableFileError(f"{self._file} is no Pegasus database: it has no table '{table}'.")
        columns = [column.partition(":")[::2] for column in wanted.split()]
        asked = ", ".join(self._asked(table, name, kind) for name, kind in columns)
        for row in self._connection.execute(f'SELECT {asked} FROM "{table}"'):
            yield tuple(
                self._cells.checked(table, name, kind.rstrip("?"), value)
                for (name, kind), value in zip(columns, row, strict=True)
            )

    def _asked(self, table: str, column: str, kind: str) -> str:
        if column in self._columns[table]:
            return f'"{column}"'
        if kind.endswith("?"):
            return "NULL"
        raise UnreadableFileError(
            f"{self._file} is no Pegasus database as 5.0 makes it: its table '{table}' has no column "
            f"'{column}'."
        )
