"""Kinds of task of a case file: how many, on what, with which work, and after which others."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

from longpole.describe.complaints import choices
from longpole.describe.table import Table
from longpole.describe.volumes import fixed_seconds, node_volumes, system_volumes
from longpole.model.case import Origin, TaskKind
from longpole.model.machine import Machine

_KEYS = ("name", "count", "nodes", "cores", "node", "system", "overhead", "after")


def task_kinds(file: Table, machine: Machine, default: Origin) -> tuple[TaskKind, ...]:
    """Return the kinds of task under ``[[tasks]]``.

    Raises:
        UsageError: There are none, two have one name, or they wait for what is not there or for themselves.
    """
    tables = file.tables("tasks")
    if not tables:
        raise file.wrong("", "A case needs at least one kind of task, under [[tasks]].")
    kinds = tuple(_kind(table, machine, default) for table in tables)
    _check_names(tables, kinds)
    _check_order(file, kinds)
    return kinds


def _kind(table: Table, machine: Machine, default: Origin) -> TaskKind:
    table.only(*_KEYS)
    nodes, cores = _room(table, machine)
    return TaskKind(
        name=table.text("name"),
        count=table.whole("count", 1),
        nodes=nodes,
        cores=cores,
        node=node_volumes(table, machine, default),
        system=system_volumes(table, machine, default),
        overhead=fixed_seconds(table, default),
        after=table.texts("after"),
    )


def _room(table: Table, machine: Machine) -> tuple[float, float | None]:
    """Return how many nodes one task takes, and how many cores if it shares a node."""
    if "cores" in table:
        return _shared_node(table, machine)
    nodes = table.number("nodes") if "nodes" in table else 1
    if nodes > machine.nodes:
        raise table.wrong("nodes", f"One task takes {nodes:g} nodes; '{machine.name}' has {machine.nodes}.")
    return nodes, None


def _shared_node(table: Table, machine: Machine) -> tuple[float, float]:
    cores = table.number("cores")
    if "nodes" in table:
        raise table.wrong("", "This has both 'nodes' and 'cores'; keep one.")
    if machine.cores is None:
        raise table.wrong(
            "cores",
            f"'{machine.name}' does not say how many cores a node has; give 'nodes' instead.",
        )
    if cores > machine.cores:
        raise table.wrong(
            "cores", f"One task takes {cores:g} cores; a node of '{machine.name}' has {machine.cores:g}."
        )
    return cores / machine.cores, cores


def _check_names(tables: tuple[Table, ...], kinds: tuple[TaskKind, ...]) -> None:
    names = {kind.name: None for kind in kinds}
    seen: set[str] = set()
    for table, kind in zip(tables, kinds, strict=True):
        if kind.name in seen:
            raise table.wrong("name", f"There are two kinds of task '{kind.name}'; give each its own name.")
        seen.add(kind.name)
        for other in kind.after:
            if other not in names:
                raise table.wrong("after", f"There is no kind of task '{other}'; {choices(other, names)}")


def _check_order(file: Table, kinds: tuple[TaskKind, ...]) -> None:
    try:
        TopologicalSorter({kind.name: kind.after for kind in kinds}).prepare()
    except CycleError as error:
        cycle = " -> ".join(f"'{name}'" for name in error.args[1])
        raise file.wrong("tasks", f"Tasks wait for themselves: {cycle}. Take one 'after' out.") from error
