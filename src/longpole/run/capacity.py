"""What a machine has for jobs, and who of those that wait may begin.

Method: jobs of equal needs wait in one line. The line whose first job has waited longest comes first; if
that job does not fit, others may pass, but only so often: then everybody waits until it fits, so that small
jobs never keep a large one waiting for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from longpole.model.workflow import Resources
from longpole.units import Bytes

_MOST_PASSED = 64


@dataclass(frozen=True, slots=True)
class Waiting(Resources):
    """Needs of a task of one core that an engine has waiting until one of its workers is free."""


@dataclass(slots=True)
class Capacity:
    """What is free of a machine.

    Attributes:
        cores: How many cores are free; below 0 by those that were handed over ahead.
        memory_bytes: How much memory; None where nobody counts it.
        gpus: How many GPUs.
        ahead: How many tasks that can wait an engine takes more than it executes, so that none of its cores
            waits for us. Only while all that runs are such tasks: beside others it would execute them.
        others: How many that are not such tasks run.
    """

    cores: int
    memory_bytes: Bytes | None
    gpus: int
    ahead: int = 0
    others: int = 0

    def fits(self, needs: Resources) -> bool:
        """Return whether so much is free."""
        if isinstance(needs, Waiting):
            return self.cores > (0 if self.others else -self.ahead)
        if needs.cores > self.cores or needs.gpus > self.gpus:
            return False
        return not needs.memory_bytes or self.memory_bytes is None or needs.memory_bytes <= self.memory_bytes

    def take(self, needs: Resources) -> None:
        """Take so much."""
        self._move(needs, -1)

    def give_back(self, needs: Resources) -> None:
        """Give so much back."""
        self._move(needs, 1)

    def _move(self, needs: Resources, sign: int) -> None:
        self.cores += sign * needs.cores
        self.others -= sign * (not isinstance(needs, Waiting))
        self.gpus += sign * needs.gpus
        if self.memory_bytes is not None and needs.memory_bytes:
            self.memory_bytes += sign * needs.memory_bytes


class Lines:
    """Jobs that wait for room, in lines of equal needs."""

    def __init__(self) -> None:
        """Start with nobody waiting."""
        self._lines: dict[Resources, deque[tuple[int, int]]] = {}
        self._arrivals = 0
        self._passed = 0

    def __len__(self) -> int:
        """Return how many wait."""
        return sum(map(len, self._lines.values()))

    def add(self, job: int, needs: Resources) -> None:
        """Let a job wait."""
        line = self._lines.get(needs)
        if line is None:
            line = self._lines[needs] = deque()
        line.append((self._arrivals, job))
        self._arrivals += 1

    def admit(self, capacity: Capacity) -> Iterator[int]:
        """Yield the jobs that may begin now; each has taken what it needs."""
        while True:
            fitting = self._next(capacity)
            if fitting is None:
                return
            capacity.take(fitting)
            yield self._lines[fitting].popleft()[1]

    def _next(self, capacity: Capacity) -> Resources | None:
        """Return the needs of the line whose first job may begin."""
        first = passing = None
        for needs, line in self._lines.items():
            if line and (first is None or line[0][0] < self._lines[first][0][0]):
                first = needs
        if first is None or capacity.fits(first):
            self._passed = 0
            return first
        if self._passed >= _MOST_PASSED:
            return None
        for needs, line in self._lines.items():
            fits = line and capacity.fits(needs)
            if fits and (passing is None or line[0][0] < self._lines[passing][0][0]):
                passing = needs
        self._passed += passing is not None
        return passing
