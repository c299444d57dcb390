"""The execution model: its tables, their columns, and the words used in them.

A run is a tree of phases over processes of hosts that use resources. Times are integer nanoseconds of UTC:
durations come from each host's monotonic clock, and one offset per host, kept in ``clocks`` with its error,
puts all hosts on one axis. An id is a number within its table; a column that names another table holds
that table's id, and is empty where nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Type(StrEnum):
    """What a column holds."""

    INTEGER = "integer"
    FLOAT = "float"
    TEXT = "text"


class Status(StrEnum):
    """How a phase ended."""

    OK = "ok"
    FAILED = "failed"
    UNFINISHED = "unfinished"


class Source(StrEnum):
    """How far a total can be believed."""

    EXACT = "exact"
    SAMPLED = "sampled"
    DECLARED = "declared"


class Scope(StrEnum):
    """Whose use a sample or a total is."""

    RUN = "run"
    HOST = "host"
    TREE = "tree"
    PROCESS = "process"
    PHASE = "phase"
    DEVICE = "device"


class Metric(StrEnum):
    """What totals count."""

    CPU_USER = "cpu_user_ns"
    CPU_SYSTEM = "cpu_system_ns"
    CPU_WAIT = "cpu_wait_ns"
    READ = "read_bytes"
    WRITTEN = "written_bytes"
    STORAGE_READ = "storage_read_bytes"
    STORAGE_WRITTEN = "storage_written_bytes"
    PEAK_MEMORY = "peak_memory_bytes"
    SHUFFLE_READ = "shuffle_read_bytes"
    SHUFFLE_WRITTEN = "shuffle_written_bytes"
    START_UP = "start_up_ns"
    IMPORT = "import_ns"


# Kinds of phase that hold everything else; time by phase leaves them out.
CONTAINERS = ("run", "process", "workflow")
# Kinds that make up the attempt of a task: time by task has them.
JOB_KINDS = (
    "job",
    "hold",
    "queue",
    "pre",
    "stage_in",
    "container",
    "exec",
    "submitted",
    "stage_out",
    "post",
    "jobstep",
)


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a table."""

    name: str
    type: Type
    meaning: str


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a run."""

    name: str
    meaning: str
    fields: tuple[Field, ...]


def _table(name: str, meaning: str, columns: str) -> Table:
    """Build a table from lines of ``name type meaning``."""
    fields = []
    for line in columns.strip().splitlines():
        column, kind, text = line.split(maxsplit=2)
        fields.append(Field(column, Type(kind), text))
    return Table(name, meaning, tuple(fields))


TABLES = {
    table.name: table
    for table in (
        _table(
            "tasks",
            "a declared or recognised unit of work",
            """
            id integer this task
            name text its name
            type text what kind of task it is
            resources text what it was declared to need, as JSON
            outcome text ran, cached, skipped or never
            """,
        ),
        _table(
            "phases",
            "an interval",
            """
            id integer this phase
            parent integer the phase it is part of
            kind text run, process, phase (a user's own mark), command, step and so on; kinds are open
            name text its name
            task integer the task it belongs to
            attempt integer which try of that task, from 1
            process integer the process it ran in
            lane integer thread or CUDA stream within the process
            device integer device within the host
            start_ns integer when it began
            end_ns integer when it ended
            duration_ns integer how long it took in all
            count integer 1, or how many phases of one name this row sums up
            status text ok, failed or unfinished
            attributes text what else is known of it, as JSON: what the user said, or the histogram of a sum
            """,
        ),
        _table(
            "edges",
            "a dependency between tasks (declared) or phases (observed)",
            """
            id integer this edge
            kind text data, pipe (both ran at once), control, order, launch, collective or spawn
            from_task integer the task that comes first
            to_task integer the task that depends on it
            from_phase integer the phase that comes first
            to_phase integer the phase that depends on it
            file integer the file handed over
            bytes integer how much was handed over
            """,
        ),
        _table(
            "processes",
            "a process",
            """
            id integer this process; pids recur, ids do not
            host integer where it ran
            pid integer its pid there, a label only
            parent integer the process that started it
            start_ns integer when it began
            end_ns integer when it ended, empty if it was still there
            name text the program's short name
            command text its command line, secrets masked
            rank integer its rank in a parallel program
            world integer how many ranks there are
            exit_status integer wait status, where known
            source text exact (an exit record or the launcher saw its end) or sampled
            """,
        ),
        _table(
            "hosts",
            "a machine",
            """
            id integer this host
            name text its name
            kernel text version of its kernel
            machine text processor architecture
            boot text which boot of it
            cores integer cores the run could use
            memory_bytes integer memory it has
            """,
        ),
        _table(
            "clocks",
            "a measured offset of a host's monotonic clock to UTC",
            """
            host integer whose clock
            at_ns integer when it was measured, UTC
            offset_ns integer UTC minus the monotonic clock
            error_ns integer how wrong the offset may be
            """,
        ),
        _table(
            "resources",
            "a limited thing whose use is sampled",
            """
            id integer this resource
            host integer where it is
            kind text cpu, memory, disk, network, nfs, pressure, gpu, io, storage and so on
            name text which one of its kind
            metric text what is measured of it
            unit text unit of its samples
            capacity float the most it can give, where known
            """,
        ),
        _table(
            "samples",
            "the mean use of a resource over an interval",
            """
            resource integer which resource
            scope text host, tree, process or device: whose use it is
            owner integer id of that host or process
            start_ns integer begin of the interval
            end_ns integer end of the interval
            value float mean over the interval, in the resource's unit
            """,
        ),
        _table(
            "totals",
            "what a run, process or phase has used in all",
            """
            scope text run, process or phase
            owner integer its id; empty for the run
            metric text what was counted
            value float how much
            source text exact, sampled or declared
            low float the least it can be
            high float the most it can be
            """,
        ),
        _table(
            "files",
            "a file that was opened or handed over",
            """
            id integer this file
            name text its path or logical name
            bytes integer its size at the end, where known
            checksum text checksum, where known
            producer integer the process that wrote it
            """,
        ),
        _table(
            "opens",
            "a process that opened a file, or a task that a workflow says uses it",
            """
            process integer who opened it
            file integer which file
            times integer how often, at least: the kernel merges equal opens that follow each other
            first_ns integer when first
            written integer 1 if it was closed after writing, or the task makes it
            task integer the task that uses it, where a workflow says so
            """,
        ),
    )
}
