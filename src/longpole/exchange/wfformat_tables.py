"""From an instance in memory to rows of a run's tables.

A phase ``workflow`` holds all others and has the recorded makespan; in it is a phase ``exec`` for each task
that ran. Ids are rows plus 1; the workflow is phase 1. Which files a task reads and writes is in ``opens``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan

import msgspec
import numpy as np
from numpy.typing import NDArray

from longpole.exchange.wfformat_graph import handed_over
from longpole.exchange.wfformat_instance import UNKNOWN, Files, Instance, Machine, Marks, Real, Tasks, Whole
from longpole.model.columns import Column, Columns, integers, texts
from longpole.model.execution import Metric, Scope, Source, Status

WORKFLOW = "workflow"
_RAN, _NEVER = "ran", "never"
_METRICS = (Metric.CPU_USER, Metric.READ, Metric.WRITTEN, Metric.PEAK_MEMORY)


def tables_of(instance: Instance) -> dict[str, Columns]:
    """Return the tables that have rows."""
    tables = {
        "tasks": _tasks(instance.tasks),
        "phases": _phases(instance),
        "edges": _edges(instance),
        "files": _files(instance.files),
        "opens": _opens(instance.files),
        "hosts": _hosts(instance.machines),
        "totals": _totals(instance.tasks),
    }
    return {name: columns for name, columns in tables.items() if columns.rows}


def _tasks(tasks: Tasks) -> Columns:
    return Columns(
        {
            "id": _whole(np.arange(1, len(tasks) + 1)),
            "name": texts(tasks.names),
            "type": texts(tasks.types),
            "resources": _needs(tasks),
            "outcome": _words(tasks.executed.astype(np.int32), (_NEVER, _RAN)),
        }
    )


def _needs(tasks: Tasks) -> Column:
    """Return what each task needed, as JSON: cores, and memory as it had it at most. Few differ in that."""
    cores, cores_of = np.unique(tasks.cores, return_inverse=True)
    memories, memory_of = np.unique(tasks.memory_bytes, return_inverse=True)
    pairs, codes = np.unique(cores_of * len(memories) + memory_of, return_inverse=True)
    places = zip((pairs // len(memories)).tolist(), (pairs % len(memories)).tolist(), strict=True)
    words = [_need(float(cores[one]), float(memories[other])) for one, other in places]
    known = np.array([word is not None for word in words])[codes]
    return Column(codes.astype(np.int32).data, tuple(word or "" for word in words), _marks(known))


def _need(cores: float, memory: float) -> str | None:
    values = {"cores": cores, "memory_bytes": memory}
    known = {name: value for name, value in values.items() if not isnan(value)}
    inside = (f'"{name}": {int(value) if value.is_integer() else value!r}' for name, value in known.items())
    return f"{{{', '.join(inside)}}}" if known else None


def _phases(instance: Instance) -> Columns:
    tasks = instance.tasks
    rows = np.flatnonzero(tasks.executed)
    if not len(rows):
        return Columns({})
    start_ns = instance.start_ns if instance.start_ns is not None else UNKNOWN
    lasted_ns = instance.makespan_ns if instance.makespan_ns is not None else UNKNOWN
    starts = np.concatenate([[start_ns], tasks.start_ns[rows]])
    lengths = np.concatenate([[lasted_ns], tasks.runtime_ns[rows]])
    ends = np.where((starts == UNKNOWN) | (lengths == UNKNOWN), UNKNOWN, starts + lengths)
    inner = (np.arange(len(rows) + 1) > 0).astype(np.int64)
    return Columns(
        {
            "id": _whole(np.arange(1, len(rows) + 2)),
            "parent": _whole(inner, known=inner > 0),
            "kind": _words(inner.astype(np.int32), (WORKFLOW, "exec")),
            "name": texts([instance.name or "?", *(tasks.names[row] for row in rows.tolist())]),
            "task": _whole(np.concatenate([[0], rows + 1]), known=inner > 0),
            "attempt": _whole(inner, known=inner > 0),
            "start_ns": _whole(starts, known=starts != UNKNOWN),
            "end_ns": _whole(ends, known=ends != UNKNOWN),
            "duration_ns": _whole(lengths, known=lengths != UNKNOWN),
            "count": _whole(np.ones(len(rows) + 1, np.int64)),
            "status": _words(np.zeros(len(rows) + 1, np.int32), (Status.OK.value,)),
            "attributes": texts([_system(instance), *_attributes(tasks, rows)]),
        }
    )


def _system(instance: Instance) -> str | None:
    name, version = instance.system
    known = {key: value for key, value in (("system", name), ("version", version)) if value}
    return _json(known) if known else None


def _attributes(tasks: Tasks, rows: Whole) -> list[str | None]:
    """Return the machines of each task, and its id where it is called otherwise, as JSON."""
    machines = [{"machines": list(names)} if names else {} for names in tasks.machine_sets]
    alone = [_json(known) if known else None for known in machines]
    found = []
    for row, which in zip(rows.tolist(), tasks.machines[rows].tolist(), strict=True):
        identity = tasks.ids[row]
        same = identity == tasks.names[row]
        found.append(alone[which] if same else _json({"id": identity, **machines[which]}))
    return found


def _edges(instance: Instance) -> Columns:
    """Return the dependencies: of kind data with what is handed over, if there is any; else control."""
    places, handed = _handed_over(instance)
    count, sizes = len(instance.befores), instance.files.sizes[handed]
    many = np.bincount(places, minlength=count)
    unknown = np.bincount(places[sizes == UNKNOWN], minlength=count)
    moved, which = np.zeros(count, np.int64), np.zeros(count, np.int64)
    np.add.at(moved, places, np.maximum(sizes, 0))
    which[places] = handed + 1
    return Columns(
        {
            "id": _whole(np.arange(1, count + 1)),
            "kind": _words((many > 0).astype(np.int32), ("control", "data")),
            "from_task": _whole(instance.befores + 1),
            "to_task": _whole(instance.afters + 1),
            "file": _whole(which, known=many == 1),
            "bytes": _whole(moved, known=(many > 0) & (unknown == 0)),
        }
    )


def _handed_over(instance: Instance) -> tuple[Whole, Whole]:
    """Return, for each file that is handed over along a dependency, which dependency and which file."""
    count = len(instance.tasks)
    makers, users, files = handed_over(instance.files)
    keys, wanted = instance.befores * count + instance.afters, makers * count + users
    places = np.searchsorted(keys, wanted)
    places[places == len(keys)] = 0
    declared = keys[places] == wanted if len(keys) else np.zeros(len(places), np.bool_)
    return places[declared], files[declared]


def _files(files: Files) -> Columns:
    return Columns(
        {
            "id": _whole(np.arange(1, len(files.names) + 1)),
            "name": texts(files.names),
            "bytes": _whole(files.sizes, known=files.sizes != UNKNOWN),
        }
    )


def _opens(files: Files) -> Columns:
    return Columns(
        {
            "task": _whole(files.used_by + 1),
            "file": _whole(files.used + 1),
            "written": _whole(files.written.astype(np.int64)),
        }
    )


def _hosts(machines: Sequence[Machine]) -> Columns:
    return Columns(
        {
            "id": integers(range(1, len(machines) + 1)),
            "name": texts([machine.name for machine in machines]),
            "kernel": texts([machine.release for machine in machines]),
            "machine": texts([machine.architecture for machine in machines]),
            "cores": integers([machine.cores for machine in machines]),
            "memory_bytes": integers([machine.memory_bytes for machine in machines]),
        }
    )


def _totals(tasks: Tasks) -> Columns:
    """Return what each task used, by metric."""
    rows = np.flatnonzero(tasks.executed)
    amounts = [
        values[rows] for values in (tasks.cpu_ns, tasks.read_bytes, tasks.written_bytes, tasks.memory_bytes)
    ]
    known = [np.flatnonzero(~np.isnan(values)) for values in amounts]
    codes = np.repeat(np.arange(len(_METRICS), dtype=np.int32), [len(places) for places in known])
    same = np.zeros(len(codes), np.int32)
    return Columns(
        {
            "scope": _words(same, (Scope.PHASE.value,)),
            "owner": _whole(np.concatenate(known) + 2),
            "metric": _words(codes, tuple(metric.value for metric in _METRICS)),
            "value": _real(
                np.concatenate([values[places] for values, places in zip(amounts, known, strict=True)])
            ),
            "source": _words(same, (Source.DECLARED.value,)),
        }
    )


def _whole(values: Whole, known: Marks | None = None) -> Column:
    marks = None if known is None else _marks(known)
    return Column(np.ascontiguousarray(values, np.int64).data, known=marks)


def _marks(known: Marks) -> memoryview | None:
    return None if known.all() else known.astype(np.uint8).data


def _real(values: Real) -> Column:
    return Column(np.ascontiguousarray(values, np.float64).data)


def _words(codes: NDArray[np.int32], words: tuple[str, ...]) -> Column:
    return Column(codes.data, words=words)


def _json(value: Mapping[str, object]) -> str:
    return msgspec.json.encode(value).decode()
