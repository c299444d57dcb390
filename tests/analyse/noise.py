"""Times of runs as real machines give them: a heavy tail, a slow drift, and now and then a run far off."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longpole.analyse.arrays import Numbers
from longpole.model.comparison import ComparedRun, Metric

# Repeats of the same 0.7 s of computing, one after the other, on two cores that others kept busy: seconds.
BUSY = (
    *(2.94, 2.53, 2.14, 2.34, 2.76, 3.03, 3.56, 2.81, 2.85, 3.08, 2.98, 2.44),
    *(1.96, 2.49, 2.25, 2.05, 2.37, 2.37, 2.32, 2.56, 3.05, 2.51, 2.26, 2.14),
)


@dataclass(frozen=True, slots=True)
class Noise:
    """How times of equal runs differ.

    Attributes:
        sd: Standard deviation of single runs, of the logarithm, without drift and without those far off.
        drift: Standard deviation of a slow change over the whole series.
        far_off: How many of the runs are far off: 30 % slower on average.
    """

    sd: float = 0.05
    drift: float = 0.02
    far_off: float = 0.05

    def times(self, drawn: np.random.Generator, runs: int) -> Numbers:
        """Return the times of equal runs, in the order in which they are made."""
        single = self.sd * drawn.standard_t(4, runs) / np.sqrt(2)  # whose variance is 2
        walk = np.cumsum(drawn.normal(size=runs))
        walk -= walk.mean()
        slow = self.drift * walk / max(float(walk.std()), 1e-12)
        off = (drawn.random(runs) < self.far_off) * np.log1p(drawn.exponential(0.3, runs))
        return np.asarray(10.0 * np.exp(single + slow + off))


def series(
    noise: Noise, drawn: np.random.Generator, rounds: int = 10, ratios: tuple[float, ...] = (1.0, 1.0)
) -> list[ComparedRun]:
    """Return a series: in each round a run of each group, in a random order; groups are 'a', 'b', 'c'..."""
    times = noise.times(drawn, rounds * len(ratios))
    order = [int(group) for _ in range(rounds) for group in drawn.permutation(len(ratios))]
    return [
        compared("abcdefgh"[group], float(seconds) * ratios[group], at=at)
        for at, (group, seconds) in enumerate(zip(order, times, strict=True))
    ]


def compared(group: str, seconds: float, at: int = 0, **times: float) -> ComparedRun:
    """Return one run that began at a place in the order of runs."""
    known = {Metric.END_TO_END: seconds, **{Metric(name): value for name, value in times.items()}}
    return ComparedRun(f"{group}{at}", group, 1000.0 * at, known, machine="node")
