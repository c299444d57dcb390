"""Executors of a Spark application: processes on hosts, and the lanes of what they run.

A host has as many cores as its executors had together at one moment. An executor that no event announces,
as in old logs, is known from its tasks, without times.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from heapq import heappop, heappush

from longpole.exchange.rows import Row, Rows
from longpole.exchange.spark_events import ExecutorAdded, ExecutorRemoved
from longpole.exchange.spark_phases import nanoseconds


@dataclass(slots=True)
class Executor:
    """An executor as far as it is known.

    Attributes:
        process: Its row in the table of processes.
        free: Lanes in which nothing runs, lowest first.
        lanes: How many lanes there are.
    """

    process: int
    name: str
    host: str
    cores: int | None = None
    added_ms: int | None = None
    removed_ms: int | None = None
    free: list[int] = field(default_factory=list)
    lanes: int = 0

    def take_lane(self) -> int:
        """Return the lowest lane in which nothing runs, which is taken from now on."""
        if self.free:
            return heappop(self.free)
        self.lanes += 1
        return self.lanes - 1

    def free_lane(self, lane: int) -> None:
        """Let others have a lane."""
        heappush(self.free, lane)


class Executors:
    """All executors of an application."""

    def __init__(self) -> None:
        """Begin without any."""
        self._all: dict[str, Executor] = {}

    def add(self, event: ExecutorAdded) -> None:
        """Take note that an executor is there."""
        one = self.named(event.executor_id, event.executor_info.host)
        one.cores, one.added_ms = event.executor_info.total_cores, event.timestamp

    def remove(self, event: ExecutorRemoved) -> None:
        """Take note that an executor is gone."""
        one = self.named(event.executor_id, "")
        one.removed_ms = event.timestamp if event.timestamp >= (one.added_ms or 0) else None

    def named(self, name: str, host: str) -> Executor:
        """Return an executor by its name; a new one if there is none yet."""
        if name not in self._all:
            self._all[name] = Executor(len(self._all) + 1, name, host)
        return self._all[name]

    def rows(self) -> Rows:
        """Return processes and hosts."""
        hosts: dict[str, list[Executor]] = {}
        for one in self._all.values():
            hosts.setdefault(one.host, []).append(one)
        numbers = {host: number for number, host in enumerate(hosts, start=1)}
        return {
            "processes": [_process(one, numbers[one.host]) for one in self._all.values()],
            "hosts": [
                {"id": numbers[host], "name": host or "?", "cores": _most_cores(some)}
                for host, some in hosts.items()
            ],
        }


def _process(one: Executor, host: int) -> Row:
    return {
        "id": one.process,
        "host": host,
        "name": "driver" if one.name == "driver" else f"executor {one.name}",
        "start_ns": nanoseconds(one.added_ms),
        "end_ns": nanoseconds(one.removed_ms),
    }


def _most_cores(executors: list[Executor]) -> int | None:
    """Return the most cores that some executors had at one moment; nothing where none tells."""
    changes: list[tuple[int, int]] = []
    for one in executors:
        if one.cores is not None and one.added_ms is not None:
            changes.append((one.added_ms, one.cores))
            changes += [] if one.removed_ms is None else [(one.removed_ms, -one.cores)]
    there = most = 0
    for _, change in sorted(changes):
        there += change
        most = max(most, there)
    return most or None
