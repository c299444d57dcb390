"""Small WfFormat instances as tests make them, and the real ones with what is true of them.

Large ones are made by ``benchmarks.instances``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import jsonschema

from longpole.exchange.wfformat import WFFORMAT
from longpole.model.told import Told, Wishes
from tests.exchange.foreign import Given, given, real_trace

S = 1_000_000_000
REAL = (
    "1000genome-chameleon-2ch-100k-001",
    "blast-chameleon-large-001",
    "helloworld-chain-5-chameleon",
    "helloworld-forkjoin-10-chameleon",
    "montage-chameleon-2mass-005d-001",
    "rnaseq-dirt02-001",
)
SCHEMA = "wfformat/wfcommons-schema-1.5.json"
Rows = list[dict[str, Any]]
Object = dict[str, Any]


def document(parents: Mapping[str, Sequence[str]], **execution: Any) -> Object:
    """Return an instance of tasks by their parents; each ran for 1 s, unless ``tasks`` says otherwise."""
    children: dict[str, list[str]] = {task: [] for task in parents}
    for task, before in parents.items():
        for one in before:
            children.setdefault(one, []).append(task)
    tasks = [
        {"name": task, "id": task, "parents": list(before), "children": children[task]}
        for task, before in parents.items()
    ]
    ran = [{"id": task, "runtimeInSeconds": 1.0} for task in parents]
    whole = {"makespanInSeconds": 5.0, "executedAt": "2026-11-01T00:00:00+00:00", "tasks": ran, **execution}
    return {
        "name": "made",
        "schemaVersion": "1.5",
        "workflow": {"specification": {"tasks": tasks, "files": []}, "execution": whole},
    }


def told(content: Object | Given) -> Told:
    """Return what an instance tells."""
    file = content if isinstance(content, Given) else given(json.dumps(content), "made.json")
    return WFFORMAT.read([file], Wishes())


def told_of(name: str) -> Told:
    """Return what a real instance tells; skips the test where they are not there."""
    return WFFORMAT.read([real_trace(f"wfformat/{name}.json")], Wishes())


def truth(name: str) -> Object:
    """Return what is true of a real instance."""
    found: Object = json.loads(real_trace("wfformat/truth.json").read())[name]
    return found


def rows(tale: Told, table: str) -> Rows:
    """Return the rows of a table; none where it is not told."""
    return list(tale.tables[table].records()) if table in tale.tables else []


def phases(tale: Told, kind: str) -> Rows:
    """Return the phases of a kind."""
    return [row for row in rows(tale, "phases") if row["kind"] == kind]


def pairs(tale: Told) -> set[tuple[str, str]]:
    """Return the dependencies by the names of tasks."""
    names = {row["id"]: str(row["name"]) for row in rows(tale, "tasks")}
    return {(names[row["from_task"]], names[row["to_task"]]) for row in rows(tale, "edges")}


def uses(tale: Told) -> set[tuple[str, str, bool]]:
    """Return which task uses which file, and whether it writes it."""
    tasks = {row["id"]: str(row["name"]) for row in rows(tale, "tasks")}
    files = {row["id"]: str(row["name"]) for row in rows(tale, "files")}
    return {(tasks[row["task"]], files[row["file"]], bool(row["written"])) for row in rows(tale, "opens")}


def validate(made: Object) -> None:
    """Check an instance by the real schema of WfFormat 1.5; skips the test where it is not there."""
    jsonschema.Draft7Validator(json.loads(real_trace(SCHEMA).read())).validate(made)
