"""Whether planning and bookkeeping stay linear: the same workflow at several sizes, run for real.

Method: of each size, ``longpole plan`` is timed, and runs are recorded whose tasks do nothing. What grows is
the CPU time of the driver, which plans, decides, commits and writes down; that of tasks, of the warm workers
below the driver and of the recorder is not in it. That of a run of one task is taken off. The exponent is the
slope of a straight line through the logarithms of time and size, by least squares: 1 is linear. Beside it
stands that of the last step. Memory is that of the largest size less that of the smallest, for each task
between.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.engine_runs import plan_ours, run_ours

SHAPES = ("functions", "outputs", "chain")
Rows = list[dict[str, float]]


def grow(sizes: Sequence[int], cores: int, place: Path) -> dict[str, Rows]:
    """Return CPU seconds and peak memory of the planner and of drivers, for each size; the first is 1."""
    found: dict[str, Rows] = {"plan": [], **{shape: [] for shape in SHAPES}}
    for size in (1, *sorted(sizes)):
        planned = plan_ours("outputs", size)
        found["plan"].append({"tasks": size, "cpu_s": planned.cpu_s, "mb": planned.peak_mb})
        for shape in SHAPES:
            ran = run_ours(shape, size, cores, place)
            found[shape].append({"tasks": size, "cpu_s": ran.driver_cpu_s, "mb": ran.driver_mb})
    return found


def per_task_us(rows: Rows) -> dict[float, float]:
    """Return microseconds of CPU time for each task, by size, without those of a run of one task."""
    first, *others = rows
    return {row["tasks"]: (row["cpu_s"] - first["cpu_s"]) / row["tasks"] * 1e6 for row in others}


def exponent(each_us: Mapping[float, float]) -> float:
    """Return the power of the number of tasks that the time of all grows with.

    Examples:
        >>> round(exponent({10: 5.0, 100: 5.0, 1000: 5.0}), 6)
        1.0
        >>> round(exponent({10: 1.0, 100: 10.0}), 6)
        2.0
    """
    points = [(math.log(size), math.log(size * each)) for size, each in each_us.items() if each > 0]
    if len(points) < 2:
        return math.nan
    return statistics.linear_regression([x for x, _ in points], [y for _, y in points]).slope


def last_exponent(each_us: Mapping[float, float]) -> float:
    """Return the same from the last size but one to the last: a fit may hide what grows only in the end."""
    return exponent(dict(sorted(each_us.items())[-2:]))


def kilobytes_per_task(rows: Rows) -> float:
    """Return how much more memory each more task takes."""
    least, most = rows[1], rows[-1]
    more = most["tasks"] - least["tasks"]
    return (most["mb"] - least["mb"]) * 1000 / more if more else math.nan
