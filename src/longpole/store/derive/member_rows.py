"""Rows that commands of a joint run make, and what is said of them there."""

from __future__ import annotations

import json

from longpole.store.derive.arrays import Part, integers, texts
from longpole.store.derive.exits import Finish
from longpole.store.derive.notes import Slurm
from longpole.store.derive.rings import Hello

Row = dict[str, int | str | None]


def task_row(identity: int, hello: Hello) -> Row:
    """Return the row of the task that a command, or the job it belongs to, makes."""
    name, kind, resources = hello.name or "?", hello.name or "?", None
    if hello.slurm:
        kind = hello.slurm.name or kind
        index = hello.slurm.array_index
        name = f"{kind}[{index}]" if index is not None else f"{kind} {hello.slurm.job}"
        nodes = {"nodes": hello.slurm.nodes} if hello.slurm.nodes else {}
        resources = json.dumps(nodes) if nodes else None
    return {"id": identity, "name": name, "type": kind, "resources": resources, "outcome": "ran"}


def job_facts(hello: Hello, note: Slurm) -> dict[str, str | int]:
    """Return what is known of the job that a command belongs to."""
    slurm = hello.slurm
    assert slurm is not None
    facts: dict[str, str | int | None] = {
        "job": slurm.job,
        "array_job": slurm.array_job,
        "array_index": slurm.array_index,
        "nodes": slurm.nodes,
        "restarts": slurm.restarts,
        "partition": note.partition,
    }
    return {key: value for key, value in facts.items() if value is not None and value != ""}


def command_facts(hello: Hello, finish: Finish | None) -> dict[str, str | int]:
    """Return what is known of a command among others of its job."""
    facts = {
        "command": hello.command,
        "node": hello.slurm.node if hello.slurm else "",
        "step": hello.slurm.step if hello.slurm else "",
        "rank": hello.rank,
        "world": hello.world,
        "exit_status": finish.status if finish else None,
    }
    return {key: value for key, value in facts.items() if value is not None and value != ""}


def columns(rows: list[Row], words: tuple[str, ...], numbers: tuple[str, ...]) -> Part:
    """Return rows as columns."""
    return {
        **{name: texts([_text(row[name]) for row in rows]) for name in words},
        **{name: integers([_number(row[name]) for row in rows]) for name in numbers},
    }


def _text(value: int | str | None) -> str | None:
    return None if value is None else str(value)


def _number(value: int | str | None) -> int | None:
    return None if value is None else int(value)
