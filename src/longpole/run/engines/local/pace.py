"""Pace: how long tasks take at workers, and what follows of that for how they are handed out.

Method: a running mean of which each task is an eighth. While tasks are short, some wait for each worker, so
that none waits for us; and while workers have enough of them, we wait a moment to hear of several at once.
"""

from __future__ import annotations

from longpole.units import Nanoseconds

# How many short tasks wait for each worker, and how short these are.
_AHEAD = 4
_SHORT_NS = 20_000_000
_WEIGHT = 1 / 8
_LEAST_GATHER_NS, _MOST_GATHER_NS = 100_000, 800_000


class Pace:
    """How fast so many workers are."""

    def __init__(self, workers: int) -> None:
        """Take tasks for neither short nor long until some have ended."""
        self._workers = workers
        self._mean_ns = float(_SHORT_NS)

    def note(self, took_ns: Nanoseconds) -> None:
        """Take how long a task has taken."""
        self._mean_ns += (took_ns - self._mean_ns) * _WEIGHT

    @property
    def ahead(self) -> int:
        """How many tasks may wait at workers, beyond those that are executed: some, if tasks are short."""
        return _AHEAD * self._workers if self._mean_ns < _SHORT_NS else 0

    def gather_s(self, asked: int) -> float:
        """Return how long we may wait to hear of several at once, when workers have so many tasks."""
        enough_ns = (asked - self._workers) * self._mean_ns / self._workers / 2
        return min(enough_ns, _MOST_GATHER_NS) / 1e9 if enough_ns > _LEAST_GATHER_NS else 0.0
