"""Loading data beside training: how long steps would wait with so many workers.

Method: a pipeline. Workers load batches side by side, each in the time that a batch now takes to load; the
loop takes one batch for each step. In the long run a step lasts as long as the slowest of three: its own
computing, loading divided by the number of workers, and all work on the CPU divided by the cores. What it
lasts longer than its computing, it waits. The first step of an epoch waits for a whole batch, and for the
workers to start. Takes for granted that loading scales with workers as long as there are cores, and that
batches are much alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np
from numpy.typing import NDArray

from longpole.analyse.graph import Whole

# How long a worker takes to start, by fork.
_START_NS = 30_000_000
# More workers than this for each core never helped anybody.
_MOST_PER_CORE = 4


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop of steps that wait for data.

    Attributes:
        waits_ns: How long each step waited for data.
        computing_ns: How long the rest of it took.
        first: Which steps are the first of an epoch.
        workers: How many workers loaded beside it; 0 if the loop loaded itself.
        cpu_share: How many cores were in use meanwhile, loading included; 0 if that is not known.
    """

    waits_ns: Whole
    computing_ns: Whole
    first: NDArray[np.bool_]
    workers: int = 0
    cpu_share: float = 0.0

    @property
    def wait_share(self) -> float:
        """Which share of the loop is waiting."""
        whole = float(self.waits_ns.sum() + self.computing_ns.sum())
        return float(self.waits_ns.sum()) / whole if whole else 0.0

    @property
    def loading_ns(self) -> float:
        """How long one worker takes for a batch; the loop's own wait, if it loads itself."""
        later = ~self.first if (~self.first).any() else self.first
        wait, step = np.mean(self.waits_ns[later]), np.mean((self.waits_ns + self.computing_ns)[later])
        return float(step) * self.workers if self.workers else float(wait)

    @property
    def step_ns(self) -> float:
        """How long the computing of a step takes."""
        return float(np.mean(self.computing_ns)) if len(self.computing_ns) else 0.0


def waits_with(loop: Loop, workers: int, cores: int, slower: float = 1.0) -> Whole:
    """Return how long each step would wait with so many workers, if loading took so many times as long."""
    loading = loop.loading_ns * slower
    whole = float(np.mean(loop.waits_ns + loop.computing_ns))
    on_cpu = loop.cpu_share * whole * slower / cores if cores else 0.0
    lasts = max(loop.step_ns, loading / workers, on_cpu)
    steady = np.maximum(0.0, lasts - loop.computing_ns.astype(np.float64))
    waits = np.where(loop.first, loading + _START_NS * workers, steady)
    return np.rint(waits).astype(np.int64)


def best_workers(loop: Loop, cores: int) -> int:
    """Return the fewest workers with which steps hardly wait, or the most that there is room for.

    Examples:
        >>> loop = Loop(np.full(9, 20), np.full(9, 10), np.zeros(9, bool))
        >>> best_workers(loop, cores=4)
        3
    """
    enough = ceil(loop.loading_ns * 1.1 / loop.step_ns) if loop.step_ns else 1
    return max(1, min(enough, _MOST_PER_CORE * max(cores, 1)))
