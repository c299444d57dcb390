"""Tables of small runs for rooflines, built by hand: times in seconds from the begin of the run."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from longpole.analyse.process_samples import ProcessSamples
from longpole.analyse.run_tables import RunTables
from longpole.model.columns import Column, Columns, floats, integers, texts

S = 1_000_000_000
_TEXTS = {"name", "command", "type", "resources", "attributes", "kind", "metric"}
_USED = ("cpu_ns", "read", "written", "storage_read", "storage_written", "start_up_ns")
_FLOATS = {*_USED, "value"}
_TIMES = ("start_ns", "end_ns")
_COLUMNS = {
    "processes": ("id", "parent", "name", "command", *_TIMES, *_USED),
    "tasks": (
        *("id", "name", "type", "resources", *_TIMES, "duration_ns"),
        *("queued_from_ns", "queued_until_ns", *_USED),
    ),
    "inside": ("process", "task"),
    "marks": ("id", "parent", "name", "process", "lane", *_TIMES, "attributes"),
    "imports": ("process", *_TIMES),
    "queues": _TIMES,
    "earlier": ("task", *_TIMES, "duration_ns"),
    "edges": ("from_task", "to_task"),
    "gpus": (*_TIMES, "value"),
}


def table(name: str, *rows: dict[str, Any]) -> Columns:
    """Return a table of which rows say what they know."""
    return columns(_COLUMNS[name], *rows)


def columns(names: tuple[str, ...], *rows: dict[str, Any]) -> Columns:
    """Return columns of these names."""
    return Columns({name: _column(name, [row.get(name) for row in rows]) for name in names})


def _column(name: str, cells: list[Any]) -> Column:
    return texts(cells) if name in _TEXTS else floats(cells) if name in _FLOATS else integers(cells)


def process(number: int, start_s: float, end_s: float, **known: Any) -> dict[str, Any]:
    """Return a process; ``cpu_s`` and ``up_s``, the start of its interpreter, are in seconds."""
    cpu, up = known.pop("cpu_s", None), known.pop("up_s", None)
    facts = {"parent": None if number == 1 else 1, "name": "work", "command": f"work {number}", **known}
    return {
        "id": number,
        "start_ns": round(start_s * S),
        "end_ns": round(end_s * S),
        **facts,
        "cpu_ns": None if cpu is None else cpu * S,
        "start_up_ns": None if up is None else up * S,
    }


def task(number: int, kind: str, start_s: float | None, took_s: float, **known: Any) -> dict[str, Any]:
    """Return a task; ``cpu_s`` is in seconds, ``resources`` a dict."""
    cpu, resources = known.pop("cpu_s", None), known.pop("resources", {})
    times = (
        {} if start_s is None else {"start_ns": round(start_s * S), "end_ns": round((start_s + took_s) * S)}
    )
    return {
        "id": number,
        "name": f"t{number}",
        "type": kind,
        "duration_ns": round(took_s * S),
        **times,
        "cpu_ns": None if cpu is None else cpu * S,
        "resources": json.dumps(resources),
        **known,
    }


def earlier(of: int, start_s: float, took_s: float) -> dict[str, Any]:
    """Return an attempt of a task that was not its last."""
    times = {"start_ns": round(start_s * S), "end_ns": round((start_s + took_s) * S)}
    return {"task": of, **times, "duration_ns": round(took_s * S)}


def mark(number: int, name: str, start_s: float, end_s: float, **known: Any) -> dict[str, Any]:
    """Return a mark, of process 1 and lane 0 if nothing else is said; all else are its attributes."""
    places: dict[str, Any] = {one: known.pop(one) for one in ("process", "lane", "parent") if one in known}
    times = {"start_ns": round(start_s * S), "end_ns": round(end_s * S)}
    said = {"attributes": json.dumps(known) if known else None}
    return {"id": number, "name": name, "process": 1, "lane": 0, **times, **places, **said}


def samples(*rows: tuple[int, float, float, float]) -> ProcessSamples:
    """Return the cores that processes used: process, begin, end, cores."""
    names = ("kind", "metric", "owner", "start_ns", "end_ns", "value")
    made = [
        dict(zip(names, ("cpu", "used", who, round(start * S), round(end * S), cores), strict=True))
        for who, start, end, cores in rows
    ]
    return ProcessSamples(columns(names, *made), columns(("process", "metric", "value")))


def tables(took_s: float, cores: int = 2, **given: Any) -> RunTables:
    """Return a run; tables are given as lists of rows."""
    rows = {name: given.pop(name, ()) for name in _COLUMNS}
    known: dict[str, Any] = {name: table(name, *some) for name, some in rows.items()}
    facts: dict[str, Any] = {"told_s": None, "hosts": 1, **given}
    return RunTables(name="made", span=(0, round(took_s * S)), cores=cores, **facts, **known)


def ns(*seconds: float) -> np.typing.NDArray[np.int64]:
    """Return moments."""
    return np.array([round(one * S) for one in seconds], np.int64)
