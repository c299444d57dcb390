"""Probes that are made up: what they say, how long they take and when they fail is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from longpole.measure.probe import LEAST_REPEATS


@dataclass
class Clock:
    """A clock that only probes move."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Made:
    """A probe of one resource."""

    clock: Clock
    takes_s: float = 1.0
    name: str = "memory"
    values: list[float] = field(default_factory=lambda: [1.0])
    fails_after: int | None = None
    error: Exception = field(default_factory=lambda: OSError(28, "No space left on device"))
    least: int = LEAST_REPEATS
    how: str = "made up"
    remark: str = ""
    on_cores: bool = True
    begun: list[float] = field(default_factory=list)
    closed: int = 0

    def trial(self) -> Mapping[str, float]:
        if self.fails_after is not None and len(self.begun) >= self.fails_after:
            raise self.error
        self.begun.append(self.clock.now)
        self.clock.now += self.takes_s
        return {self.name: self.values[(len(self.begun) - 1) % len(self.values)]}

    def close(self) -> None:
        self.closed += 1
