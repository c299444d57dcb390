"""Volumes of a case file: how much work one task has on each resource, and how that is known."""

from __future__ import annotations

from collections.abc import Mapping

from longpole.describe.complaints import choices
from longpole.describe.table import Table
from longpole.model.case import Origin, Volume
from longpole.model.machine import Machine
from longpole.model.resources import NODE, RESOURCES, STRUCTURE, SYSTEM, Dimension, Level, Resource
from longpole.model.text import visible

OVERHEAD = "overhead"


def origin_of(table: Table, default: Origin) -> Origin:
    """Return how a volume is known by its key ``source``."""
    source = table.text("source", default)
    if source not in set(Origin):
        raise table.wrong("source", f"There is no source '{source}'; {choices(source, Origin)}")
    return Origin(source)


def node_volumes(task: Table, machine: Machine, default: Origin) -> dict[str, Volume]:
    """Return what one task does on each of its nodes."""
    return _volumes(task.table("node"), NODE, machine, default)


def system_volumes(task: Table, machine: Machine, default: Origin) -> dict[str, Volume]:
    """Return what one task moves over what all share."""
    return _volumes(task.table("system"), SYSTEM, machine, default)


def fixed_seconds(task: Table, default: Origin) -> dict[str, Volume]:
    """Return fixed seconds of one task, by what takes them."""
    if OVERHEAD not in task:
        return {}
    if not isinstance(task.values[OVERHEAD], dict):
        return {OVERHEAD: Volume(task.quantity(OVERHEAD, Dimension.SECONDS), default)}
    table = task.table(OVERHEAD)
    for name in table.values:
        if name in RESOURCES or name == STRUCTURE:
            raise table.wrong(name, f"'{name}' is a ceiling of ours; give this overhead another name.")
    return {visible(name): _seconds(table, name, default) for name in table.values}


def _volumes(
    table: Table, known: Mapping[str, Resource], machine: Machine, default: Origin
) -> dict[str, Volume]:
    table.only(*known)
    for name in table.values:
        if machine.peak(name) is None:
            there = [each for each in known if machine.peak(each)]
            raise table.wrong(
                name, f"The machine '{machine.name}' has no peak for '{name}'; {choices(name, there)}"
            )
    return {name: _volume(table, known[name], default) for name in table.values}


def _volume(table: Table, resource: Resource, default: Origin) -> Volume:
    if not isinstance(table.values[resource.name], dict):
        return Volume(table.quantity(resource.name, resource.work), default)
    volume = table.table(resource.name)
    shared = resource.level is Level.SYSTEM
    volume.only("amount", *(["per-node"] if shared else []), "source")
    per_node = shared and "per-node" in volume
    if per_node and "amount" in volume:
        raise volume.wrong("", "This has both 'amount' (of the task) and 'per-node'; keep one.")
    amount = volume.quantity("per-node" if per_node else "amount", resource.work)
    return Volume(amount, origin_of(volume, default), per_node)


def _seconds(table: Table, name: str, default: Origin) -> Volume:
    if not isinstance(table.values[name], dict):
        return Volume(table.quantity(name, Dimension.SECONDS), default)
    volume = table.table(name)
    volume.only("amount", "source")
    return Volume(volume.quantity("amount", Dimension.SECONDS), origin_of(volume, default))
