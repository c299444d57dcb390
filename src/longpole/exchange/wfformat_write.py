"""An instance as WfFormat 1.5: JSON that its schema accepts, a line for each task and file.

The schema allows few signs in ids: others become ``_``, and ids stay distinct. It asks for a makespan and a
begin of every execution: where they are not known they are 0 and 1970, which an import takes for not known. A
file whose size is not known is named by its tasks only. The type of a task is its ``category``, which 1.5
does not ask for and does not forbid.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import isnan
from typing import Any, BinaryIO

import msgspec
import numpy as np

from longpole.exchange.wfformat_instance import NS, UNKNOWN, Files, Instance, Machine, Tasks, Whole
from longpole.exchange.wfformat_times import shown_moment

VERSION = "1.5"
_NO_ID = re.compile(r"[^0-9a-zA-Z_.#-]")
_NO_FILE = re.compile(r"[^0-9a-zA-Z_./:#-]")
_CHUNK = 4096
_encode = msgspec.json.encode


def as_allowed(instance: Instance) -> tuple[Instance, int]:
    """Return an instance with ids that the schema accepts, and how many files are called otherwise now."""
    ids = _allowed(instance.tasks.ids, _NO_ID)
    names = _allowed(instance.files.names, _NO_FILE)
    renamed = sum(new != old for new, old in zip(names, instance.files.names, strict=True))
    tasks, files = replace(instance.tasks, ids=ids), replace(instance.files, names=names)
    return replace(instance, tasks=tasks, files=files), renamed


def write_instance(
    out: BinaryIO, instance: Instance, created_at: str, done: Callable[[int], None] = lambda _: None
) -> None:
    """Write an instance, telling ``done`` now and then how many tasks were written since.

    Its ids must be those of ``as_allowed``.
    """
    head: dict[str, Any] = {
        "name": instance.name or "?",
        "description": "Written by Longpole",
        "createdAt": created_at,
        "schemaVersion": VERSION,
    }
    if all(instance.system):
        head["runtimeSystem"] = dict(zip(("name", "version"), instance.system, strict=True))
    out.write(_encode(head)[:-1] + b',"workflow":{"specification":{"tasks":[\n')
    _write_list(out, _specified(instance), done)
    out.write(b'],"files":[\n')
    _write_list(out, _files(instance.files), lambda _: None)
    out.write(b"]}")
    if instance.tasks.executed.any():
        _write_execution(out, instance, done)
    out.write(b"}}\n")


def _write_execution(out: BinaryIO, instance: Instance, done: Callable[[int], None]) -> None:
    whole: dict[str, Any] = {
        "makespanInSeconds": (instance.makespan_ns or 0) / NS,
        "executedAt": shown_moment(instance.start_ns),
    }
    if instance.machines:
        whole["machines"] = [_machine(machine) for machine in instance.machines]
    out.write(b',"execution":' + _encode(whole)[:-1] + b',"tasks":[\n')
    _write_list(out, _executed(instance.tasks), done)
    out.write(b"]}")


def _write_list(out: BinaryIO, values: Iterator[dict[str, Any]], done: Callable[[int], None]) -> None:
    """Write values one below the other, with commas between them."""
    lines: list[bytes] = []
    before = b""
    for value in values:
        lines.append(_encode(value))
        if len(lines) == _CHUNK:
            out.write(before + b",\n".join(lines))
            done(len(lines))
            lines, before = [], b",\n"
    if lines:
        out.write(before + b",\n".join(lines))
        done(len(lines))


def _specified(instance: Instance) -> Iterator[dict[str, Any]]:
    tasks, files = instance.tasks, instance.files
    count = len(tasks)
    parents = _grouped(instance.afters, instance.befores, count, tasks.ids)
    children = _grouped(instance.befores, instance.afters, count, tasks.ids)
    inputs = _grouped(files.used_by[~files.written], files.used[~files.written], count, files.names)
    outputs = _grouped(files.used_by[files.written], files.used[files.written], count, files.names)
    lists = (tasks.names, tasks.ids, tasks.types, parents, children, inputs, outputs)
    for name, identity, kind, before, after, reads, writes in zip(*lists, strict=True):
        yield {
            "name": name or identity,
            "id": identity,
            "category": kind,
            "parents": before,
            "children": after,
            "inputFiles": reads,
            "outputFiles": writes,
        }


def _grouped(owners: Whole, members: Whole, count: int, names: Sequence[str]) -> Iterator[list[str]]:
    """Yield the names of the members of each owner, in their order."""
    order = np.lexsort((members, owners))
    ends = np.cumsum(np.bincount(owners, minlength=count)).tolist()
    ordered = members[order].tolist()
    start = 0
    for end in ends:
        yield [names[member] for member in ordered[start:end]]
        start = end


def _files(files: Files) -> Iterator[dict[str, Any]]:
    for name, size in zip(files.names, files.sizes.tolist(), strict=True):
        if size != UNKNOWN:
            yield {"id": name, "sizeInBytes": size}


def _executed(tasks: Tasks) -> Iterator[dict[str, Any]]:
    rows = np.flatnonzero(tasks.executed)
    numbers = {
        "coreCount": np.where(tasks.cores >= 1, tasks.cores, np.nan),
        "avgCPU": 100 * tasks.cpu_ns / np.maximum(tasks.runtime_ns, 1),
        "readBytes": tasks.read_bytes,
        "writtenBytes": tasks.written_bytes,
        "memoryInBytes": tasks.memory_bytes,
    }
    values = zip(*(column[rows].tolist() for column in numbers.values()), strict=True)
    times = zip(tasks.runtime_ns[rows].tolist(), tasks.start_ns[rows].tolist(), strict=True)
    machines = tasks.machines[rows].tolist()
    for row, (runtime_ns, start_ns), amounts, which in zip(
        rows.tolist(), times, values, machines, strict=True
    ):
        told: dict[str, Any] = {"id": tasks.ids[row], "runtimeInSeconds": runtime_ns / NS}
        if start_ns != UNKNOWN:
            told["executedAt"] = shown_moment(start_ns)
        told |= {
            name: _short(value) for name, value in zip(numbers, amounts, strict=True) if not isnan(value)
        }
        if tasks.machine_sets[which]:
            told["machines"] = tasks.machine_sets[which]
        yield told


def _short(value: float) -> int | float:
    return int(value) if value.is_integer() else value


def _machine(machine: Machine) -> dict[str, Any]:
    known = {
        "nodeName": machine.name or "?",
        "architecture": machine.architecture,
        "release": machine.release,
        "memoryInBytes": machine.memory_bytes,
        "cpu": {"coreCount": machine.cores} if machine.cores else None,
    }
    return {name: value for name, value in known.items() if value}


def _allowed(texts: Sequence[str], forbidden: re.Pattern[str]) -> list[str]:
    """Return texts without some signs, all distinct; those that need no change keep theirs."""
    taken = {text for text in texts if text and not forbidden.search(text)}
    kept: set[str] = set()
    found = []
    for number, text in enumerate(texts, start=1):
        fresh = text if text in taken and text not in kept else forbidden.sub("_", text) or "_"
        while fresh in kept or (fresh != text and fresh in taken):
            fresh = f"{fresh}_{number}"
        kept.add(fresh)
        found.append(fresh)
    return found
