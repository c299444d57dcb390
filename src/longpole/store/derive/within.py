"""Traced processes, and which of the recorded ones each of them is.

Method: the same pid, as we or as the process itself saw it, on the host that the trace names, if the run has
one of that name, and at the same time: the times of the trace, by its host's clock, and the life of the
process overlap. Of several processes of a host that had the pid, the one that lived longest during the trace.
Where processes of several hosts fit, nobody can tell which it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longpole.store.derive.arrays import LATEST_NS, Arrays, hidden
from longpole.store.derive.hosts import Hosts
from longpole.store.derive.known import Known
from longpole.store.derive.processes import Processes

_LATEST_UTC_NS = 4 * LATEST_NS
_OWN_KIND = "process"
_RANKS = ("rank", "world")
_TIMES = ("start_ns", "end_ns")


@dataclass(frozen=True, slots=True)
class Traced:
    """A process as a trace tells of it.

    Attributes:
        id: Its number in the trace.
        pid: Its pid, as it saw that itself; 0 if it is not told.
        host: What its host is called; empty if it is not told.
        start_ns: When its trace begins, by its host's time of day.
        end_ns: When that ends.
        rank: Which process of a parallel program it is.
        world: How many of these there are.
        facts: What else the trace says of it, as JSON.
    """

    id: int
    pid: int
    host: str
    start_ns: int
    end_ns: int
    rank: int | None = None
    world: int | None = None
    facts: str | None = None

    @property
    def key(self) -> tuple[int, str, int, int]:
        """What the same process has in the same trace, whatever file that lies in."""
        return self.pid, self.host, self.start_ns, self.end_ns


def set_aside(tables: dict[str, Arrays]) -> tuple[Traced, ...]:
    """Take processes, their hosts and their own phases out of what was told; return the processes.

    One of which no time is known is left out.
    """
    processes, hosts = tables.pop("processes", {}), tables.pop("hosts", {})
    names = dict(zip(_cells(hosts, "id"), _cells(hosts, "name"), strict=True))
    facts = _own_facts(tables)
    columns = [_cells(processes, name) for name in ("id", "pid", "host", "start_ns", "end_ns", *_RANKS)]
    return tuple(
        Traced(number, pid or 0, names.get(host) or "", start, end, rank, world, facts.get(number))
        for number, pid, host, start, end, rank, world in zip(*columns, strict=True)
        if start is not None and end is not None and 0 <= start <= end <= _LATEST_UTC_NS
    )


def namesakes(traced: Traced, processes: Processes, hosts: Hosts) -> list[Known]:
    """Return the recorded processes of the same pid, whenever they lived."""
    where = hosts.named(traced.host) or range(1, len(hosts) + 1)
    return [known for host in where for known in processes.of_pid(host, traced.pid)] if traced.pid else []


def same_as(traced: Traced, processes: Processes, hosts: Hosts) -> list[Known]:
    """Return the recorded process that a traced one is: none, one, or one for each host where it may be."""
    found: dict[int, tuple[int, Known]] = {}
    for known in namesakes(traced, processes, hosts):
        together_ns = _together_ns(traced, known, hosts)
        if together_ns >= 0 and together_ns > found.get(known.host, (-1, known))[0]:
            found[known.host] = together_ns, known
    return [known for _, known in found.values()]


def as_recorded(
    own: Arrays, process: NDArray[np.generic], recorded: Mapping[int, Known], hosts: Hosts
) -> Arrays:
    """Return rows of a trace with the recorded process of each, if it has one, and times on the run's axis.

    Args:
        own: The rows.
        process: The traced process of each.
        recorded: Which recorded process each traced one is.
        hosts: Where they ran.
    """
    times = {name: own[name].copy() for name in _TIMES if name in own}
    numbers = np.zeros(len(process), np.int64)
    for number, known in recorded.items():
        rows = np.flatnonzero((np.ma.getdata(process) == number) & ~np.ma.getmaskarray(process))
        numbers[rows] = known.id
        for values in times.values():
            moments = np.ma.getdata(values)
            moments[rows] = hosts.from_wall(known.host, moments[rows])
    return {**own, **times, "process": hidden(numbers, numbers == 0)}


def _together_ns(traced: Traced, known: Known, hosts: Hosts) -> int:
    """Return for how long a process lived during a trace; below 0 if it did not."""
    start, end = hosts.from_wall(known.host, np.array([traced.start_ns, traced.end_ns])).tolist()
    begun = known.start_ns - known.late_ns if known.start_ns is not None else start
    return int(min(end, end if known.end_ns is None else known.end_ns) - max(start, begun))


def _own_facts(tables: dict[str, Arrays]) -> dict[int, str]:
    """Take the phases of whole processes out of those that were told; return what they say, by process."""
    phases = tables.get("phases", {})
    if "kind" not in phases:
        return {}
    own = phases["kind"] == _OWN_KIND
    taken = {name: values[own] for name, values in phases.items()}
    tables["phases"] = {name: values[~own] for name, values in phases.items()}
    pairs = zip(_cells(taken, "process"), _cells(taken, "attributes"), strict=True)
    return {process: facts for process, facts in pairs if process is not None and facts}


def _cells(columns: Arrays, name: str) -> list[Any]:
    """Return a column, with None where a cell or the whole column is not known."""
    rows = len(next(iter(columns.values()))) if columns else 0
    return columns[name].tolist() if name in columns else [None] * rows
