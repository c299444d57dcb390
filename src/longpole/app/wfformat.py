"""From a stored run to an instance of WfFormat: tasks with their last execution, dependencies and files.

Of a task that was tried several times the last ``exec`` counts. Files are those of tasks; what processes
opened besides has no place there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import msgspec
import numpy as np

from longpole.errors import UsageError
from longpole.exchange.wfformat_instance import UNKNOWN, Files, Instance, Machine, Real, Tasks, Whole
from longpole.model.columns import Column, Columns
from longpole.model.execution import Metric, Scope
from longpole.store.run import StoredRun

_TASKS = f"""
    WITH ran AS (
        SELECT id, task, start_ns, duration_ns, attributes FROM phases
        WHERE kind = 'exec' AND task IS NOT NULL AND duration_ns IS NOT NULL
        QUALIFY row_number() OVER (PARTITION BY task ORDER BY attempt DESC NULLS LAST, id DESC) = 1
    ), used AS (
        SELECT owner, sum(value) FILTER (metric IN ('{Metric.CPU_USER}', '{Metric.CPU_SYSTEM}')) AS cpu_ns,
            max(value) FILTER (metric = '{Metric.READ}') AS read_bytes,
            max(value) FILTER (metric = '{Metric.WRITTEN}') AS written_bytes,
            max(value) FILTER (metric = '{Metric.PEAK_MEMORY}') AS memory_bytes
        FROM totals WHERE scope = '{Scope.PHASE}' GROUP BY owner
    )
    SELECT tasks.id, coalesce(tasks.name, '?') AS name, coalesce(tasks.type, tasks.name, '?') AS type,
        resources, ran.id AS phase, start_ns, duration_ns, attributes,
        cpu_ns, read_bytes, written_bytes, memory_bytes
    FROM tasks LEFT JOIN ran ON ran.task = tasks.id LEFT JOIN used ON used.owner = ran.id ORDER BY tasks.id
"""
_EDGES = """
    SELECT DISTINCT from_task, to_task FROM edges
    WHERE from_task IS NOT NULL AND to_task IS NOT NULL AND from_task <> to_task ORDER BY ALL
"""
_USES = """
    SELECT DISTINCT task, file, written FROM (
        SELECT task, file, coalesce(written, 0) AS written FROM opens WHERE task IS NOT NULL
        UNION ALL SELECT from_task, file, 1 FROM edges WHERE from_task IS NOT NULL
        UNION ALL SELECT to_task, file, 0 FROM edges WHERE to_task IS NOT NULL
    ) WHERE file IS NOT NULL ORDER BY ALL
"""
_FILES = f"""
    SELECT id, coalesce(name, '?') AS name, bytes FROM files
    WHERE id IN (SELECT file FROM ({_USES})) OR id NOT IN (SELECT file FROM opens WHERE file IS NOT NULL)
    ORDER BY id
"""
_HOSTS = "SELECT coalesce(name, '?') AS name, machine, kernel, cores, memory_bytes FROM hosts ORDER BY id"
_WHOLE = """
    SELECT start_ns, duration_ns, attributes FROM phases
    WHERE kind IN ('workflow', 'run') AND process IS NULL ORDER BY kind = 'run', id LIMIT 1
"""


class _Facts(msgspec.Struct):
    """What is known of an execution, or of the workflow, besides its times."""

    id: str | None = None
    machines: list[str] | None = None
    system: str | None = None
    version: str | None = None


class _Needs(msgspec.Struct):
    """What a task needs: cores, as workflow systems call them."""

    cores: float | None = None
    cpus: float | None = None
    threads: float | None = None


_FACTS = msgspec.json.Decoder(_Facts)
_NEEDS = msgspec.json.Decoder(_Needs)
Kind = TypeVar("Kind")


def instance_of(run: StoredRun) -> Instance:
    """Return the workflow that a run executed.

    Raises:
        UsageError: It has no tasks.
    """
    rows = run.query(_TASKS)
    if not rows.rows:
        raise UsageError(
            f"Run {run.manifest.id} has no tasks, and WfFormat tells of nothing else. Import a workflow, or "
            "record commands with --into."
        )
    tasks, edges = _tasks(rows), run.query(_EDGES)
    ids = _whole(rows["id"])
    whole = run.query(_WHOLE)
    facts = _facts(whole["attributes"][0] if whole.rows else None)
    return Instance(
        run.manifest.name,
        (facts.system or "", facts.version or ""),
        _number(whole, "start_ns"),
        _number(whole, "duration_ns"),
        tasks,
        np.searchsorted(ids, _whole(edges["from_task"])),
        np.searchsorted(ids, _whole(edges["to_task"])),
        _files(run, ids),
        _machines(run.query(_HOSTS)),
    )


def _tasks(rows: Columns) -> Tasks:
    names = _texts(rows["name"])
    facts = _each(rows["attributes"], _facts)
    machines = [tuple(fact.machines or ()) for fact in facts]
    sets = {some: number for number, some in enumerate(dict.fromkeys(machines))}
    return Tasks(
        [fact.id or name for fact, name in zip(facts, names, strict=True)],
        names,
        _texts(rows["type"]),
        _whole(rows["phase"]) != UNKNOWN,
        np.maximum(_whole(rows["duration_ns"]), 0),
        _whole(rows["start_ns"]),
        np.array(_each(rows["resources"], _cores), np.float64),
        _real(rows["cpu_ns"]),
        _real(rows["read_bytes"]),
        _real(rows["written_bytes"]),
        _real(rows["memory_bytes"]),
        tuple(sets),
        np.array([sets[some] for some in machines], np.int64),
    )


def _files(run: StoredRun, tasks: Whole) -> Files:
    files, uses = run.query(_FILES), run.query(_USES)
    return Files(
        _texts(files["name"]),
        _whole(files["bytes"]),
        np.searchsorted(tasks, _whole(uses["task"])),
        np.searchsorted(_whole(files["id"]), _whole(uses["file"])),
        _whole(uses["written"]) > 0,
    )


def _machines(rows: Columns) -> tuple[Machine, ...]:
    by_name: dict[str, Machine] = {}
    for row in rows.records():
        cores, memory = row["cores"], row["memory_bytes"]
        machine = Machine(
            str(row["name"]),
            None if row["machine"] is None else str(row["machine"]),
            None if row["kernel"] is None else str(row["kernel"]),
            cores if isinstance(cores, int) else None,
            memory if isinstance(memory, int) else None,
        )
        by_name.setdefault(machine.name, machine)
    return tuple(by_name.values())


def _each(column: Column, read: Callable[[object], Kind]) -> list[Kind]:
    """Return what each text of a column says; a text that many rows have is read once."""
    values = list(column)
    said = {value: read(value) for value in set(values)}
    return [said[value] for value in values]


def _facts(text: object) -> _Facts:
    return _decoded(text, _FACTS) or _Facts()


def _cores(text: object) -> float:
    needs = _decoded(text, _NEEDS) or _Needs()
    known = [value for value in (needs.cores, needs.cpus, needs.threads) if value is not None]
    return known[0] if known else float("nan")


def _decoded(text: object, decoder: msgspec.json.Decoder[Kind]) -> Kind | None:
    try:
        return decoder.decode(text) if isinstance(text, str) else None
    except msgspec.MsgspecError:
        return None


def _number(rows: Columns, name: str) -> int | None:
    value = rows[name][0] if rows.rows else None
    return value if isinstance(value, int) else None


def _texts(column: Column) -> list[str]:
    return [str(value) for value in column]


def _whole(column: Column) -> Whole:
    values = np.array(column.values, np.int64)
    if column.known is not None:
        values[np.asarray(column.known) == 0] = UNKNOWN
    return values


def _real(column: Column) -> Real:
    values = np.array(column.values, np.float64)
    if column.known is not None:
        values[np.asarray(column.known) == 0] = np.nan
    return values
