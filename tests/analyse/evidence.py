"""Evidence of small runs, built by hand: what is not said is a run of one second with nothing in it."""

from __future__ import annotations

from typing import Any

from longpole.analyse.overview import Evidence
from longpole.model.columns import Columns, floats, integers, texts
from longpole.model.execution import Metric
from longpole.model.manifest import Cost, Manifest, State
from longpole.model.recording import Reading, RecordingNotes

SECOND = 1_000_000_000
START = 1_700_000_000 * SECOND

_TEXTS = {
    *("type", "kind", "name", "metric", "unit", "command", "scope", "peak_source", "source"),
    *("what", "mark", "part", "part_name", "attributes", "search", "status"),
}
_FLOATS = {"amount", "covered_s", "capacity", "value", "peak", "p50_ns", "p95_ns"}
_COLUMNS = {
    "run": "start_ns end_ns",
    "hosts": "cores",
    "totals": "metric value",
    "phases": "kind name count total_ns cut",
    "processes": f"id pid rank world name command start_ns end_ns peak_source {' '.join(Metric)}",
    "memory": "process at_ns resident proportional",
    "host": "kind name metric unit capacity amount covered_s",
    "gpus": "host name scope metric amount covered_s peak",
    "steps": "what process kind mark name part part_name attributes count total_ns low_ns high_ns p50_ns"
    " p95_ns",
    "trials": "search search_ns name process duration_ns status attributes full epochs all_epochs",
    "tasks": "type tasks never attempts failed hold_ns queue_ns exec_ns p50_ns p95_ns peak_bytes",
}


def table(name: str, *rows: dict[str, Any] | tuple[Any, ...]) -> Columns:
    """A table of evidence; a row is a tuple of all columns, or a dict of those that are known."""
    names = _COLUMNS[name].split()
    cells = [row if isinstance(row, tuple) else tuple(row.get(one) for one in names) for row in rows]
    return Columns({one: _column(one, [row[at] for row in cells]) for at, one in enumerate(names)})


def process(number: int, start_s: float = 0.0, end_s: float | None = 1.0, **known: Any) -> dict[str, Any]:
    """A row of processes, its times in seconds after the start of the run."""
    end = None if end_s is None else START + round(end_s * SECOND)
    facts = {
        "id": number,
        "name": "work",
        "command": "work hard",
        "start_ns": START + round(start_s * SECOND),
    }
    return {**facts, "end_ns": end, **known}


def full(count: int, total_ns: int, process: int = 1, kind: str = "step", **known: Any) -> dict[str, Any]:
    """A row of steps: those of one process that were noted one by one, all of the same length."""
    mean = total_ns // count if count else None
    times = dict.fromkeys(("low_ns", "high_ns", "p50_ns", "p95_ns"), mean)
    facts = {"what": "full", "process": process, "kind": kind, "name": "step", **times}
    return {**facts, "count": count, "total_ns": total_ns, **known}


def part(name: str, total_ns: int, process: int = 1, kind: str = "step", **known: Any) -> dict[str, Any]:
    """A row of steps: all parts of one name in those that were noted."""
    facts = {"what": "part", "process": process, "kind": kind, "name": "step", "part": name}
    return {**facts, "part_name": name, "count": 1, "total_ns": total_ns, **known}


def many(count: int, total_ns: int, attributes: str = "", process: int = 1, **known: Any) -> dict[str, Any]:
    """A row of steps: one that stands for many."""
    facts = {"what": "sum", "process": process, "kind": "step", "name": "step"}
    return {**facts, "count": count, "total_ns": total_ns, "attributes": attributes, **known}


def evidence(**parts: Any) -> Evidence:
    """A run of one second; each part may be replaced."""
    facts: dict[str, Any] = {
        "manifest": Manifest(
            1, "c0ffee00", "demo", State.FINISHED, command=("work",), exit_code=0, rate_hz=10.0
        ),
        "state": State.FINISHED,
        "notes": RecordingNotes(logs=1, ended=True, exit_records=True),
        "reading": Reading(10, 10),
        "run": table("run", (START, START + SECOND)),
        "hosts": table("hosts", (2,)),
    }
    for name in ("totals", "phases", "processes", "memory", "host", "gpus", "steps", "trials", "tasks"):
        facts[name] = table(name)
    return Evidence(**(facts | parts))


def recorded(cpu_s: float, **facts: Any) -> Manifest:
    """A manifest that says what recording cost."""
    known: dict[str, Any] = {"state": State.FINISHED, "exit_code": 0, "recording": Cost(cpu_s, 0.0)}
    return Manifest(1, "c0ffee00", "demo", **(known | facts))


def _column(name: str, values: list[Any]) -> Any:
    if name in _TEXTS:
        return texts(values)
    return floats(values) if name in _FLOATS else integers(values)
