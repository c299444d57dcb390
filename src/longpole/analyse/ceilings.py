"""Ceilings of a workflow: for each resource the least time that the whole of it needs.

Method (Ding et al. 2024, counted by one rule): a bound is a least time of the whole workflow, the ceiling is
the number of tasks over it. With n_k tasks of kind k and x of them at once,

- node:       T_k = work on each of its nodes / peak of a node; time >= sum(n_k T_k) / x. Tasks that share a
              node have its peak once: time >= work of all / (nodes x peak), too.
- system:     time >= bytes of all / peak; a peak per node counts the nodes of one task.
- overhead:   time >= sum(n_k seconds_k) / x.
- structure:  each task takes its own least time t_k, the greatest of its T_k, of its bytes alone on what is
              shared, and of its overheads; time >= max(longest chain of t_k, sum(n_k t_k) / x), with no
              more at once than could be, where that is known. A task of whose work nothing is known takes
              as long as it was measured to.

It leaves out everything that was not counted, all waiting, and how one resource slows another down: a
ceiling is what no run can pass, not what a run will reach.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from longpole.analyse.chains import longest_chain
from longpole.model.case import Case, TaskKind, Volume
from longpole.model.machine import Machine, Peak
from longpole.model.resources import RESOURCES, STRUCTURE, Level, overhead_label
from longpole.model.roofline import Ceiling

PATH = "critical path"
# Less work than this takes no time, whatever its unit.
_NOTHING = 1e-12
_TIMES = "times of the tasks"


@dataclass(frozen=True, slots=True)
class Least:
    """The least time of a workflow: ``serial_s / x``, but never below ``flat_s``."""

    serial_s: float
    flat_s: float

    def at(self, parallel: float) -> float:
        """Return the least time with so many tasks at once."""
        return max(self.serial_s / parallel, self.flat_s)


def ceilings_of(case: Case) -> tuple[Ceiling, ...]:
    """Return all ceilings of a case, the lowest at its x first."""
    found = [*_of_resources(case), *_of_overheads(case)]
    structure = _structure(case, found)
    both = [*found, structure] if structure else found
    return tuple(sorted(both, key=lambda ceiling: -ceiling.workflow_seconds))


def task_seconds(kind: TaskKind, resource: str, peak: Peak) -> float:
    """Return the least time of one task on one resource, on a good day."""
    if RESOURCES[resource].level is Level.NODE:
        return kind.node[resource].amount / _own_rate(kind, resource, peak.nominal)
    volume, nodes = kind.system[resource], max(1.0, kind.nodes)
    amount = volume.amount * (nodes if volume.per_node else 1.0)
    return amount / (peak.nominal * (nodes if peak.per_node else 1.0))


def least_task_seconds(kind: TaskKind, machine: Machine) -> dict[str, float]:
    """Return the least times of one task, by resource and overhead."""
    named = [*kind.node, *kind.system]
    peaks = {name: peak for name in named if (peak := machine.peak(name)) is not None}
    times = {name: task_seconds(kind, name, peak) for name, peak in peaks.items()}
    return times | {name: volume.amount for name, volume in kind.overhead.items()}


def _own_rate(kind: TaskKind, resource: str, rate: float) -> float:
    """Return what one task can have of a node's peak: of cores its own, of all else everything."""
    if resource != "cpu":
        return rate
    return min(rate, kind.cores) if kind.cores is not None else rate * min(1.0, kind.nodes)


def _of_resources(case: Case) -> Iterable[Ceiling]:
    for name, resource in RESOURCES.items():
        peak = case.machine.peak(name)
        kinds = [kind for kind in case.kinds if _works(kind, name)]
        if peak is None or not kinds:
            continue
        times = {kind.name: task_seconds(kind, name, peak) for kind in kinds}
        least = _shared(kinds, times) if resource.level is Level.SYSTEM else _own(case, kinds, name, peak)
        ceiling = _ceiling(case, resource.label, resource.level, name, (times, least))
        ceiling = replace(ceiling, spread=peak.spread, source=_source(peak, kinds, name))
        yield _with_contention(_with_work(ceiling, peak), peak, case)


def _works(kind: TaskKind, resource: str) -> bool:
    volume = kind.node.get(resource) or kind.system.get(resource)
    return volume is not None and volume.amount > _NOTHING


def _own(case: Case, kinds: list[TaskKind], name: str, peak: Peak) -> Least:
    """Return the least time on what each node has, also where tasks share nodes."""
    serial = sum(kind.count * task_seconds(kind, name, peak) for kind in kinds)
    work = sum(kind.count * kind.node[name].amount * max(1.0, kind.nodes) for kind in kinds)
    return Least(serial, work / (case.machine.nodes * peak.nominal))


def _shared(kinds: list[TaskKind], times: Mapping[str, float]) -> Least:
    return Least(0.0, sum(kind.count * times[kind.name] for kind in kinds))


def _of_overheads(case: Case) -> Iterable[Ceiling]:
    names = dict.fromkeys(name for kind in case.kinds for name in kind.overhead)
    for name in names:
        times = {kind.name: kind.overhead[name].amount for kind in case.kinds if name in kind.overhead}
        serial = sum(kind.count * times.get(kind.name, 0.0) for kind in case.kinds)
        if serial > 0:
            label = overhead_label(name)
            ceiling = _ceiling(case, label, Level.OVERHEAD, name, (times, Least(serial, 0.0)))
            yield replace(ceiling, source=_origins(case.kinds, partial(_overhead, name)))


def _overhead(name: str, kind: TaskKind) -> Volume | None:
    return kind.overhead.get(name)


def _structure(case: Case, others: list[Ceiling]) -> Ceiling | None:
    """Return what remains when every task takes its own least time: the longest chain, and all in turn."""
    known = {
        kind.name: max(least_task_seconds(kind, case.machine).values(), default=0.0) for kind in case.kinds
    }
    times = {kind.name: known[kind.name] or kind.seconds or 0.0 for kind in case.kinds}
    serial = sum(kind.count * times[kind.name] for kind in case.kinds)
    if serial <= 0:
        return None
    chain = longest_chain(case.kinds, times).seconds
    if not any(known.values()) and case.path_s is not None:
        chain = max(chain, case.path_s)
    if case.could is not None:
        chain = max(chain, serial / case.could)
    ceiling = _ceiling(case, STRUCTURE, Level.STRUCTURE, PATH, (times, Least(serial, chain)))
    longest = max(others, key=lambda other: other.workflow_seconds, default=ceiling)
    return replace(ceiling, source=_source_of_structure(case, known), spread=longest.spread)


def _source_of_structure(case: Case, known: Mapping[str, float]) -> str:
    """Say whether least times by ceilings, measured ones, or both are in the structure."""
    if not any(known.values()):
        return f"measured {_TIMES}: nothing is known of their work"
    measured = any(kind.seconds and not known[kind.name] for kind in case.kinds)
    return f"least {_TIMES} by the other ceilings" + (", measured ones of other tasks" if measured else "")


def _ceiling(
    case: Case, label: str, level: Level, resource: str, found: tuple[Mapping[str, float], Least]
) -> Ceiling:
    times, least = found
    seconds = least.at(case.parallel)
    return Ceiling(
        name=label,
        kind=level,
        resource=resource,
        workflow_seconds=seconds,
        per_task_seconds=dict(times),
        tasks_per_second_at_dot=case.tasks / seconds,
        source="",
        serial_seconds=least.serial_s,
        least_seconds=least.flat_s,
    )


def _with_work(ceiling: Ceiling, peak: Peak) -> Ceiling:
    """Return a ceiling that tells how much goes over what all share, and how fast that is."""
    if ceiling.kind is not Level.SYSTEM or peak.per_node:
        return ceiling
    return replace(ceiling, work=ceiling.least_seconds * peak.nominal, peak=peak.nominal)


def _with_contention(ceiling: Ceiling, peak: Peak, case: Case) -> Ceiling:
    if peak.contended is None:
        return ceiling
    seconds = ceiling.workflow_seconds * peak.nominal / peak.contended
    return replace(ceiling, contended_seconds=seconds, contended_tasks_per_second=case.tasks / seconds)


def _source(peak: Peak, kinds: Iterable[TaskKind], name: str) -> str:
    volumes = _origins(kinds, lambda kind: kind.node.get(name) or kind.system.get(name))
    return f"peak {peak.source}; volume {volumes}"


def _origins(kinds: Iterable[TaskKind], volume_of: Callable[[TaskKind], Volume | None]) -> str:
    found = dict.fromkeys(str(volume.origin) for kind in kinds if (volume := volume_of(kind)) is not None)
    return " and ".join(found)
