"""Volumes of kinds of task: means over their tasks of what was measured and declared, each with origin.

A task of which an amount is not known counts with none of it: what all did is the least it can have been.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from longpole.analyse.arrays import Numbers, Whole, numbers
from longpole.analyse.run_amounts import Amounts
from longpole.analyse.run_shape import Shape
from longpole.analyse.run_tables import RunTables
from longpole.analyse.run_units import Unit, Units
from longpole.analyse.starting import Starting
from longpole.model.case import Origin, Volume
from longpole.model.json_facts import facts_in
from longpole.model.machine import Machine
from longpole.model.resources import NODE

# Declared work that explains so much of the CPU time stands for it.
_EXPLAINED = 0.5
# What a task can use is rounded up beyond so much of a core: libraries start threads that hardly work.
_SLACK = 0.25
# Less of these says nothing.
_LEAST_BYTES = 1e6
_LEAST_S = 1e-4
# Of a task's time, on a GPU: below this, somebody else was on it.
_LEAST_GPU = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was found out of tasks: what they used, what starting took, and what was declared of them."""

    amounts: Amounts
    start: Starting
    said: Mapping[int, Mapping[str, float]]


@dataclass(slots=True)
class Needs:
    """What one task of a kind needs."""

    nodes: float = 1.0
    cores: float | None = None
    seconds: float | None = None
    node: dict[str, Volume] = field(default_factory=dict)
    system: dict[str, Volume] = field(default_factory=dict)
    overhead: dict[str, Volume] = field(default_factory=dict)
    explained: bool = False


def kind_needs(run: RunTables, units: Units, found: Found, machine: Machine, shape: Shape) -> list[Needs]:
    """Return what one task of each kind needs, on average."""
    members = members_of(units)
    declared = _declared_resources(run, units, members)
    needs = []
    for at, mine in enumerate(members):
        several = declared[at][1] or (float(run.hosts) if units.unit is Unit.COMMAND else 1.0)
        took_s = units.took_s[mine] * shape.shrink
        one = Needs(seconds=_mean(took_s))
        _count_cores(
            one, run, _cores_used(found.amounts.cpu_s[mine], took_s * max(1.0, several)), declared[at][0]
        )
        _add_measured(one, found, mine)
        _add_said(one, found.said, mine)
        _share_among(one, several)
        _drop_explained(one, run, machine)
        _drop_pipes(one, machine)
        one.nodes = _nodes(one, run, units, machine, (declared[at][1], shape.parallel))
        needs.append(one)
    return needs


def members_of(units: Units) -> list[Whole]:
    """Return the places of the tasks of each kind."""
    bounds = np.cumsum(np.bincount(units.kind, minlength=len(units.names)))[:-1]
    return np.split(np.argsort(units.kind, kind="stable"), bounds)


def outside_s(run: RunTables, found: Found) -> float:
    """Return the CPU time outside of all marks that no start took."""
    every = float(np.nansum(numbers(run.processes["cpu_ns"]))) / 1e9
    begun = float((found.start.seconds - found.start.cpu_s).sum())
    return max(0.0, every - float(np.nansum(found.amounts.cpu_s)) - begun)


def _share_among(one: Needs, nodes: float) -> None:
    """Say what each of several nodes does; the task did it on all of them."""
    if nodes > 1:
        one.node = {name: replace(volume, amount=volume.amount / nodes) for name, volume in one.node.items()}
    if "cpu" in one.node and one.seconds and one.cores:
        most = one.seconds * one.cores
        one.node["cpu"] = replace(one.node["cpu"], amount=min(one.node["cpu"].amount, most))


def _cores_used(cpu_s: Numbers, took_s: Numbers) -> float | None:
    """Return the cores that tasks used while they ran, of those of which that is known."""
    known = np.isfinite(cpu_s) & (took_s > 0)
    return float(cpu_s[known].sum() / took_s[known].sum()) if known.any() else None


def _count_cores(one: Needs, run: RunTables, used: float | None, told: float | None) -> None:
    """Say how many cores a task can use: as declared, or those it used, rounded up."""
    if used is not None and run.cores:
        used = min(used, float(run.cores))
    if told:
        one.cores = max(told, used or 0.0)
    elif used is not None:
        rounded = max(1.0, math.ceil(used - _SLACK), used)
        one.cores = min(rounded, float(run.cores)) if run.cores else rounded


def _add_measured(one: Needs, found: Found, mine: Whole) -> None:
    amounts, start = found.amounts, found.start
    start_s = _mean(start.seconds[mine]) or 0.0
    _put(one.overhead, "interpreter", start_s, _LEAST_S)
    # A process that waits for a GPU may spin: as much of its CPU time tells nothing.
    waiting = start.cpu_s[mine] + np.nan_to_num(amounts.gpu_s[mine])
    cpu = _mean(np.maximum(amounts.cpu_s[mine] - waiting, 0.0))
    _put(one.node, "cpu", cpu, _LEAST_S)
    _put(one.node, "gpu", _mean(amounts.gpu_s[mine]), _LEAST_S)
    _put(one.system, "network", _mean(amounts.network[mine]), _LEAST_BYTES)
    for name, own, calls, away in (
        ("read", amounts.storage_read, amounts.read, amounts.remote[0]),
        ("write", amounts.storage_written, amounts.written, amounts.remote[1]),
    ):
        moved = _mean(own[mine])
        cached = _mean(np.maximum(calls[mine] - np.nan_to_num(own[mine]), 0.0))
        _put(one.node, f"disk-{name}", None if moved is None else moved * (1 - away), 1.0)
        _put(one.node, f"cached-{name}", cached, _LEAST_BYTES)
        before = one.system["file-system"].amount if "file-system" in one.system else 0.0
        _put(one.system, "file-system", before + (moved or 0.0) * away, 1.0)


def _put(volumes: dict[str, Volume], name: str, amount: float | None, least: float) -> None:
    if amount is not None and amount >= least:
        volumes[name] = Volume(amount, Origin.MEASURED)


def _add_said(one: Needs, said: Mapping[int, Mapping[str, float]], mine: Whole) -> None:
    """Add what was declared: it stands above what was measured of the same."""
    places = mine.tolist() if said else []
    for name in dict.fromkeys(name for at in places for name in said.get(at, {})):
        amount = sum(said.get(at, {}).get(name, 0.0) for at in places) / len(places)
        (one.node if name in NODE else one.system)[name] = Volume(amount, Origin.DECLARED)


def _drop_explained(one: Needs, run: RunTables, machine: Machine) -> None:
    """Leave CPU time out where declared FLOPs and memory traffic explain most of it at the node's peaks."""
    cpu, cores = one.node.get("cpu"), machine.cores or run.cores
    if cpu is None or not cores:
        return
    least_s = max(
        (
            one.node[name].amount / peak.nominal
            for name in ("flops", "memory")
            if name in one.node and (peak := machine.node.get(name)) is not None
        ),
        default=0.0,
    )
    if least_s >= _EXPLAINED * cpu.amount / cores:
        del one.node["cpu"]
        one.explained = True


def _drop_pipes(one: Needs, machine: Machine) -> None:
    """Leave out bytes of system calls that no file can have given in that time: they went through pipes."""
    for name in ("cached-read", "cached-write"):
        peak, moved = machine.node.get(name), one.node.get(name)
        if peak and moved and one.seconds and moved.amount > peak.nominal * one.seconds:
            del one.node[name]


def _nodes(
    one: Needs, run: RunTables, units: Units, machine: Machine, known: tuple[float | None, int]
) -> float:
    """Return how many nodes a task takes: as told, a part of one by its cores, or all hosts of the run."""
    told, parallel = known
    if told:
        return told
    if units.unit is Unit.COMMAND and run.hosts > 1:
        return float(run.hosts)
    cores = machine.cores or run.cores
    share = math.ceil(one.cores - _SLACK) / cores if one.cores and cores else 1.0
    return min(max(share, _gpu_share(one, machine)), 1 / math.ceil(parallel / machine.nodes))


def _gpu_share(one: Needs, machine: Machine) -> float:
    """Return the share of a node's GPUs that a task holds: at least one, if it uses any."""
    used, there = one.node.get("gpu"), machine.node.get("gpu")
    if used is None or there is None or not one.seconds or used.amount < _LEAST_GPU * one.seconds:
        return 0.0
    return max(1, math.ceil(used.amount / one.seconds - _SLACK)) / there.nominal


def _declared_resources(
    run: RunTables, units: Units, members: list[Whole]
) -> list[tuple[float | None, float | None]]:
    """Return the most cores on one node and nodes that tasks of each kind declare."""
    if units.unit is not Unit.TASK:
        return [(None, None)] * len(units.names)
    words = run.tasks["resources"].words or ("",)
    read = [_resources(word) for word in words]
    codes = np.asarray(run.tasks["resources"].values)[units.rows]
    found: list[tuple[float | None, float | None]] = []
    for mine in members:
        some = [read[code] for code in np.unique(codes[mine]).tolist()]
        nodes = max((nodes for _, nodes in some if nodes), default=None)
        cpus = max((cpus for cpus, _ in some if cpus), default=None)
        found.append((cpus / nodes if cpus and nodes else cpus, nodes))
    return found


def _resources(text: str) -> tuple[float | None, float | None]:
    told = facts_in(text)
    return _amount(told, ("cpus", "cores", "threads", "_cores")), _amount(told, ("nodes",))


def _amount(told: Mapping[str, object], names: Iterable[str]) -> float | None:
    """Return the first of these that is told as a number above zero."""
    for value in map(told.get, names):
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
            return value
    return None


def _mean(values: Numbers) -> float | None:
    """Return the mean with nothing for what is not known; None if all of it is not."""
    known = np.isfinite(values)
    return float(values[known].sum()) / len(values) if known.any() else None
