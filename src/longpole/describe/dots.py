"""Dots and targets of a case file: what was measured or projected of a workflow, and what it has to reach."""

from __future__ import annotations

import re
from collections.abc import Collection

from longpole.describe.complaints import choices
from longpole.describe.table import Table
from longpole.model.case import Dot, Target
from longpole.model.quantity import show_quantity
from longpole.model.resources import Dimension
from longpole.model.text import visible

_KEYS = ("name", "makespan", "parallel", "tasks", "contended", "source", "parts", "seconds")
_COUNTED = re.compile(r"([^\W\d_]+)/\w+\s*$")
# Parts are rounded by whoever wrote them.
_ROUNDING = 1.001


def dots(file: Table, kinds: Collection[str]) -> tuple[Dot, ...]:
    """Return the dots under ``[[measured]]``, then those under ``[[projected]]``, in their order."""
    found: dict[str, Dot] = {}
    for section in ("measured", "projected"):
        for table in file.tables(section):
            dot = _dot(table, kinds, projected=section == "projected")
            if dot.name in found:
                raise table.wrong("name", f"There are two dots '{dot.name}'; give each its own name.")
            found[dot.name] = dot
    return tuple(found.values())


def main_dot(file: Table, found: tuple[Dot, ...]) -> str:
    """Return the name of the dot that the file calls its main one; empty where it calls none so."""
    name, names = file.text("main", ""), [dot.name for dot in found]
    if name and name not in names:
        raise file.wrong("main", f"There is no dot '{name}'; {choices(name, names)}")
    return name


def target(file: Table, unit: str) -> Target:
    """Return what the workflow has to reach."""
    table = file.table("target")
    table.only("makespan", "throughput")
    makespan = table.positive("makespan", Dimension.SECONDS) if "makespan" in table else None
    return Target(makespan, _throughput(table, unit) if "throughput" in table else None)


def _throughput(table: Table, unit: str) -> float:
    value = table.positive("throughput", Dimension.TASKS_PER_SECOND)
    counted = _COUNTED.search(table.text("throughput"))
    if counted and counted[1] not in {"task", "tasks", unit, f"{unit}s"}:
        raise table.wrong("throughput", f"This counts '{counted[1]}', but the case counts each '{unit}'.")
    return value


def _dot(table: Table, kinds: Collection[str], *, projected: bool) -> Dot:
    table.only(*_KEYS)
    parts = _seconds(table.table("parts"))
    return Dot(
        name=table.text("name"),
        makespan_s=_makespan(table, sum(parts.values())),
        parallel=table.whole_or_none("parallel"),
        tasks=table.whole_or_none("tasks"),
        contended=table.flag("contended"),
        projected=projected,
        parts=parts,
        kinds=_of_kinds(table.table("seconds"), kinds),
        source=table.text("source", "projected" if projected else "measured"),
    )


def _makespan(table: Table, parts: float) -> float:
    if "makespan" not in table:
        if parts <= 0:
            raise table.wrong("", "The key 'makespan' is missing, and there are no parts to add up.")
        return parts
    makespan = table.positive("makespan", Dimension.SECONDS)
    if parts > makespan * _ROUNDING:
        total = show_quantity(parts, Dimension.SECONDS)
        whole = show_quantity(makespan, Dimension.SECONDS)
        raise table.wrong("parts", f"They add up to {total}, more than the makespan of {whole}.")
    return makespan


def _of_kinds(table: Table, kinds: Collection[str]) -> dict[str, float]:
    for name in table.values:
        if name not in kinds:
            raise table.wrong(name, f"There is no kind of task '{visible(name)}'; {choices(name, kinds)}")
    return {name: table.positive(name, Dimension.SECONDS) for name in table.values}


def _seconds(table: Table) -> dict[str, float]:
    return {visible(name): table.quantity(name, Dimension.SECONDS) for name in table.values}
